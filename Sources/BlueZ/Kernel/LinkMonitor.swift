import Foundation
package import MainLoop

/// Follows what links agree on, from its making on.
///
/// The kernel answers no question about the parameters of a link: neither its management interface, nor ioctl, nor
/// debugfs has them (Linux 6.12). They are in the events of the controller, which the monitor channel shows to programs
/// with CAP_NET_RAW while they come.
@LoopActor
package final class LinkMonitor {
    private let descriptor: Int32
    private var reading: LoopSource?
    private var tables: [UInt16: LinkParameterTable] = [:]

    /// `HCI_MON_EVENT_PKT` of the kernel's `include/net/bluetooth/hci_mon.h`.
    private static let eventPacket: UInt16 = 3
    /// Longer than any packet of HCI with its header.
    private static let longestPacket = 4096
    private static let packetsPerTurn = 256

    /// - Throws: ``BlueZError/notSupported(_:)`` without the privilege, or without Bluetooth in the kernel.
    package init() throws(BlueZError) {
        descriptor = try ManagementSocket.open(channel: .monitor)
        reading = .descriptor(descriptor, [.readable]) { [weak self] _ in self?.read() }
    }

    isolated deinit {
        reading?.cancel()
        close(descriptor)
    }

    /// What the link to a device has agreed on; nil if it was there before this monitor.
    ///
    /// - Parameters:
    ///   - controller: its index, 0 for hci0.
    ///   - address: of the device, as bluetoothd has it.
    package func parameters(controller: UInt16, address: String) -> LinkParameters? {
        read()
        return KernelLinks.entry(controller: controller, address: address).flatMap {
            tables[controller]?.parameters[$0.handle]
        }
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: Self.longestPacket)
        for _ in 0..<Self.packetsPerTurn {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            // Header: kind, controller, length.
            guard count >= 6 else { return }
            func word(_ offset: Int) -> UInt16 { UInt16(buffer[offset]) | UInt16(buffer[offset + 1]) << 8 }
            guard word(0) == Self.eventPacket else { continue }
            tables[word(2), default: LinkParameterTable()].take(buffer[6..<count])
        }
    }
}
