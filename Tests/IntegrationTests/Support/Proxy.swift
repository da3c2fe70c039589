import BluetoothLab
import Foundation

/// A `dittojay proxy` in front of the sensor of the lab's first controller: it reaches that with the third one, and is
/// offered with the fourth. The second is the central's.
final class Proxy: Sendable {
    static let deviceAdapter = "hci2"
    static let adapter = "hci3"
    /// Where centrals find it.
    static let address = Lab.address(ofController: 3)

    let process: ChildProcess
    let socket: String

    /// Starts it and waits until it advertises.
    init(_ options: String...) async throws {
        socket = NSTemporaryDirectory() + "/proxy-\(UUID().uuidString.prefix(8)).sock"
        process = try ChildProcess(
            "dittojay",
            [
                "proxy", Lab.sensorAddress, "--json", "--device-adapter", Self.deviceAdapter, "--adapter", Self.adapter,
                "--socket", socket, "--connect-timeout", "60",
            ] + options)
        try await event("advertising", within: .seconds(60))
    }

    /// How many lines it has printed: where to look for what comes later.
    var position: Int { process.lines.count }

    /// Waits for an event, and returns its line.
    @discardableResult
    func event(
        _ name: String, _ more: String = "", from start: Int = 0, within timeout: Duration = .seconds(30)
    ) async throws -> String {
        let deadline = ContinuousClock.now + timeout
        var position = start
        while true {
            let line = try await process.line(
                containing: "\"event\":\"\(name)\"", from: position,
                within: max(deadline - .now, .milliseconds(1)))
            if more.isEmpty || line.contains(more) { return line }
            position = (process.lines.dropFirst(position).firstIndex(of: line) ?? position) + 1
        }
    }

    /// Runs another dittojay that talks to it.
    @discardableResult
    func command(_ arguments: String...) async throws -> ChildProcess {
        let client = try ChildProcess("dittojay", arguments, environment: ["DITTOJAY_SOCKET": socket])
        let status = try await client.exitStatus(within: .seconds(60))
        guard status == 0 else { throw LabError("exit status \(status): \(client.transcript)\n\(process.transcript)") }
        return client
    }

    /// Ends it as its user does.
    func stop() async throws {
        if process.isRunning { process.signal(SIGINT) }
        let status = try await process.exitStatus()
        guard status == 0 else { throw LabError("the proxy ended with \(status):\n\(process.transcript)") }
    }
}
