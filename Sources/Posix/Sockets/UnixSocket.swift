package import Glibc

/// Unix sockets, closed on exec.
package enum UnixSocket {
    /// Makes a socket.
    package static func make(
        _ kind: __socket_type = SOCK_STREAM, blocks: Bool = true
    ) throws(SystemError) -> Int32 {
        let flags = blocks ? SOCK_CLOEXEC.rawValue : SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = socket(AF_UNIX, Int32(kind.rawValue | flags), 0)
        guard descriptor >= 0 else { throw SystemError("cannot create a socket") }
        return descriptor
    }

    /// In bytes.
    package static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Calls `body` with a path as `bind` and `connect` take it.
    ///
    /// - Throws: ``SystemError`` if a socket cannot have the path.
    package static func withAddress<Result>(
        of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) throws(SystemError) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count <= longestPath else {
            throw SystemError(text: "socket path too long (limit \(longestPath) bytes): \(path)")
        }
        guard !bytes.contains(0) else { throw SystemError(text: "socket path contains a NUL byte: \(path)") }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// A socket that is connected to whoever listens at a path.
    ///
    /// - Parameter blocks: if not, `EAGAIN` says that too many others wait already.
    package static func connected(
        to path: String, _ kind: __socket_type = SOCK_STREAM, blocks: Bool = true
    ) throws(SystemError) -> Int32 {
        let descriptor = try make(kind, blocks: blocks)
        do throws(SystemError) {
            guard try withAddress(of: path, { connect(descriptor, $0, $1) }) == 0 else {
                throw SystemError("cannot connect to \(path)")
            }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }
}
