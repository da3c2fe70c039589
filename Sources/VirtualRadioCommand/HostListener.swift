import Glibc

/// A socket of this machine at which hosts connect, each to a controller of its own. Only this user may.
final class HostListener {
    let descriptor: Int32

    init(_ path: String) throws(SystemError) {
        // It gets its name when hosts can connect, so that nobody who waits for the name comes too early.
        let early = "\(path).\(getpid())"
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError("cannot make a socket") }
        do throws(SystemError) {
            try Self.requireFree(path)
            try Self.withAddress(early) { address, length throws(SystemError) in
                let mask = umask(0o177)
                defer { umask(mask) }
                guard bind(descriptor, address, length) == 0, listen(descriptor, SOMAXCONN) == 0 else {
                    throw SystemError("cannot make the socket \(path)")
                }
            }
            guard rename(early, path) == 0 else { throw SystemError("cannot make the socket \(path)") }
        } catch {
            unlink(early)
            close(descriptor)
            throw error
        }
    }

    deinit {
        close(descriptor)
    }

    /// A host that has connected, if there is one.
    func accept() -> HostSocket? {
        let connected = Glibc.accept(descriptor, nil, nil)
        guard connected >= 0 else { return nil }
        _ = fcntl(connected, F_SETFL, O_NONBLOCK)
        _ = fcntl(connected, F_SETFD, FD_CLOEXEC)
        return HostSocket(connected)
    }

    /// The socket of a program that has ended may be replaced, but nothing else.
    private static func requireFree(_ path: String) throws(SystemError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw SystemError(text: "cannot make the socket \(path): there is a file that is no socket")
        }
        let test = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(test) }
        try withAddress(path) { address, length throws(SystemError) in
            guard connect(test, address, length) != 0 else {
                throw SystemError(text: "cannot make the socket \(path): another program listens there")
            }
        }
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) throws(SystemError) -> Void
    ) throws(SystemError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path), !bytes.contains(0) else {
            errno = ENAMETOOLONG
            throw SystemError("cannot make the socket \(path)")
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
