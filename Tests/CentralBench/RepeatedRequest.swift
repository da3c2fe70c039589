import CommandSupport

/// A request that is made a number of times, one after another, and how long each took: from the call until its
/// completion is called. Nothing else comes in between, such as a task that has to be resumed.
@MainActor
final class RepeatedRequest {
    typealias Completion = @MainActor (_ failure: (any Error)?) -> Void

    private let request: @MainActor (@escaping Completion) -> Void
    private var remaining: Int
    private var latencies = Latencies()
    private let continuation: CheckedContinuation<Latencies, any Error>

    /// Makes a request `count` times.
    ///
    /// - Throws: the first failure, after which the request is not made again.
    static func measure(
        _ count: Int, _ request: @escaping @MainActor (_ completion: @escaping Completion) -> Void
    ) async throws -> Latencies {
        try await withCheckedThrowingContinuation { RepeatedRequest(count, request, $0).next() }
    }

    private init(
        _ count: Int, _ request: @escaping @MainActor (@escaping Completion) -> Void,
        _ continuation: CheckedContinuation<Latencies, any Error>
    ) {
        remaining = count
        self.request = request
        self.continuation = continuation
    }

    private func next() {
        guard remaining > 0 else { return continuation.resume(returning: latencies) }
        remaining -= 1
        let begin = ContinuousClock.now
        request { [self] failure in
            if let failure { return continuation.resume(throwing: failure) }
            latencies.add(ContinuousClock.now - begin)
            next()
        }
    }
}
