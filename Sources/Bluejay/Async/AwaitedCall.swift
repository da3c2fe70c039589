/// A call that a task waits for: resumes the task exactly once.
// @unchecked: used on the main queue only.
final class AwaitedCall<Value: Swift.Sendable>: @unchecked Swift.Sendable {
    private enum Phase {
        case created
        case waiting(CheckedContinuation<Value, any Error>)
        case ended
    }

    private var phase = Phase.created
    private var isCancelled = false
    /// Undoes what the call has begun, because the task was cancelled. It leads to `finish(_:)`, perhaps later.
    var onCancel: (() -> Void)?

    /// Begins the call, unless it was cancelled before.
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

    /// The task was cancelled. Nothing happens if the call is over.
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
    /// A completion that ends the call; if it is dropped without being called, the call fails.
    func completion<Outcome>(_ result: @escaping (Outcome) -> Result<Value, any Error>, dropped: Outcome) -> Completion<
        Outcome
    > {
        Completion(fallback: dropped) { self.finish(result($0)) }
    }
}

/// Begins a call on the main queue and waits for its end, from any actor.
///
/// On the main queue the call begins at once; elsewhere, in the order of the calls.
///
/// - Parameters:
///   - isolation: where the caller runs.
///   - start: begins the call; on the main queue.
/// - Throws: `CancellationError` if the task is cancelled before the call has ended.
func awaitCall<Value: Swift.Sendable>(
    isolation: isolated (any Actor)? = #isolation,
    _ start: @escaping @Sendable (AwaitedCall<Value>) -> Void
) async throws -> Value {
    try Task.checkCancellation()
    let call = AwaitedCall<Value>()
    return try await withTaskCancellationHandler {
        // A closure runs where the function does only if it mentions this; else calls would lose their order on the way.
        _ = isolation
        return try await withCheckedThrowingContinuation { continuation in
            let begin: @Sendable () -> Void = { call.begin(continuation, start) }
            MainQueue.run(begin)
        }
    } onCancel: {
        // Never at once: the runtime may hold a lock of the task, and the end of an operation calls the program back.
        MainQueue.later { call.cancel() }
    }
}
