import Synchronization

/// A value behind a mutex, as a class, so that it can be a stored property of a final class and of a closure's capture.
final class MutexBox<Value: Swift.Sendable>: Swift.Sendable {
    private let mutex: Mutex<Value>

    init(_ value: Value) {
        mutex = Mutex(value)
    }

    var value: Value { mutex.withLock { $0 } }

    /// Stores `newValue` and answers the value that it replaces.
    func exchange(_ newValue: Value) -> Value {
        mutex.withLock { value in
            let old = value
            value = newValue
            return old
        }
    }
}
