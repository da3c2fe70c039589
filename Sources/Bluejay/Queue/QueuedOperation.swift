/// One step of work, such as a scan or a read. Subclasses are the kinds of work.
///
/// The life cycle: an operation is queued. At the head of the queue `start()` is called. While it runs, `process(_:)`
/// receives what CoreBluetooth reports. It ends exactly once, by `complete(_:)` or `fail(_:atOnce:)`.
///
/// Used on the main queue only.
class QueuedOperation {
    enum Phase {
        case queued, running, ended
    }

    /// What an operation needs to start.
    enum Requirement {
        case bluetooth, connection
    }

    final private(set) var phase = Phase.queued
    /// What the operation fails with instead of starting: it was queued behind one that was cancelled and takes time to
    /// end.
    final var pendingFailure: (any Error)?
    /// The queue that the operation is in.
    final weak var queue: OperationFIFO?

    /// For the log.
    var summary: String { "operation" }
    var requirement: Requirement { .connection }
    /// The operation that needs this one to be done first; nil if the program asked for this one itself.
    var prepares: QueuedOperation? { nil }

    // For subclasses to override.

    /// Begins the work. The operation may complete at once.
    func start() {}

    /// Processes an event that the running operation may be waiting for.
    ///
    /// - Returns: whether it was for this operation.
    func process(_ event: BluetoothEvent) -> Bool { false }

    /// Stops the work of the running operation, which has been failed.
    func interrupt() {}

    /// Calls the completion with an error.
    func report(_ error: any Error) {}

    // For the owner to call.

    /// Starts the operation.
    final func begin() {
        guard phase == .queued else { return }
        phase = .running
        start()
    }

    /// Ends the operation with an error.
    ///
    /// - Parameter atOnce: do not wait for anything from CoreBluetooth.
    func fail(_ error: any Error, atOnce: Bool = false) {
        guard phase != .ended else { return }
        if phase == .running { interrupt() }
        complete { self.report(error) }
    }

    /// Ends the operation.
    ///
    /// - Parameter deliver: calls the completion, after the operation has left the queue and before the next one
    ///   starts.
    final func complete(_ deliver: () -> Void) {
        guard phase != .ended else { return }
        phase = .ended
        guard let queue else { return deliver() }
        queue.ended(self, deliver)
    }
}
