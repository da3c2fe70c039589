import Foundation

@testable import Bluejay

/// Time that passes only on command.
final class ManualClock: Clock {
    private(set) var now: TimeInterval = 1_000
    private var timers: [(due: TimeInterval, timer: OneShotTimer)] = []

    func after(_ seconds: TimeInterval, _ action: @escaping () -> Void) -> OneShotTimer {
        let timer = OneShotTimer(action)
        timers.append((now + max(0, seconds), timer))
        timer.onEnd { [weak self, weak timer] in self?.timers.removeAll { $0.timer === timer } }
        return timer
    }

    /// Lets time pass, and everything happen that is due meanwhile, in order.
    func advance(by seconds: TimeInterval) {
        let end = now + seconds
        while let next = timers.min(by: { $0.due < $1.due }), next.due <= end {
            now = max(now, next.due)
            next.timer.fire()
        }
        now = end
    }

    /// How many calls are due some time.
    var pendingCount: Int { timers.count }
}
