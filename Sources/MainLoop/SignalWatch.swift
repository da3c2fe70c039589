package import Foundation

/// Calls a handler on a queue when the process gets a signal, which no longer ends it by itself.
package final class SignalWatch {
    /// What ends a program that runs until it is told to end.
    package static let ending = [SIGINT, SIGTERM, SIGHUP]

    private let sources: [any DispatchSourceSignal]
    private let life = Life()

    /// As long as the watch.
    private final class Life: Swift.Sendable {}

    /// Watches until it is released. When this returns, no signal is missed any longer.
    ///
    /// SIGHUP is not watched for if the process was told to ignore it, as by nohup.
    ///
    /// - Parameters:
    ///   - numbers: the signals; they stay ignored when the watch has ended.
    ///   - handler: called with the number.
    package init(_ numbers: [Int32], queue: DispatchQueue, handler: @escaping @Sendable (Int32) -> Void) {
        // Dispatch replaces the action on a thread of its own, and for a signal's first source only. Until then the
        // signal ends the process.
        let watched = DispatchGroup()
        let life = life
        sources = numbers.filter { $0 != SIGHUP || !Self.isIgnored($0) }.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [weak life] in
                queue.async { [weak life] in if life != nil { handler(number) } }
            }
            source.setRegistrationHandler { watched.leave() }
            watched.enter()
            source.activate()
            return source
        }
        watched.wait()
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        return sigaction(number, nil, &action) == 0
            && unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
                == unsafeBitCast(SIG_IGN, to: Int.self)
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
