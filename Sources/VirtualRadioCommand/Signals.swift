import Glibc
import Posix

/// The signals that this program takes: SIGUSR1 begins the time of a scene that waits for it, and those that end
/// programs end this one in order. Each becomes a byte in a pipe, which is polled like everything else.
final class Signals {
    // Written to once, before there is a handler that reads it.
    nonisolated(unsafe) private static var pipe: Int32 = -1

    /// To be polled.
    let descriptor: Int32
    private(set) var isEnding = false
    /// Whether a scene is to begin.
    private(set) var begins = false

    init() throws(SystemError) {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { throw SystemError("cannot create a pipe") }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        descriptor = ends[0]
        Self.pipe = ends[1]
        for number in [SIGUSR1, SIGTERM, SIGINT, SIGHUP] {
            signal(number) { number in
                let error = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(Signals.pipe, &byte, 1)
                errno = error
            }
        }
        signal(SIGPIPE, SIG_IGN)
    }

    /// Takes note of what has arrived.
    func take() {
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1 {
            if Int32(byte) == SIGUSR1 { begins = true } else { isEnding = true }
        }
    }

    /// The scene has begun.
    func begun() {
        begins = false
    }
}
