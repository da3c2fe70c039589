import Glibc

/// A controller of this machine's kernel that this process plays, by `/dev/vhci`. Each read and each write is a packet.
final class VirtualHCI {
    let descriptor: Int32
    /// That of the controller in the kernel, once that has told it.
    private(set) var number: Int?

    /// Makes the kernel add a controller.
    init() throws(SystemError) {
        descriptor = open("/dev/vhci", O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError("cannot open /dev/vhci") }
        // A packet for the driver itself: make a primary controller.
        let request: [UInt8] = [Self.vendorPacket, 0x00]
        guard Glibc.write(descriptor, request, request.count) == request.count else {
            let error = SystemError("cannot add a controller by /dev/vhci")
            close(descriptor)
            throw error
        }
    }

    private static let vendorPacket: UInt8 = 0xFF

    deinit {
        close(descriptor)
    }

    /// Reads a packet of the host, at most as long as `buffer`. Returns its length, or `nil` if there is none.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        return count > 0 ? count : nil
    }

    /// Takes a packet that is the driver's own: its answer to the request. Returns whether it was one.
    func take(_ packet: UnsafeRawBufferPointer) -> Bool {
        guard packet[0] == Self.vendorPacket else { return false }
        if packet.count == 4 { number = Int(packet[2]) | Int(packet[3]) << 8 }
        return true
    }

    /// Gives the host a packet. The kernel takes it or is about to remove the controller.
    func write(_ packet: UnsafeRawBufferPointer) {
        while Glibc.write(descriptor, packet.baseAddress, packet.count) < 0, errno == EINTR {}
    }
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
