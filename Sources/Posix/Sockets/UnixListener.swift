package import Glibc

/// A Unix socket that listens at a path, which only this user can reach. One at a time listens at a path, also of those
/// that start together, and the file that one has left behind which was killed is replaced.
package final class UnixListener {
    /// Does not block. Open until ``stop()``, or for as long as another owner keeps it.
    package let descriptor: Int32
    private let path: String
    /// The file that was made at the path, as another program may replace it.
    private let file: stat
    private var lock: Int32?

    /// Listens.
    ///
    /// - Throws: ``SystemError``, with the code `EADDRINUSE` if another program listens there.
    package init(at path: String, _ kind: __socket_type = SOCK_STREAM) throws(SystemError) {
        self.path = path
        let lock = try Self.lock(path, kind)
        do throws(SystemError) {
            try Self.removeStale(path, kind)
            (descriptor, file) = try Self.listen(at: path, kind)
        } catch {
            Self.release(lock, of: path)
            throw error
        }
        self.lock = lock
    }

    deinit { stop() }

    /// Removes the socket's file, unless it is another program's meanwhile. Does nothing the second time.
    ///
    /// The descriptor stays open: whoever waits for connections closes it.
    package func stop() {
        guard let lock else { return }
        self.lock = nil
        var info = stat()
        if lstat(path, &info) == 0, info.st_dev == file.st_dev, info.st_ino == file.st_ino { unlink(path) }
        Self.release(lock, of: path)
    }

    /// A program that has connected, and whose.
    package struct Connection {
        /// Does not block, and is closed on exec. It belongs to whoever takes it.
        package let descriptor: Int32
        package let process: pid_t
        package let user: uid_t
    }

    /// The next program that has connected.
    ///
    /// - Returns: nil if none has, or if it cannot be accepted: see `errno`.
    package func accept() -> Connection? {
        guard let connection = acceptConnection(descriptor) else { return nil }
        let peer = Self.peer(of: connection)
        return Connection(descriptor: connection, process: peer.process, user: peer.user)
    }

    /// struct ucred. Its process is 0 if it is not known.
    private static func peer(of socket: Int32) -> (process: pid_t, user: uid_t, group: gid_t) {
        var peer: (process: pid_t, user: uid_t, group: gid_t) = (0, .max, .max)
        var size = socklen_t(MemoryLayout.size(ofValue: peer))
        return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer : (0, .max, .max)
    }

    // MARK: The file

    private static func inUse(_ path: String) -> SystemError {
        SystemError(text: "another program listens at \(path)", code: EADDRINUSE)
    }

    /// A file beside the socket is locked for as long as it listens: the kernel lets go of it however the program ends.
    private static func lock(_ path: String, _ kind: __socket_type) throws(SystemError) -> Int32 {
        let file = path + ".lock"
        // One try is enough unless another program begins or ends, or was killed.
        for _ in 0..<100 {
            let lock = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard lock >= 0 else { throw SystemError("cannot create \(file)") }
            guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
                let isLocked = errno == EWOULDBLOCK
                let error = SystemError("cannot lock \(file)")
                close(lock)
                guard isLocked else { throw error }
                guard !isServed(path, kind) else { throw inUse(path) }
                usleep(20_000)
                continue
            }
            // Whoever had it may have removed the file meanwhile, and another one may have locked the next.
            var (own, current) = (stat(), stat())
            if fstat(lock, &own) == 0, lstat(file, &current) == 0, own.st_ino == current.st_ino {
                return lock
            }
            close(lock)
        }
        throw inUse(path)
    }

    /// Whether the program that listens has ended, though something still has its descriptors: another one that it
    /// started when it was killed, until that runs, or its own last thread.
    ///
    /// - Throws: ``SystemError`` if it cannot be connected to, such as `ECONNREFUSED` if nobody listens.
    private static func isAbandoned(_ path: String, _ kind: __socket_type) throws(SystemError) -> Bool {
        let socket = try UnixSocket.connected(to: path, kind, blocks: false)
        defer { close(socket) }
        let process = peer(of: socket).process
        guard process > 0 else { return false }
        return kill(process, 0) != 0 && errno == ESRCH || ProcessStatus(of: process)?.hasEnded == true
    }

    /// Whether a program that has not ended listens. One that has the lock alone begins or ends: what a program has
    /// open is closed one after the other.
    private static func isServed(_ path: String, _ kind: __socket_type) -> Bool {
        do throws(SystemError) {
            return try !isAbandoned(path, kind)
        } catch {
            return error.code != ECONNREFUSED && error.code != ENOENT
        }
    }

    private static func release(_ lock: Int32, of path: String) {
        unlink(path + ".lock")
        close(lock)
    }

    /// A program that does not lock, such as another one's, may listen there all the same.
    private static func removeStale(_ path: String, _ kind: __socket_type) throws(SystemError) {
        var info = stat()
        guard lstat(path, &info) == 0 else { return }
        guard info.st_mode & S_IFMT == S_IFSOCK else {
            throw SystemError(text: "\(path) exists and is not a socket")
        }
        do throws(SystemError) {
            throw SystemError("", code: try isAbandoned(path, kind) ? ECONNREFUSED : EAGAIN)
        } catch {
            switch error.code {
            case ECONNREFUSED:
                guard unlink(path) == 0 || errno == ENOENT else {
                    throw SystemError("cannot replace the old socket \(path)")
                }
            case ENOENT: break
            // It listens, and may have no time.
            case EAGAIN, EPROTOTYPE: throw inUse(path)
            default: throw error
            }
        }
    }

    private static func listen(
        at path: String, _ kind: __socket_type
    ) throws(SystemError) -> (descriptor: Int32, file: stat) {
        let descriptor = try UnixSocket.make(kind, blocks: false)
        do throws(SystemError) {
            // It gets its name when programs can connect, so that nobody who waits for the name comes too early, and
            // with its mode.
            let early = path.utf8.count < UnixSocket.longestPath ? path + "~" : path
            unlink(early)
            guard try UnixSocket.withAddress(of: early, { bind(descriptor, $0, $1) }) == 0 else {
                throw SystemError("cannot create the socket \(path)")
            }
            var file = stat()
            guard chmod(early, 0o600) == 0, lstat(early, &file) == 0, Glibc.listen(descriptor, 128) == 0,
                rename(early, path) == 0
            else {
                let error = SystemError("cannot listen at \(path)")
                unlink(early)
                throw error
            }
            return (descriptor, file)
        } catch {
            close(descriptor)
            throw error
        }
    }
}
