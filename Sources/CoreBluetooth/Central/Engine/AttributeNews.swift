import DBus

/// Knows whether more of a device's attributes are to be expected.
///
/// bluetoothd reports a service, its characteristics and their descriptors one by one, and nothing says which is the last.
/// Characteristics were seen hundreds of milliseconds after their service. So what is looked for and not there counts as
/// missing only when no attribute has come for a while; and when something has come while it was waited for, what belongs to
/// it may follow.
@BusActor
final class AttributeNews {
    /// How long no attribute must have come before what is not there counts as missing.
    static let quietTime: Duration = .milliseconds(500)
    /// How long no attribute must have come when what was waited for is there.
    private static let settlingTime: Duration = .milliseconds(100)

    private struct Wait {
        let isComplete: @BusActor () -> Bool
        let work: @BusActor () -> Void
        var hasNews = false
    }

    private var last: ContinuousClock.Instant?
    private var wait: Wait?
    private var timer: LoopSource?

    /// An attribute has come, or all of them are said to be there.
    func came() {
        last = .now
        wait?.hasNews = true
    }

    /// Does `work` as soon as `isComplete` holds, or when it still does not after no attribute has come for a while.
    /// One at a time: a former one that still waits is forgotten.
    func whenComplete(_ isComplete: @escaping @BusActor () -> Bool, _ work: @escaping @BusActor () -> Void) {
        wait = Wait(isComplete: isComplete, work: work)
        evaluate()
    }

    /// Forgets everything: nobody waits any more.
    func clear() {
        last = nil
        wait = nil
        timer = nil
    }

    private func evaluate() {
        guard let wait else { return }
        let quiet = last.map { ContinuousClock.now - $0 } ?? Self.quietTime
        let needed = wait.isComplete() ? (wait.hasNews ? Self.settlingTime : .zero) : Self.quietTime
        if quiet >= needed {
            self.wait = nil
            timer = nil
            wait.work()
        } else {
            // Something may come before, after which less is needed.
            timer = .timer(after: min(needed - quiet, Self.settlingTime)) { [weak self] in self?.evaluate() }
        }
    }
}
