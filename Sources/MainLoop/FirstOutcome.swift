import Synchronization

/// The outcome of a wait: whatever is reported first, such as an event or the end of the time. Later reports are
/// ignored.
///
/// May be used from any thread and any actor. One task waits for it.
package final class FirstOutcome<Value: Swift.Sendable>: Swift.Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case known(Value)
    }

    private let state = Mutex(State.open)

    package init() {}

    /// Reports an outcome. The waiting task resumes with it, if it is the first one.
    package func report(_ value: Value) {
        let waiting: CheckedContinuation<Value, Never>? = state.withLock { state in
            switch state {
            case .open:
                state = .known(value)
                return nil
            case .awaited(let continuation):
                state = .known(value)
                return continuation
            case .known: return nil
            }
        }
        waiting?.resume(returning: value)
    }

    /// Whether there is an outcome.
    package var isKnown: Bool {
        state.withLock { state in
            if case .known = state { true } else { false }
        }
    }

    /// Waits for the first outcome. Returns at once if it is known.
    package func value(isolation: isolated (any Actor)? = #isolation) async -> Value {
        await withCheckedContinuation { continuation in
            let known: Value? = state.withLock { state in
                if case .known(let value) = state { return value }
                state = .awaited(continuation)
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    /// Waits for the first outcome, and for `limit` at most; nil is forever.
    ///
    /// - Parameter fallback: the outcome when the time is over.
    package func value(
        within limit: Duration?, otherwise fallback: Value, isolation: isolated (any Actor)? = #isolation
    ) async -> Value {
        guard let limit else { return await value() }
        let timer = Task {
            try await Task.sleep(for: limit)
            report(fallback)
        }
        defer { timer.cancel() }
        return await value()
    }
}

extension FirstOutcome<Void> {
    package func report() { report(()) }

    /// Waits for an event, for `limit` at most.
    package func wait(within limit: Duration, isolation: isolated (any Actor)? = #isolation) async {
        await value(within: limit, otherwise: ())
    }
}
