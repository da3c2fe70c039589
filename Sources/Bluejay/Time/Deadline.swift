import MainLoop

/// The first of an event and a time-out.
///
/// An object that waits for an event sets the deadline, and clears it at the event. If the time is over before that,
/// the deadline calls its time-out instead, once. Releasing the deadline clears it, too. Used on the main queue only.
final class Deadline {
    private let clock: any Clock
    private var timer: OneShotTimer?

    init(_ clock: any Clock) {
        self.clock = clock
    }

    /// Whether the deadline is set and neither the event nor the time-out has occurred.
    var isSet: Bool { timer != nil }

    /// Starts the time. Replaces an earlier deadline.
    ///
    /// - Parameters:
    ///   - seconds: how long to wait; nil means forever.
    ///   - onTimeout: called on the main queue when the time is over.
    func set(in seconds: TimeInterval?, onTimeout: @escaping () -> Void) {
        clear()
        guard let seconds else { return }
        timer = clock.after(seconds) { [weak self] in
            guard let self else { return }
            self.timer = nil
            onTimeout()
        }
    }

    /// Stops the time, because the event has occurred or no longer matters.
    func clear() {
        timer?.cancel()
        timer = nil
    }
}

extension Bluejay {
    /// Runs asynchronous work that must not take longer than a timeout.
    ///
    /// - Throws: what the work throws, or ``BluejayError/listenTimedOut`` when the time is over. In that case the work
    ///   is cancelled, and has ended when this call throws.
    func withDeadline<Value: Swift.Sendable>(
        _ timeout: Timeout, isolation: isolated (any Actor)? = #isolation,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let seconds = timeout.interval else { return try await work() }
        return try await withThrowingTaskGroup(of: Value.self) { group in
            defer { group.cancelAll() }
            group.addTask(operation: work)
            group.addTask {
                try await self.waitForTimeout(seconds)
                throw BluejayError.listenTimedOut
            }
            guard let value = try await group.next() else { throw BluejayError.cancelled }
            return value
        }
    }

    private func waitForTimeout(_ seconds: TimeInterval) async throws {
        try await awaitCall { (call: AwaitedCall<Void>) in
            let deadline = Deadline(self.clock)
            deadline.set(in: seconds) { call.finish(.success(())) }
            // This also retains the deadline until the call has ended.
            call.onCancel = {
                deadline.clear()
                call.finish(.failure(CancellationError()))
            }
        }
    }
}
