package import Foundation
package import MainLoop

/// A clock whose time passes only on command.
// @unchecked: it is used on its queue only, or by one thread that is alone in using what it belongs to.
package final class ManualClock: Clock, @unchecked Swift.Sendable {
    package let queue: DispatchQueue
    package private(set) var now: TimeInterval = 1_000
    private var timers: [(due: TimeInterval, timer: OneShotTimer)] = []

    package init(queue: DispatchQueue = .main) {
        self.queue = queue
    }

    @discardableResult
    package func after(_ seconds: TimeInterval, _ action: @escaping () -> Void) -> OneShotTimer {
        let timer = OneShotTimer(action)
        timers.append((now + max(0, seconds), timer))
        timer.onEnd { [weak self, weak timer] in self?.timers.removeAll { $0.timer === timer } }
        return timer
    }

    /// Lets time pass, and everything happen that is due meanwhile, in order.
    package func advance(by seconds: TimeInterval) {
        let end = now + seconds
        while let next = timers.min(by: { $0.due < $1.due }), next.due <= end {
            now = max(now, next.due)
            next.timer.fire()
        }
        now = end
    }

    /// How many calls are due some time.
    package var pendingCount: Int { timers.count }
}
