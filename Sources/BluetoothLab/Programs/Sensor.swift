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
    private let log: EventLog
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
            try await EventLog(of: sensor).event(.advertising, within: .seconds(60))
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
        log = EventLog(of: process)
        // In software emulation on a busy machine the start alone took more than 20 seconds.
        try await event(.advertising, within: .seconds(60))
    }

    /// All events until now.
    public var events: [SensorEvent] { log.events }

    /// How many events there have been: where to look for later ones.
    public var position: Int { log.events.count }

    /// Waits for an event, among those that have come and those that come:
    /// `try await sensor.event(.written) { $0.value == Data([2]) }`.
    ///
    /// - Parameters:
    ///   - kind: what has happened.
    ///   - count: how many such events to wait for; the last one is returned.
    ///   - start: how many events to leave out: a ``position`` at an earlier moment.
    ///   - timeout: how long to wait for all of them.
    ///   - condition: what else such an event has to fulfil.
    /// - Throws: ``LabError`` with what dittojay has printed, if they do not come in time or dittojay ends before.
    @discardableResult
    public func event(
        _ kind: SensorEvent.Kind, count: Int = 1, from start: Int = 0, within timeout: Duration = .seconds(20),
        where condition: @Sendable (SensorEvent) -> Bool = { _ in true }
    ) async throws -> SensorEvent {
        try await log.event(kind, count: count, from: start, within: timeout, where: condition)
    }

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
