/// A call that a task waits for. Resumes the task exactly once.
// @unchecked: used on the main queue only.
final class AwaitedCall<Value: Swift.Sendable>: @unchecked Swift.Sendable {
    private enum Phase {
        case created
        case waiting(CheckedContinuation<Value, any Error>)
        case ended
    }

    private var phase = Phase.created
    private var isCancelled = false
    /// Cancels the call, because its task was cancelled. `finish(_:)` follows, perhaps later.
    var onCancel: (() -> Void)?

    /// Starts the call, unless it was cancelled before.
    func begin(_ continuation: CheckedContinuation<Value, any Error>, _ start: (AwaitedCall) -> Void) {
        phase = .waiting(continuation)
        if isCancelled { return finish(.failure(CancellationError())) }
        start(self)
        if hasEnded { onCancel = nil }
    }

    /// Ends the call. Only the first time counts.
    func finish(_ result: Result<Value, any Error>) {
        guard case .waiting(let continuation) = phase else { return }
        phase = .ended
        onCancel = nil
        continuation.resume(with: result)
    }

    /// The task was cancelled. Does nothing if the call has ended.
    func cancel() {
        isCancelled = true
        let undo = onCancel
        onCancel = nil
        undo?()
    }

    private var hasEnded: Bool {
        if case .ended = phase { true } else { false }
    }
}

extension AwaitedCall {
    /// A completion that ends the call. If it is released without being called, the call ends with `dropped`.
    func completion<Outcome>(_ result: @escaping (Outcome) -> Result<Value, any Error>, dropped: Outcome) -> Completion<
        Outcome
    > {
        Completion(fallback: dropped) { self.finish(result($0)) }
    }
}

/// Starts a call on the main queue and waits for its end, from any actor.
///
/// If the caller is on the main queue, the call starts at once. Otherwise calls start in their order.
///
/// - Parameters:
///   - isolation: where the caller runs.
///   - start: starts the call, on the main queue.
/// - Throws: `CancellationError` if the task is cancelled before the call has ended.
func awaitCall<Value: Swift.Sendable>(
    isolation: isolated (any Actor)? = #isolation,
    _ start: @escaping @Sendable (AwaitedCall<Value>) -> Void
) async throws -> Value {
    try Task.checkCancellation()
    let call = AwaitedCall<Value>()
    return try await withTaskCancellationHandler {
        // A closure runs where the function runs only if it mentions this. Without it, calls could lose their order.
        _ = isolation
        // With the executor, the answer does not take a detour through the global one.
        return try await withTaskExecutorPreference(MainQueueExecutor.shared) {
            try await withCheckedThrowingContinuation { continuation in
                let begin: @Sendable () -> Void = { call.begin(continuation, start) }
                MainQueue.run(begin)
            }
        }
    } onCancel: {
        // Later, because the runtime may hold a lock of the task, and the end of an operation calls the program.
        MainQueue.later { call.cancel() }
    }
}
