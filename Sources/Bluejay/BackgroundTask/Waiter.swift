/// Lets a background thread wait for something that happens on the main queue.
// @unchecked: `result` is written once, on the main queue, before the semaphore is signalled, and read after that.
final class Waiter<Value>: @unchecked Swift.Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private var result: Result<Value, any Error>?

    /// Ends the wait. Only the first call counts. Main queue only.
    func resume(_ result: Result<Value, any Error>) {
        MainQueue.require()
        guard self.result == nil else { return }
        self.result = result
        semaphore.signal()
    }

    /// Waits. Not on the main queue.
    func wait() throws -> Value {
        semaphore.wait()
        guard let result else { throw BluejayError.cancelled }
        return try result.get()
    }
}
