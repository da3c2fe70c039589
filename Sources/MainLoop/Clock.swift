package import Foundation

/// A clock with timers on a serial queue. Tests replace it by one whose time passes only on command.
package protocol Clock: AnyObject {
    /// The serial queue that the clock is used on, and that its timers fire on.
    var queue: DispatchQueue { get }

    /// Seconds on a clock that never goes back.
    var now: TimeInterval { get }

    /// Calls a closure once on the queue, unless it is cancelled before.
    ///
    /// - Parameter seconds: from now. Zero or less means as soon as possible, but not inside the call.
    @discardableResult
    func after(_ seconds: TimeInterval, _ action: @escaping () -> Void) -> OneShotTimer
}

/// A timer that fires once. After it was cancelled on its clock's queue, it does not fire. It runs whether or not
/// somebody holds it.
package final class OneShotTimer {
    private var action: (() -> Void)?
    private var release: (() -> Void)?

    package init(_ action: @escaping () -> Void) {
        self.action = action
    }

    /// Sets what releases the underlying timer when this one has fired or was cancelled.
    package func onEnd(_ release: @escaping () -> Void) {
        self.release = release
    }

    package func fire() {
        let due = action
        cancel()
        due?()
    }

    package func cancel() {
        action = nil
        release?()
        release = nil
    }
}

/// The real time, with dispatch timers. A Foundation timer never fires under `dispatchMain()`.
package final class DispatchClock: Clock {
    package let queue: DispatchQueue

    package init(queue: DispatchQueue) {
        self.queue = queue
    }

    package var now: TimeInterval {
        TimeInterval(DispatchTime.now().uptimeNanoseconds) / 1e9
    }

    @discardableResult
    package func after(_ seconds: TimeInterval, _ action: @escaping () -> Void) -> OneShotTimer {
        let oneShot = OneShotTimer(action)
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { oneShot.fire() }
        timer.schedule(deadline: .now() + max(0, seconds))
        oneShot.onEnd { timer.cancel() }
        timer.resume()
        return oneShot
    }
}
