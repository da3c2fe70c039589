import Dispatch

/// Runs tasks on the main queue that would otherwise run on Swift's global executor.
///
/// A task that waits for a continuation is resumed on the global executor, and only then returns to its actor (Swift
/// 6.3). For a task of the main actor that is two more switches between threads for every call that it awaits. With
/// this as its preferred executor it resumes where it belongs: `withTaskExecutorPreference(MainQueueExecutor.shared)`.
package final class MainQueueExecutor: TaskExecutor {
    package static let shared = MainQueueExecutor()

    private let queue = DispatchQueue.main

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in
            // The main queue is the main actor's, too. If this were not said, the task would be queued again for each
            // call of the main actor that it awaits.
            job.runSynchronously(isolatedTo: MainActor.sharedUnownedExecutor, taskExecutor: asUnownedTaskExecutor())
        }
    }
}
