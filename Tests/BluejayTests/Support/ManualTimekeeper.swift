import Foundation

@testable import Bluejay

/// Time that passes only on command.
final class ManualTimekeeper: Timekeeper {
    private(set) var now: TimeInterval = 1_000
    private var alarms: [(due: TimeInterval, alarm: Alarm)] = []

    func after(_ seconds: TimeInterval, _ action: @escaping () -> Void) -> Alarm {
        let alarm = Alarm(action)
        alarms.append((now + max(0, seconds), alarm))
        alarm.onEnd { [weak self, weak alarm] in self?.alarms.removeAll { $0.alarm === alarm } }
        return alarm
    }

    /// Lets time pass, and everything happen that is due meanwhile, in order.
    func advance(by seconds: TimeInterval) {
        let end = now + seconds
        while let next = alarms.min(by: { $0.due < $1.due }), next.due <= end {
            now = max(now, next.due)
            next.alarm.fire()
        }
        now = end
    }

    /// How many calls are due some time.
    var pendingCount: Int { alarms.count }
}
