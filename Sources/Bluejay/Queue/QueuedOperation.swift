/// One step of work, such as a scan or a read. Subclasses are the kinds of work.
///
/// The life of an operation: it is queued; when it reaches the head of the queue, `start()` is called; while it runs,
/// `process(_:)` is offered what CoreBluetooth reports; it ends by `complete(_:)` or by being failed, exactly once.
///
/// Used on the main queue only.
class QueuedOperation {
    enum Phase {
        case queued, running, ended
    }

    /// What has to be there when the operation starts.
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
    /// The operation that this one only makes possible; nil if it serves its own purpose.
    var prepares: QueuedOperation? { nil }

    // What a subclass does.

    /// Begins the work. May complete at once.
    func start() {}

    /// Takes an event that the running operation waits for.
    ///
    /// - Returns: whether it was for this operation.
    func process(_ event: BluetoothEvent) -> Bool { false }

    /// Undoes what is under way, because the running operation has been failed.
    func interrupt() {}

    /// Tells the completion about an error.
    func report(_ error: any Error) {}

    // What its owners do.

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
    /// - Parameter deliver: calls the completion. The operation has left the queue by then, and the next one starts
    ///   afterwards.
    final func complete(_ deliver: () -> Void) {
        guard phase != .ended else { return }
        phase = .ended
        guard let queue else { return deliver() }
        queue.ended(self, deliver)
    }
}
