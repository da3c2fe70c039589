/// The calls that tasks wait for: each until it is finished, its limit is over or its task is cancelled.
///
/// One timer serves them all. It is not set again for each call: one that was set for an earlier call may fire in vain.
@MainActor
final class PendingCalls {
    /// Finishes a call. Only the first time counts.
    typealias Finish<Answer> = @MainActor (Result<Answer, CentralError>) -> Void

    /// What a call waits for.
    enum Kind {
        /// A value of the device, or that it sends values.
        case value
        /// Another answer of the device, or of the system.
        case answer
        /// A state of Bluetooth.
        case state
    }

    private struct Call {
        let kind: Kind
        let begin: ContinuousClock.Instant
        /// In seconds.
        let limit: TimeInterval?
        let fail: @MainActor (CentralError) -> Void

        var end: ContinuousClock.Instant? { limit.map { begin + .seconds($0) } }
    }

    private var calls: [Int: Call] = [:]
    private var lastNumber = 0
    private let timer = DispatchSource.makeTimerSource(queue: .main)
    /// When the timer fires.
    private var alarm: ContinuousClock.Instant?

    init() {
        timer.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.timeIsUp() } }
        timer.activate()
    }

    /// Starts a call and waits for its end.
    ///
    /// - Parameters:
    ///   - limit: how long it may take, in seconds; nil for no limit.
    ///   - start: starts it, and gets what finishes it.
    func wait<Answer: Swift.Sendable>(
        for kind: Kind = .answer, within limit: TimeInterval?, _ start: (@escaping Finish<Answer>) -> Void
    ) async throws(CentralError) -> Answer {
        lastNumber += 1
        let number = lastNumber
        let result: Result<Answer, CentralError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(returning: .failure(.cancelled)) }
                let finish: Finish<Answer> = { [weak self] result in
                    guard let self, calls.removeValue(forKey: number) != nil else { return }
                    continuation.resume(returning: result)
                }
                let call = Call(kind: kind, begin: .now, limit: limit) { finish(.failure($0)) }
                calls[number] = call
                if let end = call.end { setTimer(for: end) }
                start(finish)
            }
        } onCancel: {
            DispatchQueue.main.async { MainActor.assumeIsolated { self.calls[number]?.fail(.cancelled) } }
        }
        return try result.get()
    }

    /// Fails the calls, in their order.
    ///
    /// - Parameter error: why; nil for a call that goes on. Gets what the call waits for, and for how long it has.
    func fail(_ error: (Kind, Duration) -> CentralError?) {
        let now = ContinuousClock.now
        for (_, call) in calls.sorted(by: { $0.key < $1.key }) {
            if let error = error(call.kind, now - call.begin) { call.fail(error) }
        }
    }

    private func setTimer(for end: ContinuousClock.Instant) {
        if let alarm, alarm <= end { return }
        alarm = end
        timer.schedule(deadline: .now() + end.secondsLeft)
    }

    private func timeIsUp() {
        alarm = nil
        let now = ContinuousClock.now
        for (_, call) in calls.sorted(by: { $0.key < $1.key }) {
            if let limit = call.limit, let end = call.end, end <= now { call.fail(.noAnswer(within: limit)) }
        }
        if let next = calls.values.compactMap(\.end).min() { setTimer(for: next) }
    }
}

extension ContinuousClock.Instant {
    /// The time until then, in seconds; 0 if it is over.
    package var secondsLeft: TimeInterval {
        let time = (self - .now).components
        return max(Double(time.seconds) + Double(time.attoseconds) / 1e18, 0)
    }
}
