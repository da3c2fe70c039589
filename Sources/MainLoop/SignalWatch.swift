package import Foundation

/// Calls a handler on a queue when the process gets a signal, which no longer ends it by itself.
package final class SignalWatch {
    /// What ends a program that runs until it is told to end.
    package static let ending = [SIGINT, SIGTERM, SIGHUP]

    private let sources: [any DispatchSourceSignal]

    /// Watches until it is released.
    ///
    /// - Parameters:
    ///   - numbers: the signals; they stay ignored when the watch has ended.
    ///   - handler: called with the number.
    package init(_ numbers: [Int32], queue: DispatchQueue, handler: @escaping (Int32) -> Void) {
        sources = numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { handler(number) }
            source.activate()
            return source
        }
    }

    deinit {
        for source in sources { source.cancel() }
    }

    /// Waits for a signal that ends the program, blocking the calling thread. To be made before it says that it runs.
    package final class End {
        private let semaphore = DispatchSemaphore(value: 0)
        private let watch: SignalWatch

        package init() {
            watch = SignalWatch(ending, queue: .global()) { [semaphore] _ in semaphore.signal() }
        }

        package func wait() { semaphore.wait() }
    }
}
