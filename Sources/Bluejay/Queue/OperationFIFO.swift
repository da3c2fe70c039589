import DequeModule

/// The queue of one Bluejay instance: runs one operation at a time, in the order in which they came.
///
/// Knows nothing of the kinds of operations but their life cycle. Used on the main queue only.
final class OperationFIFO {
    /// Tells what speaks against starting an operation now.
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

    /// The operation that runs, if any.
    var running: QueuedOperation? {
        guard let head = operations.first, head.phase == .running else { return nil }
        return head
    }

    var isEmpty: Bool { operations.isEmpty }
    var count: Int { operations.count }

    /// Starts operations from now on.
    func run() {
        isRunning = true
        advance()
    }

    /// Starts no more operations until the next `run()`.
    func pause() {
        isRunning = false
    }

    /// Queues operations.
    func append(_ new: [QueuedOperation]) {
        for operation in new {
            operation.queue = self
            operations.append(operation)
        }
        advance()
    }

    /// Offers an event to the running operation.
    ///
    /// - Returns: whether it took it.
    func process(_ event: BluetoothEvent) -> Bool {
        running?.process(event) ?? false
    }

    /// Fails every operation that is in the queue now, front to back. Those that completions queue meanwhile stay.
    ///
    /// - Parameter atOnce: do not wait for CoreBluetooth; otherwise operations behind one that takes time to end are
    ///   failed after it.
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

    /// Fails those operations in the queue, front to back, that a predicate holds for.
    func fail(_ error: any Error, where predicate: (QueuedOperation) -> Bool) {
        hold {
            for operation in operations where operation.phase != .ended && predicate(operation) {
                operation.fail(error)
            }
        }
    }

    /// Fails one operation along with what prepares it. The others go on as if it had never been there.
    func fail(_ operation: QueuedOperation, _ error: any Error) {
        fail(error) { $0 === operation || $0.prepares === operation }
    }

    /// Starts nothing until the body is done.
    func hold(_ body: () -> Void) {
        holds += 1
        body()
        holds -= 1
        advance()
    }

    /// An operation has ended: takes it out, calls its completion, and goes on.
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
        // One loop starts all, so that operations that end at once do not pile up on the stack.
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
