import Foundation

/// The lab that this process runs in: a machine with virtual controllers, a system bus and bluetoothd (`./lab run`).
public struct Lab: Swift.Sendable {
    /// The names of the controllers: `hci0`, `hci1`, …
    public let controllers: [String]
    /// What is put here is kept when the lab ends.
    public let output: URL

    /// The lab around this process; nil outside of one.
    public static let current: Lab? = {
        let environment = ProcessInfo.processInfo.environment
        guard environment["BLUETOOTH_LAB"] == "1" else { return nil }
        let count = environment["LAB_CONTROLLERS"].flatMap(Int.init) ?? 2
        let output = environment["LAB_OUT"] ?? NSTemporaryDirectory()
        return Lab(controllers: (0..<count).map { "hci\($0)" }, output: URL(fileURLWithPath: output))
    }()

    /// Stops, kills or starts the lab's bluetoothd, and returns when that is done.
    public func bluetoothd(_ action: BluetoothdAction) async throws {
        let process = try ChildProcess("lab-bluetoothd", [action.rawValue])
        let status = try await process.exitStatus(within: .seconds(30))
        guard status == 0 else { throw LabError("lab-bluetoothd \(action.rawValue) failed: \(process.transcript)") }
    }

    public enum BluetoothdAction: String, Swift.Sendable {
        case start, stop, kill, restart
    }
}

/// Something that was expected did not happen. The message says what, and what was seen instead.
public struct LabError: Error, CustomStringConvertible, Swift.Sendable {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}
