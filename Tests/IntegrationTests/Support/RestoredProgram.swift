import BluetoothLab
import Foundation
import GATTProfiles
import Posix

/// The restoration demo (Tests/RestorationDemo) with an agent of its own: killed, and started again by the agent.
final class RestoredProgram {
    let folder: URL
    private(set) var agent: ChildProcess
    /// The first run; later ones are the agent's children.
    private(set) var first: ChildProcess
    private let environment: [String: String]

    /// One line of the program's log.
    struct Event {
        let name: String
        let time: Date
        let fields: [String: Any]

        /// The value that came, as bytes.
        var value: Data? { (fields["value"] as? String).flatMap { try? Data(ValueText.parseHex($0)) } }
        var source: String? { fields["source"] as? String }
    }

    /// Starts an agent and the program, which connects and listens to heart rates and chirps.
    ///
    /// - Parameter startsAgent: whether the program starts another agent when its own has died.
    init(startsAgent: Bool = true) async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "restored-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        environment = [
            "BLUEJAY_AGENT_SOCKET": folder.appendingPathComponent("agent.sock").path,
            "BLUEJAY_STATE_DIRECTORY": folder.path, "BLUETOOTH_ADAPTER": Lab.centralAdapter,
        ]
        agent = try ChildProcess("bluejay", ["agent"], environment: environment)
        try await agent.line(containing: "listens on")
        let ofProgram = startsAgent ? [:] : ["BLUEJAY_AGENT_PROGRAM": "/bin/false"]
        first = try Self.start(folder, environment.merging(ofProgram) { $1 })
        try await listening()
    }

    private static func start(_ folder: URL, _ environment: [String: String]) throws -> ChildProcess {
        let log = folder.appendingPathComponent("log").path
        return try ChildProcess(
            FixtureProgram.product("RestorationDemo"), [Lab.sensorAddress, "--json", "--log", log],
            environment: environment)
    }

    /// Waits until the first run listens to everything.
    private func listening() async throws {
        for source in ["rate", "chirp"] {
            try await event("listening", within: .seconds(60)) { $0.source == source }
        }
    }

    /// The socket of the agent.
    var socket: String { environment["BLUEJAY_AGENT_SOCKET"] ?? "" }

    // MARK: The log

    /// All that has happened, of all runs.
    var events: [Event] {
        readOn()
        return read
    }

    private var read: [Event] = []
    private var offset: UInt64 = 0

    /// Reads what has been written since the last time: the log grows to many thousand lines.
    private func readOn() {
        guard let handle = try? FileHandle(forReadingFrom: folder.appendingPathComponent("log")) else { return }
        defer { try? handle.close() }
        guard (try? handle.seek(toOffset: offset)) != nil, let data = try? handle.readToEnd(),
            let end = data.lastIndex(of: UInt8(ascii: "\n"))
        else { return }
        let lines = data[...end]
        offset += UInt64(lines.count)
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            guard let fields = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any],
                let name = fields["event"] as? String, let time = fields["time"] as? String,
                let date = try? format.parse(time)
            else { continue }
            read.append(Event(name: name, time: date, fields: fields))
        }
    }

    /// How much has happened: where to look for what comes later.
    var position: Int { events.count }

    /// Waits for something in the log.
    @discardableResult
    func event(
        _ name: String, from start: Int = 0, within timeout: Duration = .seconds(30),
        where condition: (Event) -> Bool = { _ in true }
    ) async throws -> Event {
        let deadline = ContinuousClock.now + timeout
        while true {
            if let event = events.dropFirst(start).first(where: { $0.name == name && condition($0) }) { return event }
            guard ContinuousClock.now < deadline else {
                throw LabError("no \(name) within \(timeout):\n\(transcript)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// The chirps from a position on, with or without a listener.
    func chirps(from start: Int) -> [Data] {
        events.dropFirst(start).filter { ["value", "unhandled"].contains($0.name) && $0.source == "chirp" }
            .compactMap(\.value)
    }

    /// Waits for chirps.
    func chirps(_ count: Int, from start: Int, within timeout: Duration) async throws -> [Data] {
        let deadline = ContinuousClock.now + timeout
        while true {
            let all = chirps(from: start)
            if all.count >= count { return all }
            guard ContinuousClock.now < deadline else {
                throw LabError("\(all.count) of \(count) chirps within \(timeout); \(agent.transcript.suffix(2000))")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    var transcript: String {
        let log = (try? String(contentsOf: folder.appendingPathComponent("log"), encoding: .utf8)) ?? ""
        return "log:\n\(log.suffix(3000))\n\(agent.transcript.suffix(3000))\n\(first.transcript.suffix(2000))"
    }

    // MARK: Life and death

    /// The process that runs, or ran last.
    var process: Int32 {
        get throws {
            guard let pid = events.last(where: { $0.name == "started" })?.fields["pid"] as? Int else {
                throw LabError("the program has not started:\n\(transcript)")
            }
            return Int32(pid)
        }
    }

    /// Whether the program runs.
    var isRunning: Bool {
        get throws { try Self.isRunning(process) }
    }

    private static func isRunning(_ process: Int32) -> Bool { ProcessStatus(of: process)?.hasEnded == false }

    /// Ends the program by a signal, and waits until it has ended.
    func kill(_ signal: Int32 = SIGKILL) async throws {
        let process = try process
        Glibc.kill(process, signal)
        try await waitUntil("process \(process) has ended") { ProcessStatus.isGone(process) }
    }

    /// Seconds that a start of the program takes, until its first line.
    func startTime() async throws -> TimeInterval {
        let start = Date()
        let other = try ChildProcess(
            FixtureProgram.product("RestorationDemo"), ["--idle", "--restore-identifier", "other"],
            environment: environment)
        try await other.line(containing: "started")
        let time = Date().timeIntervalSince(start)
        try await other.interrupt()
        return time
    }

    /// What the agent has put on disk.
    var record: String {
        (try? String(contentsOf: folder.appendingPathComponent("restoration.json"), encoding: .utf8)) ?? ""
    }

    /// Kills the agent, and waits until it has ended. Programs that it has started may go on with its output.
    func killAgent() async throws {
        let process = agent.identifier
        agent.signal(SIGKILL)
        try await waitUntil("the agent has ended") { !Self.isRunning(process) }
    }

    /// Starts the agent again.
    func startAgent() async throws {
        agent = try ChildProcess("bluejay", ["agent"], environment: environment)
        try await agent.line(containing: "listens on")
    }

    func waitUntil(
        _ what: String, within timeout: Duration = .seconds(30), _ condition: () throws -> Bool
    ) async throws {
        let deadline = ContinuousClock.now + timeout
        while try !condition() {
            guard ContinuousClock.now < deadline else { throw LabError("not in \(timeout): \(what)\n\(transcript)") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Ends everything in order.
    func stop() async throws {
        if try isRunning { try await kill(SIGTERM) }
        try await agent.interrupt()
        try? FileManager.default.removeItem(at: folder)
    }
}

/// Runs a test with the default sensor and a program that listens to it, and ends both, also when the test fails: the
/// next one needs the controllers.
///
/// - Parameters:
///   - listeningToRates: false to have only chirps, so that nothing comes that the test has not sent.
///   - startsAgent: false if the test starts the next agent.
func withRestoredProgram(
    listeningToRates: Bool = true, startsAgent: Bool = true,
    _ body: (Sensor, RestoredProgram) async throws -> Void
) async throws {
    let sensor = try await Sensor()
    do {
        let program = try await RestoredProgram(startsAgent: startsAgent)
        do {
            // The sensor may print this after the program listens. What it prints later is about what happens later.
            for name in ["heart-rate-measurement", "chirp"] {
                try await sensor.event(.subscribed) { $0.characteristic == name }
            }
            if !listeningToRates {
                try program.first.type("end rate")
                try await program.event("ended")
                try await sensor.event(.unsubscribed)
            }
            try await body(sensor, program)
            try await program.stop()
        } catch {
            _ = try? await program.stop()
            throw error
        }
        try await sensor.stop()
    } catch {
        _ = try? await sensor.stop()
        throw error
    }
}
