import Logging
import MainLoop

extension Device {
    /// Ends the link, and returns when the kernel has ended it or bluetoothd has been asked to.
    ///
    /// bluetoothd takes 2 s and more (`DISCONNECT_TIMER` in src/device.c), the kernel none. It does so for programs
    /// with CAP_NET_ADMIN. bluetoothd has handled what it was sent before, such as answers to requests of this device:
    /// it may crash when a link ends while it waits for one (5.66).
    package func endLink() async throws {
        guard let session, let connection = session.connection, let controller = adapter?.index else {
            return try await disconnect()
        }
        await connection.confirmReceipt()
        do {
            let peer = try ManagementSocket.address(address, isRandom: addressType == "random")
            try await session.endLink(controller, peer)
        } catch {
            logger.debug("the kernel does not end the link to \(address): \(error)")
            // It may have ended by itself meanwhile.
            if isConnected { try await disconnect() }
        }
    }
}

extension ManagementSocket {
    /// "Disconnect": ends a link at once.
    ///
    /// - Parameters:
    ///   - controller: its index, 0 for hci0.
    ///   - peer: the device's address as the interface takes it.
    package static func endLink(controller: UInt16, peer: [UInt8]) async throws {
        _ = try await ManagementSocket().request(opcode: 0x0014, controller: controller, parameters: peer)
    }
}
