/// A clock with timers. Tests replace it by one whose time passes only on command.
protocol Clock: AnyObject {
    /// Seconds on a clock that never goes back.
    var now: TimeInterval { get }

    /// Calls a closure once on the main queue, unless it is cancelled before.
    ///
    /// - Parameter seconds: from now. Zero or less means as soon as possible.
    func after(_ seconds: TimeInterval, _ action: @escaping () -> Void) -> OneShotTimer
}

/// A timer that fires once. After it was cancelled on the main queue, it does not fire.
final class OneShotTimer {
    private var action: (() -> Void)?
    private var release: (() -> Void)?

    init(_ action: @escaping () -> Void) {
        self.action = action
    }

    /// Sets what releases the underlying timer when the oneShot has fired or was cancelled.
    func onEnd(_ release: @escaping () -> Void) {
        self.release = release
    }

    func fire() {
        let due = action
        cancel()
        due?()
    }

    func cancel() {
        action = nil
        release?()
        release = nil
    }
}

/// The real time, with dispatch timers on the main queue. A Foundation timer never fires under `dispatchMain()`.
final class DispatchClock: Clock {
    var now: TimeInterval {
        TimeInterval(DispatchTime.now().uptimeNanoseconds) / 1e9
    }

    func after(_ seconds: TimeInterval, _ action: @escaping () -> Void) -> OneShotTimer {
        let oneShot = OneShotTimer(action)
        let timer = DispatchSource.makeTimerSource(queue: .main)
        let transfer = UncheckedTransfer(oneShot)
        timer.setEventHandler { transfer.value.fire() }
        timer.schedule(deadline: .now() + max(0, seconds))
        oneShot.onEnd { timer.cancel() }
        timer.resume()
        return oneShot
    }
}
