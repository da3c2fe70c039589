import Foundation
import MainLoop

/// The end of a link, as the kernel reports it.
package struct EndedLink: Hashable, Swift.Sendable {
    /// The controller's index, 0 for hci0.
    package var controller: UInt16
    package var address: String
    package var reason: DisconnectionReason

    package init(controller: UInt16, address: String, reason: DisconnectionReason) {
        self.controller = controller
        self.address = address
        self.reason = reason
    }
}

/// Keeps the kernel's reports of links that have ended until they are asked for.
///
/// The kernel reports the end of a link to bluetoothd and to this program at the same time, so the report is here when
/// bluetoothd's comes over the bus. All other events are filtered out: among them is every advertisement of a scan.
@LoopActor
final class DisconnectionMonitor {
    private var descriptor: Int32?

    /// `MGMT_EV_DEVICE_DISCONNECTED` of BlueZ's `lib/mgmt.h`.
    private nonisolated static let event: UInt16 = 0x000C
    private nonisolated static let headerLength = 6

    nonisolated init() {}

    /// Begins. Without CAP_NET_ADMIN the kernel reports nothing, and without Bluetooth in the kernel there is nothing
    /// to report.
    func open() {
        guard descriptor == nil, let socket = try? ManagementSocket.open(channel: .control) else { return }
        Self.filter(socket)
        descriptor = socket
    }

    isolated deinit {
        if let descriptor { close(descriptor) }
    }

    /// The links that have ended since this was called last, the oldest first.
    func read() -> [EndedLink] {
        guard let descriptor else { return [] }
        var ends: [EndedLink] = []
        var buffer = [UInt8](repeating: 0, count: 64)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return ends }
            if let end = Self.end(in: buffer[..<count]) { ends.append(end) }
        }
    }

    /// Takes a packet of the management interface apart; nil if it is about something else.
    nonisolated static func end(in packet: ArraySlice<UInt8>) -> EndedLink? {
        // Event, controller and length, then the address, its type and the reason.
        guard packet.count >= headerLength + 8 else { return nil }
        let bytes = Array(packet)
        func word(_ offset: Int) -> UInt16 { UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8 }
        guard word(0) == event else { return nil }
        let address = bytes[6..<12].reversed().map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        return EndedLink(
            controller: word(2), address: address.joined(separator: ":"),
            reason: DisconnectionReason(rawValue: bytes[13]) ?? .unknown)
    }

    /// An instruction of the kernel's packet filters (`struct sock_filter` of `linux/filter.h`).
    private struct Instruction {
        var code: UInt16
        var ifTrue: UInt8 = 0
        var ifFalse: UInt8 = 0
        var operand: UInt32
    }

    /// `struct sock_fprog`
    private struct Program {
        var count: UInt16
        var instructions: UnsafePointer<Instruction>
    }

    /// Lets nothing but ``event`` into the socket.
    private nonisolated static func filter(_ socket: Int32) {
        // Filters read numbers with their highest byte first; this interface has the lowest first.
        let instructions = [
            Instruction(code: 0x28, operand: 0),  // load 16 bits at 0
            Instruction(code: 0x15, ifFalse: 1, operand: UInt32(event.byteSwapped)),  // equal?
            Instruction(code: 0x06, operand: .max),  // take all of it
            Instruction(code: 0x06, operand: 0),  // drop it
        ]
        instructions.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            var program = Program(count: UInt16(buffer.count), instructions: base)
            _ = setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, socklen_t(MemoryLayout<Program>.size))
        }
    }
}
