package import CoreBluetooth
import Foundation
import MainLoop
package import Posix

/// Listens at the agent's socket and hands what programs say to the core. Used on the agent's queue only.
package final class AgentServer {
    /// How many connections may be open. When one more comes, the oldest that has not registered makes room.
    package static let connectionLimit = 256
    /// Seconds until a connection has to have registered.
    private static let registrationTimeout = 20.0

    private let core: AgentCore
    private var listener: ListeningSocket?
    /// In the order in which they have connected.
    private var peers: [(peer: SocketPeer, deadline: Double)] = []
    private var sweep: AnyObject?

    /// How many connections are open.
    package var connectionCount: Int { peers.count }

    /// Starts to listen. Of several agents that start at the same time one wins.
    package init(_ location: AgentLocation, core: AgentCore, queue: DispatchQueue) throws(SystemError) {
        self.core = core
        let socket = try UnixListener(at: location.socket, AgentLocation.socketKind)
        listener = ListeningSocket(socket, admitting: [geteuid()], queue: queue) { [weak self] in self?.add($0) }
    }

    deinit { stop() }

    /// Stops listening and removes the socket's file. Does nothing the second time.
    package func stop() {
        guard let listener else { return }
        self.listener = nil
        listener.stop()
        for (peer, _) in peers { peer.close() }
        peers = []
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
}
