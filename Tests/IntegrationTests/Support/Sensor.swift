import BluetoothLab
import Foundation
import Synchronization

/// A dittojay under test.
final class Sensor: Sendable {
    let process: ChildProcess
    let socket: String
    private let wasStopped = Mutex(false)

    /// Starts dittojay and waits until it advertises.
    convenience init(_ options: String...) async throws {
        try await self.init(options)
    }

    init(_ options: [String]) async throws {
        socket = NSTemporaryDirectory() + "/sensor-\(UUID().uuidString.prefix(8)).sock"
        process = try ChildProcess(
            on: Lab.sensorHost, "dittojay",
            ["run", "--json", "--adapter", Lab.sensorAdapter, "--socket", socket] + options)
        try await event("advertising")
    }

    /// Waits for a line with this event.
    @discardableResult
    func event(
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

    /// How many lines it has printed: where to look for what comes from now on.
    var position: Int { process.lines.count }

    /// Starts another dittojay that talks to this one.
    func client(_ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(on: Lab.sensorHost, "dittojay", arguments, environment: ["DITTOJAY_SOCKET": socket])
    }

    /// Runs another dittojay that talks to this one.
    @discardableResult
    func command(_ arguments: String..., expecting status: Int32 = 0, within timeout: Duration = .seconds(60))
        async throws -> ChildProcess
    {
        let client = try client(arguments)
        let actual = try await client.exitStatus(within: timeout)
        guard actual == status else {
            throw LabError("exit status \(actual), not \(status): \(client.transcript)\n\(process.transcript)")
        }
        return client
    }

    /// Ends it as its user does, or by another signal, and checks that it ends well.
    func stop(by signal: Int32 = SIGINT) async throws {
        wasStopped.withLock { $0 = true }
        process.signal(signal)
        let status = try await process.exitStatus()
        guard status == 0 else { throw LabError("dittojay ended with \(status):\n\(process.transcript)") }
    }

    /// A test that gets no further than here has failed: what the sensor saw may tell why.
    deinit {
        guard !wasStopped.withLock(\.self) else { return }
        print("left by a test: \(process.transcript)\n\(process.outcome)")
        Task { print(try await Lab.here.describeDevices()) }
    }
}
