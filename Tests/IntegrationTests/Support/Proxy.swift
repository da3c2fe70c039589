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
    private let log: EventLog
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
        log = EventLog(of: process)
        try await event(.advertising, within: .seconds(60))
    }

    var events: [SensorEvent] { log.events }

    /// How many events there have been: where to look for later ones.
    var position: Int { log.events.count }

    /// Waits for an event.
    @discardableResult
    func event(
        _ kind: SensorEvent.Kind, from start: Int = 0, within timeout: Duration = .seconds(30),
        where condition: @Sendable (SensorEvent) -> Bool = { _ in true }
    ) async throws -> SensorEvent {
        try await log.event(kind, from: start, within: timeout, where: condition)
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
