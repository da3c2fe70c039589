import DBus
import Foundation

extension Device {
    /// How long the kernel may take to set up a link that bluetoothd has reported.
    private static let linkSetupTime: Duration = .seconds(2)

    /// Asks the kernel for the RSSI of the link in dBm; 127 when the controller does not know it.
    ///
    /// bluetoothd reports the RSSI of advertisements only. The kernel's management interface has that of a link ("Get
    /// Connection Information", BlueZ `doc/mgmt-api.txt`), to programs with CAP_NET_ADMIN.
    ///
    /// - Throws: ``BlueZError/notSupported(_:)`` without the privilege, ``BlueZError/notConnected``.
    package func readRSSI() async throws -> Int {
        guard isConnected else { throw BlueZError.notConnected }
        guard let index = adapter?.index else { throw BlueZError.objectRemoved(path.string) }
        let peer = try ManagementSocket.address(address, isRandom: addressType == "random")
        let socket = try ManagementSocket()
        let deadline = ContinuousClock.now + Self.linkSetupTime
        var answer: [UInt8]?
        while answer == nil {
            do {
                // "Failed" comes with the answer of a controller that knows the RSSI, or does not, but not the transmit
                // power.
                answer = try await socket.request(opcode: 0x0031, controller: index, parameters: peer, accepting: 0x03)
            } catch BlueZError.notConnected where isConnected && ContinuousClock.now < deadline {
                // The kernel reports a link to bluetoothd first, and counts it as connected once it knows the other
                // end's features.
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        guard let answer, answer.count >= 8 else {
            throw BlueZError.failed(name: "", message: "truncated reply from the kernel")
        }
        return Int(Int8(bitPattern: answer[7]))
    }
}
