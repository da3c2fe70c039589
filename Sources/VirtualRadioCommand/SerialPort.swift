import Glibc
import VirtualRadio

/// A host or a controller at the other end of a socket or a serial port, with packets in the form H4: another machine,
/// or a program.
final class SerialPort: HCITransport {
    let descriptor: Int32
    private let other: PacketStream.Sender
    private let isSocket: Bool
    private var stream: PacketStream
    /// What the other end has not taken yet.
    private var waiting: [UInt8] = []
    private(set) var isOver = false

    /// A peer that does not read for this many bytes, some 25,000 advertising reports, is disconnected.
    static let maximumWaiting = 1 << 20
    /// Memory of this many bytes is kept for the next packets.
    private static let maximumKept = 1 << 14

    /// Takes the descriptor over, which does not block.
    init(_ descriptor: Int32, isSocket: Bool, to other: PacketStream.Sender) {
        self.descriptor = descriptor
        self.isSocket = isSocket
        self.other = other
        stream = PacketStream(from: other)
    }

    /// Opens a device, or connects to a Unix socket.
    convenience init(_ path: String, to other: PacketStream.Sender) throws(SystemError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw SystemError("cannot open \(path)") }
        let isSocket = status.st_mode & S_IFMT == S_IFSOCK
        let descriptor = try isSocket ? UnixSocket.connect(path) : Self.open(path)
        self.init(descriptor, isSocket: isSocket, to: other)
    }

    private static func open(_ path: String) throws(SystemError) -> Int32 {
        let descriptor = Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw SystemError("cannot open \(path)") }
        var attributes = termios()
        if tcgetattr(descriptor, &attributes) == 0 {
            cfmakeraw(&attributes)
            tcsetattr(descriptor, TCSANOW, &attributes)
        }
        return descriptor
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
        if stream.isMalformed { giveUp("it sent an invalid HCI packet") }
    }

    /// The packets of a turn go together.
    func write(_ packet: UnsafeRawBufferPointer) {
        guard !isOver else { return }
        guard waiting.count + packet.count <= Self.maximumWaiting else { return giveUp("it does not read its packets") }
        waiting.append(contentsOf: packet)
    }

    func writeWaiting() {
        guard !waiting.isEmpty else { return }
        let sent = waiting.withUnsafeBytes { send($0) }
        if sent == waiting.count {
            waiting.removeAll(keepingCapacity: sent <= Self.maximumKept)
        } else {
            waiting.removeFirst(sent)
        }
    }

    /// Returns how many bytes were taken.
    private func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        while true {
            let count =
                isSocket
                ? Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                : Glibc.write(descriptor, bytes.baseAddress, bytes.count)
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
        VirtualRadioProgram.say("virtual-radio: disconnected a \(other): \(reason)", to: STDERR_FILENO)
    }
}
