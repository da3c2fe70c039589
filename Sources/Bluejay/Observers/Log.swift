import LineOutput
import Synchronization

/// Passes messages to the log observers, or to standard error while there are none.
///
/// Can be used on any thread.
final class Log: Swift.Sendable {
    private let observers = Mutex(WeakObservers<any LogObserver>())
    private let standardError: @Sendable (String) -> Void

    /// - Parameter standardError: writes a message when there is no log observer.
    init(standardError: @escaping @Sendable (String) -> Void = Log.writeToStandardError) {
        self.standardError = standardError
    }

    func register(_ observer: any LogObserver) {
        let reference = WeakReference(observer)
        observers.withLock { list in
            guard let object = reference.object else { return }
            list.register(object)
        }
    }

    func unregister(_ observer: any LogObserver) {
        let reference = WeakReference(observer)
        observers.withLock { list in
            guard let object = reference.object else { return }
            list.unregister(object)
        }
    }

    /// Logs a message as it is, without interpreting `%` in it.
    func callAsFunction(_ message: @autoclosure () -> String) {
        let living = living
        let text = message()
        if living.isEmpty { return standardError(text) }
        // Outside the lock, because an observer may log or register in turn.
        for observer in living { observer.debug(text) }
    }

    /// Logs a message about a single value or step. There may be thousands of them in a second, so they go to observers
    /// only; without one, the message is not even created.
    func detail(_ message: @autoclosure () -> String) {
        let living = living
        if living.isEmpty { return }
        let text = message()
        for observer in living { observer.debug(text) }
    }

    private var living: [any LogObserver] {
        // Unchecked: observers can be called on any thread (see LogObserver).
        observers.withLock { UncheckedTransfer($0.living) }.value
    }

    private static func writeToStandardError(_ text: String) {
        StandardError.write("[Bluejay] \(text)")
    }
}
