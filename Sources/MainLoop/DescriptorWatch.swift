package import Foundation

/// Watches a file descriptor for code that lives on a dispatch queue, and closes it in the end.
///
/// It does what a dispatch source would, but on ``MainLoop``. Dispatch sources are not safe for sockets on Linux: when
/// the other end hangs up in the moment in which the source is cancelled, libdispatch may take it apart twice and crash
/// (swift-corelibs-libdispatch, "Use-after-free in epoll muxnote bookkeeping").
///
/// Everything but the initializer is to be called on the queue. While it runs, the watch keeps itself alive.
// @unchecked: the state is only touched on `queue`, the source only on the loop.
package final class DescriptorWatch: @unchecked Swift.Sendable {
    private let descriptor: Int32
    private let events: DescriptorEvents
    private let queue: DispatchQueue
    private var handler: (() -> Void)?
    private var isSuspended = false
    /// Whether the loop watches, or has something on its way to the queue.
    private var isArmed = false
    /// The loop's part, paused from an event until the queue has looked.
    private nonisolated(unsafe) var source: DescriptorSource?

    /// Takes the descriptor over.
    ///
    /// - Parameters:
    ///   - descriptor: closed when the watch is cancelled, or released while it does not run.
    ///   - events: what to wait for.
    ///   - queue: a serial queue.
    ///   - handler: called on the queue as long as the descriptor is ready or the other end is closed, and never again
    ///     once the watch is cancelled. It is released then.
    package init(
        _ descriptor: Int32, for events: DescriptorEvents = .readable, queue: DispatchQueue,
        handler: @escaping () -> Void
    ) {
        self.descriptor = descriptor
        self.events = events
        self.queue = queue
        self.handler = handler
    }

    deinit {
        // Not cancelled, hence not started or suspended: the loop keeps what it watches.
        if handler != nil { close(descriptor) }
    }

    /// Whether the watch has come to its end.
    package var isCancelled: Bool { handler == nil }

    /// Begins to watch.
    package func start() {
        guard handler != nil, !isSuspended, !isArmed else { return }
        isArmed = true
        MainLoop.shared.async { [self] in watch() }
    }

    /// Stops calling the handler until ``resume()``. Unread data stays where it is.
    package func suspend() {
        isSuspended = true
    }

    /// Goes on after ``suspend()``.
    package func resume() {
        isSuspended = false
        start()
    }

    /// Ends the watch and closes the descriptor. Does nothing the second time.
    package func cancel() {
        guard handler != nil else { return }
        handler = nil
        MainLoop.shared.async { [self] in
            unwatch()
            // Not before: the number may be another's as soon as it is free.
            close(descriptor)
        }
    }

    @LoopActor
    private func watch() {
        if let source { return source.resume() }
        source = .descriptor(descriptor, events) { [self] _ in
            // Until the queue has looked, it would be reported again and again.
            source?.pause()
            queue.async { [self] in handle() }
        }
    }

    @LoopActor
    private func unwatch() {
        source?.cancel()
        source = nil
    }

    private func handle() {
        isArmed = false
        guard !isSuspended else { return }
        handler?()
        start()
    }
}
