package import Foundation
import MainLoop
import UserFolders

/// A Unix socket at a path that only this user can reach, and what connects to it. Used on one queue only.
package final class ListeningSocket {
    private let path: String
    private let descriptor: Int32
    private let users: Set<uid_t>
    private let queue: DispatchQueue
    private let onConnection: (ServerConnection?) -> Void
    /// The file that was made at the path, as another server may replace it.
    private var file = stat()
    private var watch: DescriptorWatch?

    /// How many connections are accepted before others get their turn on the queue.
    private static let connectionsPerTurn = 32

    /// Listens.
    ///
    /// - Parameters:
    ///   - descriptor: of a new Unix socket, which belongs to this object from now on.
    ///   - path: where nothing may be. Whether another server uses it is for the caller to find out.
    ///   - users: whose processes may connect. The file's mode ensures that, too, but not every file system observes it
    ///     for sockets.
    ///   - queue: a serial queue.
    ///   - failure: makes an error of a sentence.
    ///   - onConnection: called with each connection, to be kept or closed; with nil when the system has no descriptor
    ///     left for the next one.
    package init<Failure: Error>(
        _ descriptor: Int32, at path: String, admitting users: Set<uid_t>, queue: DispatchQueue,
        failure: (String) -> Failure, onConnection: @escaping (ServerConnection?) -> Void
    ) throws(Failure) {
        self.path = path
        self.descriptor = descriptor
        self.users = users
        self.queue = queue
        self.onConnection = onConnection
        if let problem = listen() {
            close(descriptor)
            throw failure(problem)
        }
        watch = DescriptorWatch(descriptor, queue: queue) { [weak self] in self?.accept() }
        watch?.start()
    }

    deinit {
        stop()
    }

    /// Stops listening and removes the socket's file. Does nothing the second time.
    package func stop() {
        guard let watch else { return }
        self.watch = nil
        watch.cancel()
        var info = stat()
        if lstat(path, &info) == 0, info.st_dev == file.st_dev, info.st_ino == file.st_ino { unlink(path) }
    }

    /// - Returns: what keeps the socket from listening.
    private func listen() -> String? {
        do {
            guard try withUnixSocketAddress(of: path, { bind(descriptor, $0, $1) }) == 0 else {
                let attempt = errno == EADDRINUSE ? "listen on" : "create the socket"
                return "cannot \(attempt) \(path): \(String(cString: strerror(errno)))"
            }
        } catch {
            return error.description
        }
        // No connection is possible before `listen`, so the file's mode is set in time.
        guard chmod(path, 0o600) == 0, lstat(path, &file) == 0, Glibc.listen(descriptor, 128) == 0 else {
            let error = errno
            unlink(path)
            return "cannot listen on \(path): \(String(cString: strerror(error)))"
        }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        return nil
    }

    private func accept() {
        for _ in 0..<Self.connectionsPerTurn where watch != nil {
            let connection = Glibc.accept(descriptor, nil, nil)
            guard connection >= 0 else {
                if errno == EMFILE || errno == ENFILE { onConnection(nil) }
                return
            }
            _ = fcntl(connection, F_SETFL, fcntl(connection, F_GETFL) | O_NONBLOCK)
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            // struct ucred: pid, uid, gid.
            var peer: (process: pid_t, user: uid_t, group: gid_t) = (0, .max, .max)
            var size = socklen_t(MemoryLayout.size(ofValue: peer))
            if getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0, users.contains(peer.user) {
                onConnection(ServerConnection(connection, process: peer.process, queue: queue))
            } else {
                close(connection)
            }
        }
    }
}
