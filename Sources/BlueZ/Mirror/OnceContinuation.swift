import MainLoop

/// Resumes a continuation at the first of several events.
@LoopActor
final class OnceContinuation {
    private var continuation: CheckedContinuation<Void, Never>?

    nonisolated init(_ continuation: CheckedContinuation<Void, Never>) {
        self.continuation = continuation
    }

    func resume() {
        continuation?.resume()
        continuation = nil
    }
}
