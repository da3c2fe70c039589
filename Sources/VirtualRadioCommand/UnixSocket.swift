import Glibc

/// Unix sockets of the kind that this program uses: streams that do not block.
enum UnixSocket {
    static func make() throws(SystemError) -> Int32 {
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError("cannot create a socket") }
        return descriptor
    }

    /// Connects to the program that listens at a path.
    static func connect(_ path: String) throws(SystemError) -> Int32 {
        let descriptor = try make()
        do throws(SystemError) {
            try withAddress(path) { address, length throws(SystemError) in
                guard Glibc.connect(descriptor, address, length) == 0 else {
                    throw SystemError("cannot connect to \(path)")
                }
            }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) throws(SystemError) -> Void
    ) throws(SystemError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path), !bytes.contains(0) else {
            errno = ENAMETOOLONG
            throw SystemError("cannot use the socket \(path)")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                Result { () throws(SystemError) in try body(pointer, socklen_t(MemoryLayout<sockaddr_un>.size)) }
            }
        }
        try result.get()
    }
}
