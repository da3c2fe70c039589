import Foundation

/// Notes between the packets of an HCI capture. The kernel's logging channel is where bluetoothd writes its log, too;
/// btmon and Wireshark show them (BlueZ: `src/shared/log.c`).
enum CaptureNote {
    private static let bluetoothFamily: UInt16 = 31
    private static let hciProtocol: Int32 = 1
    private static let noController: UInt16 = 0xFFFF
    private static let loggingChannel: UInt16 = 4
    private static let informational: UInt8 = 6
    private static let identity = Array("BluetoothLab".utf8) + [0]
    private static let longest = 500

    /// Nil where the channel cannot be had, which takes the capability CAP_NET_ADMIN.
    private static let channel: Int32? = {
        let descriptor = socket(
            Int32(bluetoothFamily), Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), hciProtocol)
        guard descriptor >= 0 else { return nil }
        let address = [bluetoothFamily, noController, loggingChannel]  // struct sockaddr_hci
        let isBound = address.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { bind(descriptor, $0.baseAddress, 6) == 0 }
        }
        guard isBound else {
            close(descriptor)
            return nil
        }
        return descriptor
    }()

    /// Writes a note; false when there is no channel for it.
    @discardableResult
    static func write(_ text: String) -> Bool {
        guard let channel else { return false }
        let content = [informational, UInt8(identity.count)] + identity + Array(text.utf8.prefix(longest)) + [0]
        let message = littleEndian(0) + littleEndian(noController) + littleEndian(UInt16(content.count)) + content
        return send(channel, message, message.count, Int32(MSG_NOSIGNAL)) == message.count
    }

    private static func littleEndian(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
}
