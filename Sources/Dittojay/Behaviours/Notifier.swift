import Foundation

/// Sends a generator's values at intervals while a central is subscribed. Without a subscriber nothing runs.
final class Notifier {
    let generator: any ValueGenerator
    /// Sends a value; false if there is no room for it.
    var send: (Data) -> Bool = { _ in true }
    /// How many bytes a notification can carry at the moment.
    var maximumLength: () -> Int = { 20 }

    private let interval: Double
    private let queue: DispatchQueue
    private var timer: (any DispatchSourceTimer)?
    /// A value that there was no room for.
    private var unsent: Data?

    init(_ plan: NotificationPlan, seed: UInt64, simulated: ModelGenerator? = nil, queue: DispatchQueue) {
        generator = plan.makeGenerator(seed: seed, simulated: simulated)
        interval = plan.interval
        self.queue = queue
    }

    deinit {
        timer?.cancel()
    }

    func start() {
        guard timer == nil else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        // The first value is sent soon, so that a display is not empty for long, but after the answer to the
        // subscription.
        let nanoseconds = Int(interval * 1e9)
        timer.schedule(
            deadline: .now() + min(interval, 0.1), repeating: .nanoseconds(nanoseconds),
            leeway: .nanoseconds(nanoseconds / 100))
        timer.setEventHandler { [weak self] in self?.tick() }
        timer.activate()
        self.timer = timer
    }

    func stop() {
        timer?.cancel()
        timer = nil
        unsent = nil
    }

    /// While there is no room, the generator waits: a slow central misses nothing.
    private func tick() {
        guard !generator.isPaused else { return }
        guard let value = unsent ?? generator.next(maximumLength: maximumLength()) else { return stop() }
        unsent = send(value) ? nil : value
    }
}
