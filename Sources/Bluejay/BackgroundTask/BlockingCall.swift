/// A call of a background task: blocks the task's thread until the call has ended on the main queue.
// @unchecked: `result` is written once, on the main queue, before the semaphore is signalled, and read after that.
final class BlockingCall<Value>: @unchecked Swift.Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private var result: Result<Value, any Error>?

    /// Ends the call. Only the first time counts. Main queue only.
    func finish(_ result: Result<Value, any Error>) {
        MainQueue.require()
        guard self.result == nil else { return }
        self.result = result
        semaphore.signal()
    }

    /// Waits for the end. Not on the main queue.
    func wait() throws -> Value {
        semaphore.wait()
        guard let result else { throw BluejayError.cancelled }
        return try result.get()
    }
}
