import LineOutput
import Synchronization

/// Where messages go: to the log observers, or to standard error while there are none.
///
/// May be used from any thread.
final class Log: Swift.Sendable {
    private let observers = Mutex(WeakObservers<any LogObserver>())
    private let standardError: @Sendable (String) -> Void

    /// - Parameter standardError: writes a message when nobody observes the log.
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

    /// Logs a message, literally.
    func callAsFunction(_ message: @autoclosure () -> String) {
        let living = living
        let text = message()
        if living.isEmpty { return standardError(text) }
        // Outside the lock, because an observer may log or register.
        for observer in living { observer.debug(text) }
    }

    /// Logs a message about a single value or step, of which there may be thousands in a second: for observers only, and
    /// not even put together without one.
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
