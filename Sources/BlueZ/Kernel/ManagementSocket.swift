import Foundation
package import MainLoop
import Posix

/// The kernel's Bluetooth management interface, for one request.
@LoopActor
package final class ManagementSocket {
    private let descriptor: Int32
    private var reading: LoopSource?

    nonisolated static let afBluetooth: Int32 = 31
    nonisolated static let protocolHCI: Int32 = 1

    package init() throws(BlueZError) {
        descriptor = try Self.open(channel: .control)
    }

    /// The kernel's channels of HCI (`include/net/bluetooth/hci_sock.h`).
    enum Channel: UInt16 {
        /// A controller's own commands and events. To send most commands takes CAP_NET_RAW.
        case raw = 0
        /// The traffic of all controllers, for CAP_NET_RAW.
        case monitor = 2
        /// The management interface.
        case control = 3
    }

    /// A socket that never waits; the caller's to close.
    ///
    /// - Parameter controller: its index; none by default.
    nonisolated static func open(channel: Channel, controller: UInt16 = 0xFFFF) throws(BlueZError) -> Int32 {
        let descriptor = socket(
            afBluetooth, Int32(SOCK_RAW.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), protocolHCI)
        guard descriptor >= 0 else {
            throw .notSupported("the kernel's \(channel) channel: \(SystemError.reason())")
        }
        // struct sockaddr_hci: family, device, channel.
        let address: [UInt16] = [UInt16(afBluetooth), controller, channel.rawValue]
        let bound = address.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { bind(descriptor, $0.baseAddress, socklen_t(bytes.count)) }
        }
        guard bound == 0 else {
            let reason = SystemError.reason()
            Glibc.close(descriptor)
            throw .notSupported("the kernel's \(channel) channel: \(reason)")
        }
        return descriptor
    }

    isolated deinit {
        reading?.cancel()
        close(descriptor)
    }

    /// A device's address as the interface takes it: six bytes, the last one first, and the address's type.
    package nonisolated static func address(_ text: String, isRandom: Bool) throws(BlueZError) -> [UInt8] {
        let bytes = text.split(separator: ":").compactMap { UInt8($0, radix: 16) }
        guard bytes.count == 6 else { throw .invalidArguments("the address '\(text)'") }
        return bytes.reversed() + [isRandom ? 2 : 1]
    }

    /// Sends a command and waits for its Command Complete event.
    ///
    /// - Parameters:
    ///   - opcode: of the command (BlueZ `doc/mgmt-api.txt`).
    ///   - controller: its index, 0 for hci0.
    ///   - otherStatus: a status that comes with an answer of use, as success does.
    /// - Returns: what the event has beyond the command's status.
    package func request(
        opcode: UInt16, controller: UInt16, parameters: [UInt8], accepting otherStatus: UInt8? = nil
    ) async throws -> [UInt8] {
        func little(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
        let packet = little(opcode) + little(controller) + little(UInt16(parameters.count)) + parameters
        guard write(descriptor, packet, packet.count) == packet.count else {
            throw BlueZError.notSupported("the kernel's management interface: \(SystemError.reason())")
        }
        let outcome = FirstOutcome<Outcome>()
        reading = .descriptor(descriptor, [.readable, .hangUp]) { [weak self] _ in
            if let answer = self?.read(opcode, otherStatus) { outcome.report(answer) }
        }
        let answer = await outcome.value(within: .seconds(5), otherwise: .failure(.timedOut("management command")))
        reading?.cancel()
        return try answer.get()
    }

    private typealias Outcome = Result<[UInt8], BlueZError>

    /// Nil when the packet is about something else.
    private func read(_ opcode: UInt16, _ otherStatus: UInt8?) -> Outcome? {
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        guard count > 0 else {
            return errno == EAGAIN ? nil : .failure(.failed(name: "", message: SystemError.reason()))
        }
        // Header (event, controller, length), then the command's opcode and status.
        guard count >= 9, UInt16(buffer[6]) | UInt16(buffer[7]) << 8 == opcode else { return nil }
        switch buffer[8] {
        case 0x00, otherStatus: return .success(Array(buffer[9..<count]))
        case 0x02: return .failure(.notConnected)
        case 0x14: return .failure(.notSupported("the kernel asks for CAP_NET_ADMIN"))
        default: return .failure(.failed(name: "", message: "management status \(buffer[8])"))
        }
    }
}
