import Logging
import MainLoop
import Synchronization

/// Passes messages to the log observers, and to the logger of this layer.
///
/// Can be used on any thread.
final class Log: Swift.Sendable {
    private let observers = Mutex(WeakObservers<any LogObserver>())
    private let logger: Logger

    init(_ logger: Logger = Logger(.bluejay)) {
        self.logger = logger
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
        log(message, at: .debug)
    }

    /// Logs a message about a single value or step. There may be thousands of them in a second.
    func detail(_ message: @autoclosure () -> String) {
        log(message, at: .trace)
    }

    /// Nothing is put together that nobody takes.
    private func log(_ message: () -> String, at level: Logger.Level) {
        let living = living
        let isLogged = logger.logLevel <= level
        guard isLogged || !living.isEmpty else { return }
        let text = message()
        if isLogged { logger.log(level: level, "\(text)") }
        // Outside the lock, because an observer may log or register in turn.
        for observer in living { observer.debug(text) }
    }

    private var living: [any LogObserver] {
        // Unchecked: observers can be called on any thread (see LogObserver).
        observers.withLock { UncheckedTransfer($0.living) }.value
    }
}
