import Glibc
import VirtualRadio

/// A socket of this machine at which hosts connect, each to a controller of its own. Only this user may.
final class HostListener {
    let descriptor: Int32

    init(_ path: String) throws(SystemError) {
        // It gets its name when hosts can connect, so that nobody who waits for the name comes too early.
        let early = "\(path).\(getpid())"
        descriptor = try UnixSocket.make()
        do throws(SystemError) {
            try Self.requireFree(path)
            try UnixSocket.withAddress(early) { address, length throws(SystemError) in
                // No connection is possible before `listen`, so the file's mode is set in time.
                guard bind(descriptor, address, length) == 0, chmod(early, 0o600) == 0,
                    listen(descriptor, SOMAXCONN) == 0
                else {
                    throw SystemError("cannot create the socket \(path)")
                }
            }
            guard rename(early, path) == 0 else { throw SystemError("cannot create the socket \(path)") }
        } catch {
            unlink(early)
            throw error
        }
    }

    deinit {
        close(descriptor)
    }

    /// A host that has connected, if there is one.
    func accept() -> SerialPort? {
        let connected = Glibc.accept(descriptor, nil, nil)
        guard connected >= 0 else { return nil }
        _ = fcntl(connected, F_SETFL, O_NONBLOCK)
        _ = fcntl(connected, F_SETFD, FD_CLOEXEC)
        return SerialPort(connected, isSocket: true, to: .host)
    }

    /// The socket of a program that has ended may be replaced, but nothing else.
    private static func requireFree(_ path: String) throws(SystemError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw SystemError(text: "cannot create the socket \(path): a file that is not a socket exists there")
        }
        if let other = try? UnixSocket.connect(path) {
            close(other)
            throw SystemError(text: "cannot create the socket \(path): another program is listening on it")
        }
    }
}
