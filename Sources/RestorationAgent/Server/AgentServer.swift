package import Foundation
import MainLoop
package import RestorationProtocol

/// Listens at the agent's socket and hands what programs say to the core. Used on the agent's queue only.
package final class AgentServer {
    /// What keeps the server from starting.
    package enum Failure: Error, CustomStringConvertible, Sendable {
        /// Another agent of this user runs.
        case alreadyRunning(socket: String)
        case socket(String)

        package var description: String {
            switch self {
            case .alreadyRunning(let socket): "an agent runs already; it listens at \(socket)"
            case .socket(let text): text
            }
        }
    }

    /// How many connections may be open. When one more comes, the oldest that has not registered makes room.
    package static let connectionLimit = 256
    /// Seconds until a connection has to have registered.
    private static let registrationTimeout = 20.0

    private let location: AgentLocation
    private let queue: DispatchQueue
    private let core: AgentCore
    private let listener: Int32
    private let lock: Int32
    private var watch: DescriptorWatch?
    /// In the order of their coming.
    private var connections: [(connection: AgentConnection, deadline: Double)] = []
    private var sweep: AnyObject?

    /// How many connections are open.
    package var connectionCount: Int { connections.count }

    /// Starts to listen. Of several agents that start at the same time one wins.
    package init(_ location: AgentLocation, core: AgentCore, queue: DispatchQueue) throws(Failure) {
        self.location = location
        self.queue = queue
        self.core = core
        // Held for as long as this agent runs, and let go of by the kernel however it ends.
        let lock = open(location.socket + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw .socket("cannot make \(location.socket).lock: \(Self.systemError())") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw .alreadyRunning(socket: location.socket)
        }
        do throws(Failure) {
            listener = try Self.listen(at: location)
        } catch {
            close(lock)
            throw error
        }
        self.lock = lock
        watch = DescriptorWatch(listener, queue: queue) { [weak self] in self?.accept() }
        watch?.start()
    }

    deinit { stop() }

    /// Stops listening and removes the socket's file. Does nothing the second time.
    package func stop() {
        guard let watch else { return }
        self.watch = nil
        watch.cancel()
        unlink(location.socket)
        close(lock)
        let open = connections
        connections = []
        for (connection, _) in open {
            connection.onClose = nil
            connection.close()
        }
    }

    private static func listen(at location: AgentLocation) throws(Failure) -> Int32 {
        let listener = AgentLocation.makeSocket()
        guard listener >= 0 else { throw .socket("no socket can be made: \(systemError())") }
        // Under the lock: whoever left it is gone.
        var info = stat()
        if lstat(location.socket, &info) == 0, info.st_mode & S_IFMT == S_IFSOCK { unlink(location.socket) }
        let result: Int32
        do {
            result = try location.withSocketAddress { bind(listener, $0, $1) }
        } catch {
            close(listener)
            throw .socket(error.description)
        }
        // Nobody can connect before `listen`, hence the file's mode is in force in time.
        guard result == 0, chmod(location.socket, 0o600) == 0, Glibc.listen(listener, 128) == 0 else {
            let error = systemError()
            close(listener)
            throw .socket("cannot listen at \(location.socket): \(error)")
        }
        return listener
    }

    // MARK: Connections

    private func accept() {
        for _ in 0..<32 {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else {
                // Without a descriptor left, the next one who goes makes room.
                if errno == EMFILE || errno == ENFILE { dropOldestStranger() }
                return
            }
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            guard let credentials = Self.credentials(of: descriptor), credentials.user == geteuid() else {
                close(descriptor)
                continue
            }
            if connections.count >= Self.connectionLimit, !dropOldestStranger() {
                close(descriptor)
                continue
            }
            add(descriptor, ProcessMark(running: credentials.process))
        }
    }

    private func add(_ descriptor: Int32, _ process: ProcessMark?) {
        let connection = AgentConnection(descriptor, process: process, queue: queue) { [core] message, connection in
            core.receive(message, from: connection)
        }
        connection.onClose = { [weak self] connection in
            guard let self else { return }
            connections.removeAll { $0.connection === connection }
            core.connectionIsGone(connection)
        }
        connections.append((connection, core.host.now + Self.registrationTimeout))
        connection.start()
        scheduleSweep()
    }

    @discardableResult
    private func dropOldestStranger() -> Bool {
        guard let stranger = connections.first(where: { !$0.connection.isRegistered }) else { return false }
        stranger.connection.close()
        return true
    }

    /// Closes what has been open for long without registering.
    private func scheduleSweep() {
        guard sweep == nil else { return }
        sweep = core.host.after(Self.registrationTimeout) { [weak self] in
            guard let self else { return }
            sweep = nil
            let now = core.host.now
            for (connection, deadline) in connections where !connection.isRegistered && deadline <= now {
                connection.close()
            }
            if connections.contains(where: { !$0.connection.isRegistered }) { scheduleSweep() }
        }
    }

    private static func credentials(of descriptor: Int32) -> (process: Int32, user: UInt32)? {
        // struct ucred: pid, uid, gid.
        var credentials: (Int32, UInt32, UInt32) = (0, .max, .max)
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
        return (credentials.0, credentials.1)
    }

    private static func systemError() -> String { String(cString: strerror(errno)) }
}
