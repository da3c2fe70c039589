package import Foundation

/// A connection of a server at a Unix socket: when there is something to read, and its end. What is said over it is up
/// to its owner. Used on one queue only.
package final class ServerConnection {
    /// For reading and writing while the connection is open. It does not block.
    package let descriptor: Int32
    /// The process that has connected.
    package let process: pid_t
    /// Called as long as there is something to read or the other end is closed.
    package var onReadable: (() -> Void)?
    /// Called once when the connection is closed, by either side.
    package var onClose: (() -> Void)?
    private var watch: DescriptorWatch?

    /// Takes ownership of the descriptor.
    init(_ descriptor: Int32, process: pid_t, queue: DispatchQueue) {
        self.descriptor = descriptor
        self.process = process
        // The watch keeps the connection, and what its handlers hold, alive until it is closed.
        watch = DescriptorWatch(descriptor, queue: queue) { self.onReadable?() }
        watch?.start()
    }

    /// Whether ``close()`` is still to be called.
    package var isOpen: Bool { watch != nil }

    /// Leaves what arrives where it is until ``resumeReading()``.
    package func suspendReading() { watch?.suspend() }

    package func resumeReading() { watch?.resume() }

    /// Closes the connection. Does nothing the second time.
    package func close() {
        guard let watch else { return }
        self.watch = nil
        // The other end sees this at once, not only when the loop closes the descriptor.
        shutdown(descriptor, Int32(SHUT_RDWR))
        watch.cancel()
        let closed = onClose
        (onReadable, onClose) = (nil, nil)
        closed?()
    }
}
