import Glibc
import VirtualRadio

/// Gives this machine's kernel a controller that is elsewhere: packets in the form H4 go to it and come from it.
///
/// The kernel gives up a controller that does not answer its first command within 2 s. So it gets it when the other end
/// answers. A command of its own finds that out, which any controller answers, if only by saying that it is unknown. It
/// is repeated, because what comes over a serial line before the other end has opened it may be lost, or not be noticed
/// until more comes.
final class RemoteController {
    private let port: SerialPort
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 12, alignment: 8)
    /// Of a vendor, and another one each time, because answers to an earlier process may still be on their way.
    private let opcode = 0xFC00 | Int(getpid()) & 0x3FF
    /// Before the command is repeated, in milliseconds.
    private static let pause: Int32 = 200

    init(_ path: String) throws(SystemError) {
        port = try SerialPort(path, to: .controller)
    }

    deinit {
        buffer.deallocate()
    }

    /// Returns when the other end has closed.
    func run() throws(SystemError) {
        awaitAnswer()
        guard !port.isOver else { return }
        let kernel = try VirtualHCI()
        while !port.isOver, !kernel.isOver {
            let ready = wait([port, kernel])
            // The kernel has not asked for the answers to what was repeated.
            if ready[0] { port.read(buffer) { if !answers($0) { kernel.write($0) } } }
            if ready[1] { kernel.read(buffer) { port.write($0) } }
        }
        if kernel.isOver { throw SystemError(text: "the kernel removed the controller") }
    }

    private func awaitAnswer() {
        let command: [UInt8] = [0x01, UInt8(opcode & 0xFF), UInt8(opcode >> 8), 0]
        var isAnswered = false
        while !isAnswered, !port.isOver {
            if !port.isWaitingForRoom { command.withUnsafeBytes { port.write($0) } }
            guard wait([port], atMost: Self.pause)[0] else { continue }
            port.read(buffer) { packet in isAnswered = isAnswered || answers(packet) }
        }
    }

    /// Whether a packet is Command Complete or Command Status of our command.
    private func answers(_ packet: UnsafeRawBufferPointer) -> Bool {
        guard packet.count >= 7, packet[0] == 0x04, packet[1] == 0x0E || packet[1] == 0x0F else { return false }
        let place = packet[1] == 0x0E ? 4 : 5
        return Int(packet[place]) | Int(packet[place + 1]) << 8 == opcode
    }

    /// Waits until there is something to read, and says where. What waits for room is written meanwhile.
    ///
    /// - Parameter limit: in milliseconds; none if negative.
    private func wait(_ transports: [any HCITransport], atMost limit: Int32 = -1) -> [Bool] {
        for transport in transports { transport.writeWaiting() }
        var polled = transports.map { transport in
            let events = transport.isWaitingForRoom ? POLLIN | POLLOUT : POLLIN
            return pollfd(fd: transport.descriptor, events: Int16(events), revents: 0)
        }
        guard poll(&polled, nfds_t(polled.count), limit) > 0 else { return transports.map { _ in false } }
        for (transport, place) in zip(transports, polled) where place.revents & Int16(POLLOUT) != 0 {
            transport.writeWaiting()
        }
        return polled.map { $0.revents & ~Int16(POLLOUT) != 0 }
    }
}
