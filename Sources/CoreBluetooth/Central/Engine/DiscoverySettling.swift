import MainLoop

/// Decides when the discovery of a device's attributes has settled: no further ones are expected.
///
/// bluetoothd reports a service, its characteristics and their descriptors one by one, and nothing says which is the
/// last. Characteristics were seen hundreds of milliseconds after their service. So what is looked for and not there
/// counts as missing only when no attribute has come for a while; and when something has come while it was waited for,
/// what belongs to it may follow.
///
/// The while is counted in steps of the loop's, not by the clock: what came while this program did not run is still to
/// be read when it runs again.
@LoopActor
final class DiscoverySettling {
    private static let step: Duration = .milliseconds(100)
    /// How many steps no attribute must have come before what is not there counts as missing.
    private static let quietSteps = 5
    /// How many steps no attribute must have come when what was waited for is there.
    private static let settlingSteps = 1
    /// For how long what is not there is waited for.
    static let quietTime = step * quietSteps

    private struct Wait {
        let isComplete: @LoopActor () -> Bool
        let work: @LoopActor () -> Void
        var sawAttribute = false
    }

    /// How many steps no attribute has come, as far as that matters.
    private var steps = quietSteps
    private var wait: Wait?
    private var timer: LoopSource?

    /// An attribute has come, or all of them are said to be there.
    func attributeAppeared() {
        steps = 0
        wait?.sawAttribute = true
        countStep()
    }

    /// Does `work` as soon as `isComplete` holds, or when it still does not after no attribute has come for a while.
    /// One at a time: a former one that still waits is forgotten.
    func whenComplete(_ isComplete: @escaping @LoopActor () -> Bool, _ work: @escaping @LoopActor () -> Void) {
        wait = Wait(isComplete: isComplete, work: work)
        evaluate()
    }

    /// Discards everything; nothing waits any longer.
    func clear() {
        steps = Self.quietSteps
        wait = nil
        timer = nil
    }

    private func countStep() {
        timer = .timer(after: Self.step) { [weak self] in
            guard let self else { return }
            steps += 1
            if steps < Self.quietSteps { countStep() }
            evaluate()
        }
    }

    private func evaluate() {
        guard let wait else { return }
        let needed = wait.isComplete() ? (wait.sawAttribute ? Self.settlingSteps : 0) : Self.quietSteps
        guard steps >= needed else { return }
        self.wait = nil
        wait.work()
    }
}
