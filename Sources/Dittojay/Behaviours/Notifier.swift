import Foundation
import MainLoop

/// Sends a generator's values at intervals while a central is subscribed. Without a subscriber nothing runs.
final class Notifier {
    let generator: any ValueGenerator
    /// Sends a value; false if there is no room for it.
    var send: (Data) -> Bool = { _ in true }
    /// How many bytes a notification can carry at the moment.
    var maximumLength: () -> Int = { 20 }

    private let interval: Double
    private let clock: any Clock
    private var timer: OneShotTimer?
    /// When the timer fires.
    private var due = 0.0
    /// A value that there was no room for.
    private var unsent: Data?

    init(_ plan: NotificationPlan, seed: UInt64, simulated: ModelGenerator? = nil, clock: any Clock) {
        generator = plan.makeGenerator(seed: seed, simulated: simulated)
        interval = plan.interval
        self.clock = clock
    }

    func start() {
        guard timer == nil else { return }
        // The first value is sent soon, so that a display is not empty for long, but after the answer to the
        // subscription.
        due = clock.now + min(interval, 0.1)
        setTimer()
    }

    private func setTimer() {
        timer = clock.after(due - clock.now) { [weak self] in self?.tick() }
    }

    func stop() {
        timer?.cancel()
        timer = nil
        unsent = nil
    }

    /// While there is no room, the generator waits: a slow central misses nothing.
    private func tick() {
        // What the queue was too busy for is left out.
        due += interval * max(1, ((clock.now - due) / interval).rounded(.up))
        setTimer()
        guard !generator.isPaused else { return }
        guard let value = unsent ?? generator.next(maximumLength: maximumLength()) else { return stop() }
        unsent = send(value) ? nil : value
    }
}
