import Foundation

/// What the kernel reports to every program of its links, with no privilege.
package enum KernelLinks {
    /// `HCIGETCONNLIST`, `_IOR('H', 212, int)` of the kernel's `include/net/bluetooth/hci_sock.h`.
    private static let connectionList: UInt = 0x8004_48D4
    /// Of `struct hci_conn_info` there.
    private static let entrySize = 16
    /// `HCI_LM_ENCRYPT` in the link mode.
    private static let encrypted: UInt8 = 0x04
    /// More than a controller has.
    private static let maximumLinks = 64

    package enum Link: Swift.Sendable {
        case encrypted, unencrypted
        /// There is none, or no longer any: bluetoothd learns that later.
        case absent
    }

    /// An entry of the kernel's list.
    struct Entry: Hashable {
        /// The number of the link between the kernel and its controller.
        let handle: UInt16
        /// The low byte of the link mode.
        let mode: UInt8

        var isEncrypted: Bool { mode & KernelLinks.encrypted != 0 }
    }

    /// The link to a device.
    ///
    /// - Parameters:
    ///   - controller: its index, 0 for hci0.
    ///   - address: of the device, as bluetoothd has it.
    /// - Returns: nil if the kernel cannot be asked, as in a container with a network namespace of its own.
    package static func link(controller: UInt16, address: String) -> Link? {
        guard let list = list(of: controller) else { return nil }
        guard let entry = entry(of: address, in: list) else { return .absent }
        return entry.isEncrypted ? .encrypted : .unencrypted
    }

    /// What the kernel has of the link to a device; nil if there is none, or the kernel cannot be asked.
    static func entry(controller: UInt16, address: String) -> Entry? {
        list(of: controller).flatMap { entry(of: address, in: $0) }
    }

    private static func list(of controller: UInt16) -> [UInt8]? {
        let descriptor = socket(ManagementSocket.afBluetooth, openFlags, ManagementSocket.protocolHCI)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // struct hci_conn_list_req: the controller, how many links there is room for, the links.
        var list = [UInt8](repeating: 0, count: 4 + maximumLinks * entrySize)
        (list[0], list[1]) = (UInt8(controller & 0xFF), UInt8(controller >> 8))
        list[2] = UInt8(maximumLinks)
        return ioctl(descriptor, connectionList, &list) == 0 ? list : nil
    }

    private static let openFlags = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue)

    /// The link to an address in a list as the kernel lays it out.
    static func entry(of address: String, in list: [UInt8]) -> Entry? {
        guard let peer = try? ManagementSocket.address(address, isRandom: false).prefix(6) else { return nil }
        // struct hci_conn_info: handle, address, type, direction, state, and from byte 12 on the mode.
        let starts = stride(from: 4, through: list.count - entrySize, by: entrySize).prefix(Int(list[2]))
        guard let start = starts.first(where: { list[($0 + 2)..<($0 + 8)].elementsEqual(peer) }) else { return nil }
        let handle = UInt16(list[start]) | UInt16(list[start + 1]) << 8
        return Entry(handle: handle, mode: list[start + 12])
    }
}
