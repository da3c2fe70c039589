import Foundation
import MainLoop
import PlainText
import Posix

/// Listens at the control socket and passes requests to a handler. Used on one queue only, like its handler.
final class ControlServer: EventSubscribers {
    /// Answers one request by calling `reply`, once, now or later.
    typealias Handler = (_ request: AddressedRequest, _ reply: @escaping (ControlReply) -> Void) -> Void

    /// The id of the peripheral that a request for events names.
    var peripheralID: (_ name: String) throws(DittojayError) -> String = { $0 }
    private let clock: any Clock
    private let handler: Handler
    private var listener: ListeningSocket?
    private var clients: [Int32: ControlPeer] = [:]
    private let limits: Limits
    private var sweep: OneShotTimer?

    /// The limits of connections.
    struct Limits {
        /// How many may be open. When one more comes, the one that has been idle for the longest time is closed.
        var clients = 32
        /// Seconds after which an idle connection is closed: one that sends and takes nothing while no request of it is
        /// carried out.
        var idleTime = 300.0
        /// How many may follow the events at the same time.
        var subscribers = 16
    }

    /// Starts to listen.
    ///
    /// - Parameter limits: of the connections.
    /// - Throws: ``DittojayError/alreadyRunning(socket:)`` if another server listens there, whereas a socket file
    ///   without a listener is replaced; ``DittojayError/controlSocket(_:)``.
    init(
        _ address: ControlSocketAddress, clock: any Clock, limits: Limits = Limits(), handler: @escaping Handler
    ) throws(DittojayError) {
        self.limits = limits
        self.clock = clock
        self.handler = handler
        try address.prepareFolder()
        do throws(SystemError) {
            let socket = try UnixListener(at: address.path)
            listener = ListeningSocket(socket, admitting: [geteuid(), 0], queue: clock.queue) { [weak self] in
                self?.add($0)
            }
        } catch {
            throw error.code == EADDRINUSE
                ? .alreadyRunning(socket: address.path) : .controlSocket(error.description)
        }
    }

    deinit {
        stop()
    }

    /// Stops listening and removes the socket's file. Does nothing the second time.
    func stop() {
        listener?.stop()
        sweep?.cancel()
        sweep = nil
        for client in clients.values { client.close() }
        clients = [:]
    }

    private func add(_ connection: ServerConnection?) {
        guard let connection else {
            closeLongestIdle()
            return
        }
        guard clients.count < limits.clients || closeLongestIdle() else {
            let reply = ControlReply(error: "too many connections (limit \(limits.clients))")
            let bytes = Array((reply.line + "\n").utf8)
            Glibc.send(connection.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            return connection.close()
        }
        let client = ControlPeer(connection, clock: clock, handler: handler)
        client.admission = { [weak self] in self?.subscriptionRefusal() }
        client.peripheralID = { [weak self] name throws(DittojayError) in try self?.peripheralID(name) ?? name }
        client.onClose = { [weak self] in self?.clients[connection.descriptor] = nil }
        clients[connection.descriptor] = client
        scheduleSweep()
    }

    /// Whether any program follows the events.
    var hasSubscribers: Bool { clients.values.contains { $0.isFollowing } }

    /// Sends an event to all programs that follow them.
    func send(_ event: PeripheralEvent) {
        guard hasSubscribers else { return }
        let line = event.json.utf8 + [UInt8(ascii: "\n")]
        // A client that turns out to be gone is removed meanwhile.
        for client in Array(clients.values) where client.follows(event.peripheral) { client.send(event: line) }
    }

    /// Why no other program can follow the events; nil if one can.
    private func subscriptionRefusal() -> String? {
        guard clients.values.count(where: \.isFollowing) >= limits.subscribers else { return nil }
        return "too many event subscribers (limit \(limits.subscribers))"
    }

    private var idleClients: some Sequence<ControlPeer> { clients.values.lazy.filter { !$0.isCarryingOut } }

    /// - Returns: whether there was one.
    @discardableResult
    private func closeLongestIdle() -> Bool {
        guard let client = idleClients.min(by: { $0.lastActivity < $1.lastActivity }) else { return false }
        client.close()
        return true
    }

    /// Closes connections that have been idle for too long, as long as there are any.
    private func scheduleSweep() {
        guard sweep == nil else { return }
        sweep = clock.after(limits.idleTime) { [weak self] in
            guard let self else { return }
            sweep = nil
            let limit = clock.now - limits.idleTime
            for client in Array(idleClients) where client.lastActivity <= limit { client.close() }
            if !clients.isEmpty { scheduleSweep() }
        }
    }
}
