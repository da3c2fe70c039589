/// How often a program is started again.
///
/// A program that dies again and again while it handles a value must not keep the machine busy: a few starts are free,
/// then there is a pause between them. One that does not even register is tried less and less often, and then no more.
package struct RestartPolicy: Hashable, Sendable {
    /// How many starts may follow each other without a pause.
    private static let burst = 10.0
    /// Seconds after which another start is free.
    private static let refill = 2.0
    /// How many starts in a row may come to nothing. The pauses between them add up to eight and a half minutes.
    package static let maximumFailures = 10

    private var tokens = burst
    private var last: Double?
    /// How many starts in a row have come to nothing.
    private var failures = 0

    package init() {}

    /// Whether it is no longer started, until it registers by itself.
    package var isExhausted: Bool { failures >= Self.maximumFailures }

    /// Seconds to wait before the next start.
    package func pause(at now: Double) -> Double {
        guard let last else { return 0 }
        let lacking = max(0, 1 - filled(now)) * Self.refill
        let penalty = failures == 0 ? 0 : Double(1 << min(failures - 1, Self.maximumFailures))
        return max(lacking, last + penalty - now, 0)
    }

    /// The program was started.
    package mutating func started(at now: Double) {
        tokens = max(0, filled(now) - 1)
        last = now
    }

    /// It has registered.
    package mutating func succeeded() { failures = 0 }

    /// It has ended, or time has passed, without that it registered.
    package mutating func failed() { failures += 1 }

    private func filled(_ now: Double) -> Double {
        guard let last else { return Self.burst }
        return min(Self.burst, tokens + max(0, now - last) / Self.refill)
    }
}
