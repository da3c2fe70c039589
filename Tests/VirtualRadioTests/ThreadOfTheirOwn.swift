import Dispatch
import Testing

/// Lets tests that calculate for seconds take turns on a thread of their own. There are as few threads for tests as
/// processors, and every test that waits for something would wait for these, too.
struct ThreadOfTheirOwn: TestTrait, SuiteTrait, TestScoping {
    private static let executor = Executor()

    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Self.executor) { try await function() }
    }

    private final class Executor: TaskExecutor {
        private let queue = DispatchQueue(label: "tests that calculate")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
}

extension Trait where Self == ThreadOfTheirOwn {
    static var onThreadOfTheirOwn: Self { Self() }
}
