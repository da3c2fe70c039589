package import Foundation
package import Posix

/// What connects to a Unix socket. Used on one queue only.
package final class ListeningSocket {
    private let listener: UnixListener
    private let users: Set<uid_t>
    private let queue: DispatchQueue
    private let onConnection: (ServerConnection?) -> Void
    private var watch: DescriptorWatch?

    /// How many connections are accepted before others get their turn on the queue.
    private static let connectionsPerTurn = 32

    /// Accepts connections.
    ///
    /// - Parameters:
    ///   - listener: this object takes ownership.
    ///   - users: whose processes may connect. The file's mode ensures that, too, but not every file system observes it
    ///     for sockets.
    ///   - queue: a serial queue.
    ///   - onConnection: called with each connection, to be kept or closed; with nil when the system has no descriptor
    ///     left for the next one.
    package init(
        _ listener: UnixListener, admitting users: Set<uid_t>, queue: DispatchQueue,
        onConnection: @escaping (ServerConnection?) -> Void
    ) {
        self.listener = listener
        self.users = users
        self.queue = queue
        self.onConnection = onConnection
        watch = DescriptorWatch(listener.descriptor, queue: queue) { [weak self] in self?.accept() }
        watch?.start()
    }

    deinit {
        stop()
    }

    /// Stops listening and removes the socket's file. Does nothing the second time.
    package func stop() {
        guard let watch else { return }
        self.watch = nil
        listener.stop()
        watch.cancel()
    }

    /// Without a descriptor for it, the next connection would be reported again and again.
    private func waitForDescriptors() {
        watch?.suspend()
        let work = DispatchWorkItem { [weak self] in self?.watch?.resume() }
        queue.asyncAfter(deadline: .now() + Self.pauseWithoutDescriptors, execute: work)
        onConnection(nil)
    }

    private static let pauseWithoutDescriptors = DispatchTimeInterval.milliseconds(200)

    private func accept() {
        for _ in 0..<Self.connectionsPerTurn where watch != nil {
            guard let connection = listener.accept() else {
                if errno == EMFILE || errno == ENFILE { waitForDescriptors() }
                return
            }
            if users.contains(connection.user) {
                onConnection(ServerConnection(connection.descriptor, process: connection.process, queue: queue))
            } else {
                close(connection.descriptor)
            }
        }
    }
}
