public import Foundation
import Synchronization

/// A dittojay under test: a virtual peripheral on the lab's first controller.
///
/// With `LAB_PROXY=1` and four controllers a `dittojay proxy` is in front of it. Then ``process``, and so the events,
/// are the proxy's, and commands go to the sensor behind it. So a suite shows that a central notices no difference.
public final class Sensor: Swift.Sendable {
    /// What a peripheral is to be.
    public struct Setup: Swift.Sendable {
        /// The options of `dittojay run`.
        public let options: [String]

        /// The heart-rate sensor that dittojay is by itself, once a second a value.
        public static let `default` = Setup(options: [])

        /// The peripheral that a profile file describes (`docs/profiles.md`).
        ///
        /// - Parameter path: of the file; a relative one begins in the folder that the tests run in, which is the
        ///   package's.
        public static func profile(_ path: String) -> Setup { Setup(options: ["--profile", path]) }

        /// A dittojay with these options of `dittojay run`, such as `"--rate", "20"`.
        public static func dittojay(_ options: String...) -> Setup { Setup(options: options) }
    }

    /// The sensor that a test's ``BluetoothLabTrait`` has started for it.
    @TaskLocal static var current: Sensor?

    /// The sensor that a test has got by `.bluetoothLab(sensor:)`. Throws a ``LabError`` when there is none.
    public static var here: Sensor {
        get throws {
            guard let current else { throw LabError("this test has no sensor: .bluetoothLab(sensor: .default)") }
            return current
        }
    }

    /// The program, with all that it prints: an event a line, as JSON.
    public let process: ChildProcess
    /// The sensor behind the proxy, if there is one.
    private let device: ChildProcess?
    /// The path of its control socket.
    public let socket: String

    /// Starts dittojay with these options of `dittojay run` and waits until it advertises.
    public convenience init(_ options: String...) async throws {
        try await self.init(Setup(options: options))
    }

    /// The same with the options in an array.
    public convenience init(_ options: [String]) async throws {
        try await self.init(Setup(options: options))
    }

    /// Starts dittojay and waits until it advertises. Throws a ``LabError`` with what it printed if it does not.
    public init(_ setup: Setup) async throws {
        socket = NSTemporaryDirectory() + "/sensor-\(UUID().uuidString.prefix(8)).sock"
        let sensor = try ChildProcess(
            on: Lab.sensorHost, "dittojay",
            ["run", "--json", "--adapter", Lab.deviceAdapter, "--socket", socket] + setup.options)
        if Lab.hasProxies {
            try await sensor.line(containing: "\"event\":\"advertising\"", within: .seconds(60))
            device = sensor
            process = try ChildProcess(
                on: Lab.sensorHost, "dittojay",
                [
                    "proxy", Lab.deviceAddress, "--json", "--no-socket", "--connect-timeout", "60", "--device-adapter",
                    Lab.proxyAdapter, "--adapter", Lab.sensorAdapter,
                ])
        } else {
            device = nil
            process = sensor
        }
        // In software emulation on a busy machine the start alone took more than 20 seconds.
        try await event("advertising", within: .seconds(60))
    }

    /// Waits for a line with this event, such as `subscribed` or `written`, and returns it.
    ///
    /// - Parameters:
    ///   - more: what else the line must contain, such as a characteristic's name.
    ///   - start: how many lines to leave out: a ``position`` at an earlier moment.
    @discardableResult
    public func event(
        _ name: String, _ more: String = "", from start: Int = 0, within timeout: Duration = .seconds(20)
    ) async throws -> String {
        let wanted = "\"event\":\"\(name)\""
        var position = start
        let deadline = ContinuousClock.now + timeout
        while true {
            let left = deadline - .now
            let line = try await process.line(containing: wanted, from: position, within: max(left, .milliseconds(1)))
            if more.isEmpty || line.contains(more) { return line }
            position += (process.lines.dropFirst(position).firstIndex(of: line).map { $0 + 1 - position }) ?? 1
        }
    }

    /// Waits for this many lines with an event.
    ///
    /// - Parameters:
    ///   - start: how many lines to leave out: a ``position`` at an earlier moment.
    ///   - timeout: how long to wait for each.
    public func events(_ name: String, _ count: Int, from start: Int = 0, within timeout: Duration = .seconds(60))
        async throws
    {
        let wanted = "\"event\":\"\(name)\""
        var position = start
        for _ in 0..<count {
            try await process.line(containing: wanted, from: position, within: timeout)
            let index = process.lines.dropFirst(position).firstIndex { $0.contains(wanted) }
            position = (index ?? position) + 1
        }
    }

    /// How many lines it has printed: where to look for what comes later.
    public var position: Int { process.lines.count }

    /// Starts another dittojay that talks to this one, such as `client(["burst", "--count", "100"])`.
    public func client(_ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(on: Lab.sensorHost, "dittojay", arguments, environment: ["DITTOJAY_SOCKET": socket])
    }

    /// Runs another dittojay that talks to this one, such as `command("chirp", "hello")`, and returns it when it has
    /// ended. Throws a ``LabError`` with what it printed when it ends with another exit status.
    @discardableResult
    public func command(_ arguments: String..., expecting status: Int32 = 0, within timeout: Duration = .seconds(60))
        async throws -> ChildProcess
    {
        let client = try client(arguments)
        let actual = try await client.exitStatus(within: timeout)
        guard actual == status else {
            throw LabError("exit status \(actual), not \(status): \(client.transcript)\n\(process.transcript)")
        }
        return client
    }

    /// Types a line into dittojay's terminal, such as `- chirp`, which takes less time than another program.
    public func type(_ line: String) throws { try (device ?? process).type(line) }

    /// Ends it as its user does, or by another signal, unless it has ended already. Throws a ``LabError`` when it does
    /// not end well.
    public func stop(by signal: Int32 = SIGINT) async throws {
        for process in [process, device].compactMap(\.self) {
            if process.isRunning { process.signal(signal) }
            let status = try await process.exitStatus()
            guard status == 0 else { throw LabError("dittojay ended with \(status):\n\(process.transcript)") }
        }
    }
}
