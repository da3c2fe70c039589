import Foundation
import MainLoop
import Posix

/// A physical layer of LE (Core Specification, Vol 6, Part A, 2.3).
package enum LinkPHY: UInt8, Swift.Sendable {
    case oneMegabit = 1
    case twoMegabit = 2
    case coded = 3
}

/// The physical layers of a link.
package struct LinkPHYs: Hashable, Swift.Sendable {
    package let sending: LinkPHY
    package let receiving: LinkPHY

    /// Asks the controller (LE Read PHY). The kernel knows it and reports it only to the owner of a socket over the
    /// link (`BT_PHY`), which bluetoothd is.
    ///
    /// - Returns: nil without CAP_NET_RAW, or without an answer.
    static func read(controller: UInt16, handle: UInt16) async -> LinkPHYs? {
        guard let answer = try? await HCICommand.send(0x2030, handle.littleBytes, to: controller) else { return nil }
        switch answer.first {
        // Unknown HCI Command: a controller that has no other physical layer.
        case 0x01: return LinkPHYs(sending: .oneMegabit, receiving: .oneMegabit)
        // Status, handle, what it sends on and what it receives on.
        case 0x00 where answer.count >= 5:
            guard let sending = LinkPHY(rawValue: answer[3]), let receiving = LinkPHY(rawValue: answer[4]) else {
                return nil
            }
            return LinkPHYs(sending: sending, receiving: receiving)
        default: return nil
        }
    }
}

/// A command to a controller beside those of the kernel, of the kind that only asks.
@LoopActor
private enum HCICommand {
    private static let filter: Int32 = 2
    private static let timeout: Duration = .seconds(2)

    /// - Returns: what the Command Complete event has from the status on; empty when there was none in time.
    static func send(_ opcode: UInt16, _ parameters: [UInt8], to controller: UInt16) async throws(BlueZError) -> [UInt8]
    {
        let descriptor = try ManagementSocket.open(channel: .raw, controller: controller)
        defer { close(descriptor) }
        // struct hci_filter: packet types (events), events (Command Complete and Command Status), opcode.
        var filter = UInt32(1 << 4).littleBytes + UInt32(1 << 14 | 1 << 15).littleBytes + [0, 0, 0, 0]
        filter += opcode.littleBytes + [0, 0]
        let command: [UInt8] = [0x01] + opcode.littleBytes + [UInt8(parameters.count)] + parameters
        guard setsockopt(descriptor, 0, Self.filter, &filter, socklen_t(filter.count)) == 0,
            write(descriptor, command, command.count) == command.count
        else { throw .notSupported("HCI commands: \(SystemError.reason())") }
        let outcome = FirstOutcome<[UInt8]>()
        let reading = LoopSource.descriptor(descriptor, [.readable, .hangUp]) { _ in
            var buffer = [UInt8](repeating: 0, count: 260)
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            // Packet type, event, length; Command Complete: packets, opcode; Command Status: status, packets, opcode.
            guard count >= 7, buffer[0] == 0x04 else { return }
            switch buffer[1] {
            case 0x0E where buffer[4..<6].elementsEqual(opcode.littleBytes): outcome.report(Array(buffer[6..<count]))
            case 0x0F where buffer[5..<7].elementsEqual(opcode.littleBytes): outcome.report([buffer[3]])
            default: break
            }
        }
        defer { reading.cancel() }
        return await outcome.value(within: timeout, otherwise: [])
    }
}

extension FixedWidthInteger {
    fileprivate var littleBytes: [UInt8] {
        (0..<(Self.bitWidth / 8)).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
    }
}
