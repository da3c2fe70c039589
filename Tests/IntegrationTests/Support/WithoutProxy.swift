import BluetoothLab
import CoreBluetooth
import Foundation
import Testing

extension Trait where Self == ConditionTrait {
    /// Leaves a test out when sensors have a proxy in front of them (`LAB_PROXY=1`).
    ///
    /// - Parameter subject: what the test is about, which a proxy does not pass on.
    static func withoutProxy(_ subject: Comment) -> Self {
        .disabled(if: ProcessInfo.processInfo.environment["LAB_PROXY"] == "1", subject)
    }
}

extension UUID {
    /// Whether it is that of the sensor that has a proxy in front of it. It advertises while the proxy is connected.
    var isBehindProxy: Bool {
        ProcessInfo.processInfo.environment["LAB_PROXY"] == "1"
            && CBPeer.bluetoothAddress(forIdentifier: self) == Lab.address(ofController: 0)
    }
}
