import DequeModule

/// The queue of one Bluejay instance: runs one operation at a time, in the order in which they were queued.
///
/// It knows only the life cycle of operations, not their kinds. Used on the main queue only.
final class OperationFIFO {
    /// Returns why an operation cannot start now; nil if it can.
    var refusalOfStart: (QueuedOperation) -> (any Error)? = { _ in nil }
    /// Whether operations are started. False until Bluetooth is available for the first time.
    private(set) var isRunning = false

    private var operations = Deque<QueuedOperation>()
    private var holds = 0
    private var isAdvancing = false
    private let log: Log

    init(log: Log) {
        self.log = log
    }

    /// The operation that is running, if any.
    var running: QueuedOperation? {
        guard let head = operations.first, head.phase == .running else { return nil }
        return head
    }

    var isEmpty: Bool { operations.isEmpty }
    var count: Int { operations.count }

    /// Begins to start operations when it is their turn.
    func run() {
        isRunning = true
        advance()
    }

    /// Stops starting operations until the next `run()`.
    func pause() {
        isRunning = false
    }

    /// Queues operations at the end.
    func append(_ new: [QueuedOperation]) {
        for operation in new {
            operation.queue = self
            operations.append(operation)
        }
        advance()
    }

    /// Offers an event to the running operation.
    ///
    /// - Returns: whether the operation has used it.
    func process(_ event: BluetoothEvent) -> Bool {
        running?.process(event) ?? false
    }

    /// Fails every operation that is in the queue now, front to back. What completions queue meanwhile stays.
    ///
    /// - Parameter atOnce: do not wait for CoreBluetooth. Otherwise an operation that takes time to end fails before
    ///   those behind it.
    func failAll(_ error: any Error, atOnce: Bool = false) {
        hold {
            let present = operations
            var mustWait = false
            for operation in present where operation.phase != .ended {
                if mustWait {
                    operation.pendingFailure = operation.pendingFailure ?? error
                } else {
                    operation.fail(error, atOnce: atOnce)
                    mustWait = operation.phase != .ended
                }
            }
        }
    }

    /// Fails what was queued behind an operation that was cancelled and took time to end.
    func failPendingFailures() {
        hold {
            for operation in operations where operation.phase != .ended {
                if let error = operation.pendingFailure { operation.fail(error) }
            }
        }
    }

    /// Fails the operations that match a predicate, front to back.
    func fail(_ error: any Error, where predicate: (QueuedOperation) -> Bool) {
        hold {
            for operation in operations where operation.phase != .ended && predicate(operation) {
                operation.fail(error)
            }
        }
    }

    /// Fails one operation and the operations that prepare it. The others continue as if it had never been queued.
    func fail(_ operation: QueuedOperation, _ error: any Error) {
        fail(error) { $0 === operation || $0.prepares === operation }
    }

    /// Starts nothing until the body has returned.
    func hold(_ body: () -> Void) {
        holds += 1
        body()
        holds -= 1
        advance()
    }

    /// Removes an operation that has ended, calls its completion, and starts the next one.
    func ended(_ operation: QueuedOperation, _ deliver: () -> Void) {
        if operations.first === operation {
            operations.removeFirst()
        } else if let index = operations.firstIndex(where: { $0 === operation }) {
            operations.remove(at: index)
        }
        operation.queue = nil
        hold(deliver)
    }

    private func advance() {
        // One loop starts them all, so that operations that end at once do not nest on the stack.
        guard isRunning, !isAdvancing else { return }
        isAdvancing = true
        defer { isAdvancing = false }
        while holds == 0, let head = operations.first, head.phase == .queued {
            if let error = head.pendingFailure ?? refusalOfStart(head) {
                head.fail(error)
            } else {
                log.detail("Starting \(head.summary)")
                head.begin()
            }
        }
    }
}
