import Foundation

/// What the kernel tells every program of its links, with no privilege.
package enum KernelLinks {
    /// `HCIGETCONNLIST`, `_IOR('H', 212, int)` of the kernel's `include/net/bluetooth/hci_sock.h`.
    private static let connectionList: UInt = 0x8004_48D4
    /// Of `struct hci_conn_info` there.
    private static let entrySize = 16
    /// `HCI_LM_ENCRYPT` in the link mode.
    private static let encrypted: UInt8 = 0x04
    /// More than a controller has.
    private static let mostLinks = 64

    package enum Link: Swift.Sendable {
        case encrypted, unencrypted
        /// There is none, or none any more: bluetoothd learns that later.
        case absent
    }

    /// The link to a device.
    ///
    /// - Parameters:
    ///   - controller: its index, 0 for hci0.
    ///   - address: of the device, as bluetoothd has it.
    /// - Returns: nil if the kernel cannot be asked, as in a container with a network namespace of its own.
    package static func link(controller: UInt16, address: String) -> Link? {
        guard let peer = try? ManagementSocket.address(address, isRandom: false).prefix(6) else { return nil }
        let descriptor = socket(ManagementSocket.afBluetooth, openFlags, ManagementSocket.protocolHCI)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // struct hci_conn_list_req: the controller, how many links there is room for, the links.
        var list = [UInt8](repeating: 0, count: 4 + mostLinks * entrySize)
        (list[0], list[1]) = (UInt8(controller & 0xFF), UInt8(controller >> 8))
        list[2] = UInt8(mostLinks)
        guard ioctl(descriptor, connectionList, &list) == 0 else { return nil }
        guard let mode = mode(of: peer, in: list) else { return .absent }
        return mode & encrypted != 0 ? .encrypted : .unencrypted
    }

    private static let openFlags = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue)

    /// The low byte of the mode of the link to an address, last byte first.
    static func mode(of peer: some Collection<UInt8>, in list: [UInt8]) -> UInt8? {
        // struct hci_conn_info: handle, address, type, direction, state, and from byte 12 on the mode.
        stride(from: 4, through: list.count - entrySize, by: entrySize).prefix(Int(list[2]))
            .first { list[($0 + 2)..<($0 + 8)].elementsEqual(peer) }
            .map { list[$0 + 12] }
    }
}
