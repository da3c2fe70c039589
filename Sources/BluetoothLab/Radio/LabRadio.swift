import Foundation
import Synchronization

/// The lab's virtual radio, in a test: device positions, interference, and events in the air (`docs/radio.md`).
///
/// ```swift
/// @Test(.bluetoothLab(scene: .file("scenes/hallway.yaml"), sensor: .default))
/// func theSensorIsFoundAgain() async throws {
///     let radio = try LabRadio.here
///     try await radio.move("sensor", to: (300, 0))
///     try await radio.event("link-end", "supervision timeout")
///     try await radio.move("sensor", to: (1, 0))
///     try await radio.event("link-begin")
/// }
/// ```
///
/// What a test has changed ends with it: the radio is then as it was when the lab began.
public final class LabRadio: Swift.Sendable {
    /// The radio of a test, for ``here``.
    @TaskLocal static var current: LabRadio?

    /// The radio of the test. Throws a ``LabError`` when the test has no lab.
    public static var here: LabRadio {
        get throws {
            guard let current else { throw LabError("this test has no radio: .bluetoothLab") }
            return current
        }
    }

    private struct State {
        var isChanged = false
        var observer: Observer?
    }

    /// The events since the test has used the radio first.
    struct Observer: Swift.Sendable {
        let process: ChildProcess
        /// In milliseconds, by the radio's clock.
        let start: Int
    }

    private let state = Mutex(State())
    /// A radio in the test's own machine is found by the environment; others by more of it.
    private let environment: [String: String]

    init(environment: [String: String] = [:]) {
        self.environment = environment
    }

    /// Whether the air was changed.
    var isChanged: Bool { state.withLock(\.isChanged) }

    // MARK: Commands

    /// Runs any command of `virtual-radio`, such as `run("phantom", "add", "beacon", "3", "4")`.
    ///
    /// - Returns: what it has printed.
    @discardableResult
    public func run(_ words: String...) async throws(RadioError) -> [String] { try await run(words) }

    func change(_ command: String, _ words: [String] = []) async throws(RadioError) {
        _ = try await run([command] + words)
    }

    private func run(_ words: [String]) async throws(RadioError) -> [String] {
        try await observe()
        state.withLock { $0.isChanged = true }
        return try await send(words)
    }

    /// Makes everything as it was when the lab began.
    func reset() async throws(RadioError) {
        _ = try await send(["reset"])
        state.withLock { $0.isChanged = false }
    }

    /// Device positions and links.
    public func status() async throws(RadioError) -> RadioStatus {
        let lines = try await send(["status", "--json"])
        do {
            return try JSONDecoder().decode(RadioStatus.self, from: Data((lines.first ?? "").utf8))
        } catch {
            throw .noRadio("its status cannot be read: \(error)")
        }
    }

    private func send(_ words: [String]) async throws(RadioError) -> [String] {
        let command = (["virtual-radio"] + words).joined(separator: " ")
        let process: ChildProcess
        let status: Int32
        do {
            process = try ChildProcess(on: Lab.sensorHost, "virtual-radio", words, environment: environment)
            status = try await process.exitStatus(within: .seconds(60))
        } catch {
            throw .noRadio("\(error)")
        }
        switch status {
        case 0: return process.lines
        case 1, 64:
            let reasons = process.lines.map { $0.hasPrefix("virtual-radio: ") ? String($0.dropFirst(15)) : $0 }
            throw .refused(command: command, reason: reasons.joined(separator: "\n"))
        default: throw .noRadio(process.transcript)
        }
    }

    // MARK: Events

    /// Follows the radio's events, if it does not yet. Those of other tests are left out by their times.
    @discardableResult
    func observe() async throws(RadioError) -> Observer {
        if let observer = state.withLock(\.observer) { return observer }
        let (seconds, attoseconds) = try await status().time.components
        let start = Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
        let process: ChildProcess
        do {
            process = try ChildProcess(
                on: Lab.sensorHost, "virtual-radio", ["events", "--follow", "--json"], environment: environment)
        } catch {
            throw .noRadio("\(error)")
        }
        return state.withLock { state in
            // Of two that have begun at once, the second one ends by itself.
            let observer = state.observer ?? Observer(process: process, start: start)
            state.observer = observer
            return observer
        }
    }

    /// How many events have arrived: where to look for later ones. 0 until the test uses the radio.
    public var position: Int { state.withLock { $0.observer?.process.lines.count ?? 0 } }

    /// Waits for an event of the test, such as `link-end`, among those that have come and those that come. They are
    /// followed from the test's first use of the radio.
    ///
    /// - Parameters:
    ///   - name: a kind of event (`docs/radio.md` lists them).
    ///   - words: which it must have among its members, such as `sensor` or `supervision timeout`.
    ///   - start: how many events to leave out: a ``position`` at an earlier moment.
    /// - Returns: the event, as JSON.
    @discardableResult
    public func event(
        _ name: String, _ words: String..., from start: Int = 0, within limit: Duration = .seconds(60)
    ) async throws(RadioError) -> String {
        let observer = try await observe()
        let earliest = observer.start
        do {
            let index = try await observer.process.index(
                ofLineWith: ([name] + words).joined(separator: " "), from: start, within: limit
            ) { line in Self.matches(line, name, words, since: earliest) }
            return observer.process.lines[index]
        } catch {
            throw .missing("\(error)")
        }
    }

    static func matches(_ line: String, _ name: String, _ words: [String], since start: Int) -> Bool {
        let event = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        guard let event, event["event"] as? String == name, (event["time_ms"] as? Int ?? 0) >= start else {
            return false
        }
        let values = event.values.map { "\($0)" }
        return words.allSatisfy(values.contains)
    }

    /// Waits until there are no links.
    func awaitNoLinks(within limit: Duration) async throws(RadioError) {
        let deadline = ContinuousClock.now + limit
        while try await !status().links.isEmpty {
            guard .now < deadline else { throw .missing("links remain after \(limit)") }
        }
    }

    /// Ends what follows the events.
    func end() {
        state.withLock { $0.observer?.process.signal(SIGINT) }
    }
}
