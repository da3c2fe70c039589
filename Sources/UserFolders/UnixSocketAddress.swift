package import Foundation

/// The path is not one that a Unix socket can have.
package struct UnixSocketPathError: Error, CustomStringConvertible, Sendable {
    package let description: String
}

/// Calls `body` with the path of a Unix socket as `bind` and `connect` take it.
package func withUnixSocketAddress<Result>(
    of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) throws(UnixSocketPathError) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    guard bytes.count < capacity else {
        throw UnixSocketPathError(
            description: "the socket path \(path) is too long (limit \(capacity - 1) bytes)")
    }
    guard !bytes.contains(0) else {
        throw UnixSocketPathError(description: "the socket path \(path) contains a NUL byte")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
}
