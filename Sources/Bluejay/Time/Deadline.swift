/// The first of an event and a time-out.
///
/// Whoever waits for an event sets the deadline, and clears it when the event comes. If the time is over before that, the
/// time-out is called instead, once. Releasing the deadline clears it, too. Used on the main queue only.
final class Deadline {
    private let timekeeper: any Timekeeper
    private var alarm: Alarm?

    init(_ timekeeper: any Timekeeper) {
        self.timekeeper = timekeeper
    }

    /// Whether neither the event nor the time-out has come.
    var isSet: Bool { alarm != nil }

    /// Counts from now on. Replaces an earlier deadline.
    ///
    /// - Parameters:
    ///   - seconds: how long to wait; nil is forever.
    ///   - onTimeout: called on the main queue when the time is over.
    func set(in seconds: TimeInterval?, onTimeout: @escaping () -> Void) {
        clear()
        guard let seconds else { return }
        alarm = timekeeper.after(seconds) { [weak self] in
            guard let self else { return }
            self.alarm = nil
            onTimeout()
        }
    }

    /// The event has come, or nobody waits any more: there will be no time-out.
    func clear() {
        alarm?.cancel()
        alarm = nil
    }
}

extension Bluejay {
    /// The first of an asynchronous work and a time-out.
    ///
    /// - Throws: what the work throws; ``BluejayError/listenTimedOut`` when the time is over. The work is cancelled then,
    ///   and has ended when this returns.
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
            let deadline = Deadline(self.timekeeper)
            deadline.set(in: seconds) { call.finish(.success(())) }
            // Keeps the deadline, too, until the call has ended.
            call.onCancel = {
                deadline.clear()
                call.finish(.failure(CancellationError()))
            }
        }
    }
}
