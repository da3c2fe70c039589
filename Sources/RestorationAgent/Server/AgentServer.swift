package import Foundation
package import RestorationProtocol
import SocketServer

/// Listens at the agent's socket and hands what programs say to the core. Used on the agent's queue only.
package final class AgentServer {
    /// What keeps the server from starting.
    package enum Failure: Error, CustomStringConvertible, Sendable {
        /// Another agent of this user runs.
        case alreadyRunning(socket: String)
        case socket(String)

        package var description: String {
            switch self {
            case .alreadyRunning(let socket): "an agent is already running; it listens on \(socket)"
            case .socket(let text): text
            }
        }
    }

    /// How many connections may be open. When one more comes, the oldest that has not registered makes room.
    package static let connectionLimit = 256
    /// Seconds until a connection has to have registered.
    private static let registrationTimeout = 20.0

    private let core: AgentCore
    private var listener: ListeningSocket?
    private let lock: Int32
    /// In the order in which they have connected.
    private var peers: [(peer: SocketPeer, deadline: Double)] = []
    private var sweep: AnyObject?

    /// How many connections are open.
    package var connectionCount: Int { peers.count }

    /// Starts to listen. Of several agents that start at the same time one wins.
    package init(_ location: AgentLocation, core: AgentCore, queue: DispatchQueue) throws(Failure) {
        self.core = core
        // Held for as long as this agent runs, and let go of by the kernel however it ends.
        let lock = open(location.socket + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw .socket("cannot create \(location.socket).lock: \(Self.systemError())") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw .alreadyRunning(socket: location.socket)
        }
        self.lock = lock
        do throws(Failure) {
            listener = try listen(at: location, queue: queue)
        } catch {
            close(lock)
            throw error
        }
    }

    deinit { stop() }

    /// Stops listening and removes the socket's file. Does nothing the second time.
    package func stop() {
        guard let listener else { return }
        self.listener = nil
        listener.stop()
        close(lock)
        for (peer, _) in peers { peer.close() }
        peers = []
    }

    private func listen(at location: AgentLocation, queue: DispatchQueue) throws(Failure) -> ListeningSocket {
        let descriptor = AgentLocation.makeSocket()
        guard descriptor >= 0 else { throw .socket("cannot create a socket: \(Self.systemError())") }
        // Under the lock: the agent that left it has ended.
        var info = stat()
        if lstat(location.socket, &info) == 0, info.st_mode & S_IFMT == S_IFSOCK { unlink(location.socket) }
        return try ListeningSocket(
            descriptor, at: location.socket, admitting: [geteuid()], queue: queue, failure: Failure.socket
        ) { [weak self] in self?.add($0) }
    }

    // MARK: Connections

    private func add(_ connection: ServerConnection?) {
        guard let connection else {
            closeOldestUnregistered()
            return
        }
        guard peers.count < Self.connectionLimit || closeOldestUnregistered() else { return connection.close() }
        let peer = SocketPeer(connection) { [core] message, peer in core.receive(message, from: peer) }
        connection.onClose = { [weak self] in
            // The end of the server is no news about the program.
            guard let self, listener != nil else { return }
            peers.removeAll { $0.peer === peer }
            core.connectionIsGone(peer)
        }
        peers.append((peer, core.host.now + Self.registrationTimeout))
        scheduleSweep()
    }

    /// - Returns: whether there was one.
    @discardableResult
    private func closeOldestUnregistered() -> Bool {
        guard let unregistered = peers.first(where: { !$0.peer.isRegistered }) else { return false }
        unregistered.peer.close()
        return true
    }

    /// Closes what has been open for long without registering.
    private func scheduleSweep() {
        guard sweep == nil else { return }
        sweep = core.host.after(Self.registrationTimeout) { [weak self] in
            guard let self else { return }
            sweep = nil
            let now = core.host.now
            for (peer, deadline) in peers where !peer.isRegistered && deadline <= now { peer.close() }
            if peers.contains(where: { !$0.peer.isRegistered }) { scheduleSweep() }
        }
    }

    private static func systemError() -> String { String(cString: strerror(errno)) }
}
