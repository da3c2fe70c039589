import Glibc
import VirtualRadio

/// A host at the other end of a socket, with packets in the form H4: QEMU's serial port of a machine, or a program.
final class HostSocket: Attachment {
    let descriptor: Int32
    private var stream = PacketStream()
    /// What the host has not taken yet.
    private var waiting: [UInt8] = []
    private(set) var isOver = false

    /// A host that does not read for so many bytes, some 25,000 reports of advertisers, is given up.
    static let mostWaiting = 1 << 20
    /// Memory of so many bytes is kept for the next packets.
    private static let mostKept = 1 << 14

    /// Takes the descriptor over.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    var isWaitingForRoom: Bool { !waiting.isEmpty }

    func read(_ buffer: UnsafeMutableRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        guard count > 0 else {
            if count == 0 || errno != EAGAIN && errno != EINTR { isOver = true }
            return
        }
        stream.add(UnsafeRawBufferPointer(rebasing: buffer[..<count]), body)
        if stream.isMalformed { giveUp("it sent what is no packet of a host") }
    }

    /// The packets of a turn go together.
    func write(_ packet: UnsafeRawBufferPointer) {
        guard !isOver else { return }
        guard waiting.count + packet.count <= Self.mostWaiting else { return giveUp("it does not read") }
        waiting.append(contentsOf: packet)
    }

    func writeWaiting() {
        guard !waiting.isEmpty else { return }
        let sent = waiting.withUnsafeBytes { send($0) }
        if sent == waiting.count {
            waiting.removeAll(keepingCapacity: sent <= Self.mostKept)
        } else {
            waiting.removeFirst(sent)
        }
    }

    /// Returns how many bytes the socket has taken.
    private func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        while true {
            let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            guard count < 0 else { return count }
            if errno == EINTR { continue }
            // Otherwise the other end has closed.
            if errno != EAGAIN { isOver = true }
            return 0
        }
    }

    private func giveUp(_ reason: String) {
        isOver = true
        waiting = []
        VirtualRadioProgram.say("virtual-radio: a host at a socket is disconnected: \(reason)", to: STDERR_FILENO)
    }
}
