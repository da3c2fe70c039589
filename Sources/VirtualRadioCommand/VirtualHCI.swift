import Glibc

/// A controller of this machine's kernel that this process plays, by `/dev/vhci`. Each read and each write is a packet.
final class VirtualHCI: Attachment {
    let descriptor: Int32
    private let packetsAtOnce = 32
    private(set) var isOver = false
    /// The kernel takes everything.
    let isWaitingForRoom = false

    /// Makes the kernel add a controller.
    init() throws(SystemError) {
        descriptor = open("/dev/vhci", O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError("cannot open /dev/vhci") }
        // A packet for the driver itself: make a primary controller.
        let request: [UInt8] = [0xFF, 0x00]
        guard Glibc.write(descriptor, request, request.count) == request.count else {
            let error = SystemError("cannot add a controller by /dev/vhci")
            close(descriptor)
            throw error
        }
    }

    deinit {
        close(descriptor)
    }

    func read(_ buffer: UnsafeMutableRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        for _ in 0..<packetsAtOnce {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            guard count > 0 else {
                // Otherwise the kernel does not have the controller any more.
                isOver = count == 0 || errno != EAGAIN && errno != EINTR
                return
            }
            body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// The kernel takes the packet or is about to remove the controller.
    func write(_ packet: UnsafeRawBufferPointer) {
        while Glibc.write(descriptor, packet.baseAddress, packet.count) < 0, errno == EINTR {}
    }

    func writeWaiting() {}
}

/// A call of the system that failed.
struct SystemError: Error {
    let text: String

    init(_ attempt: String) {
        text = attempt + ": " + String(cString: strerror(errno))
    }

    init(text: String) {
        self.text = text
    }
}
