import Glibc

/// A controller of this machine's kernel that this process plays, by `/dev/vhci`. Each read and each write is a packet.
final class VirtualHCI: HCITransport {
    let descriptor: Int32
    /// That of the controller in the kernel, once the kernel has reported it.
    private(set) var number: Int?
    private let packetsAtOnce = 32
    private(set) var isOver = false
    /// The kernel takes everything.
    let isWaitingForRoom = false

    /// Makes the kernel add a controller.
    init() throws(SystemError) {
        descriptor = open("/dev/vhci", O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError("cannot open /dev/vhci") }
        // A packet for the driver itself: make a primary controller.
        let request: [UInt8] = [Self.vendorPacket, 0x00]
        guard Glibc.write(descriptor, request, request.count) == request.count else {
            throw SystemError("cannot add a controller through /dev/vhci")
        }
    }

    private static let vendorPacket: UInt8 = 0xFF

    deinit {
        close(descriptor)
    }

    func read(_ buffer: UnsafeMutableRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        for _ in 0..<packetsAtOnce {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            guard count > 0 else {
                // Otherwise the kernel no longer has the controller.
                isOver = count == 0 || errno != EAGAIN && errno != EINTR
                return
            }
            let packet = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            if !take(packet) { body(packet) }
        }
    }

    /// Takes a packet that is the driver's own: its answer to the request. Returns whether it was one.
    private func take(_ packet: UnsafeRawBufferPointer) -> Bool {
        guard packet[0] == Self.vendorPacket else { return false }
        if packet.count == 4 { number = Int(packet[2]) | Int(packet[3]) << 8 }
        return true
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

    /// A call that has just failed.
    init(_ attempt: String) {
        text = attempt + ": " + String(cString: strerror(errno))
    }

    init(text: String) {
        self.text = text
    }
}
