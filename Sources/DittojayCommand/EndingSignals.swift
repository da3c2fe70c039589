import Foundation

/// The signals that end a command that runs until then.
struct EndingSignals {
    private var set = sigset_t()

    /// From now on they do not end the process by themselves. To be made before there are other threads, which would
    /// take them.
    init() {
        sigemptyset(&set)
        for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&set, number) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits for one of them. Blocks the calling thread.
    mutating func wait() {
        var number: Int32 = 0
        sigwait(&set, &number)
    }
}
