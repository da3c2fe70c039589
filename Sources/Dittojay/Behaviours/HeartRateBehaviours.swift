import CoreBluetooth
import GATTProfiles

/// A heart that beats, and is measured, while somebody listens. Without a listener nothing runs.
final class SimulatedHeart {
    private(set) var simulation: HeartRateSimulation
    /// Sends a measurement; false if the earlier one still waits for room.
    var send: (Data) -> Bool = { _ in true }
    /// How many bytes a notification can carry at the moment.
    var maximumLength: () -> Int = { 20 }

    private let queue: DispatchQueue
    private var timer: (any DispatchSourceTimer)?
    /// A measurement that there was no room for.
    private var unsent: Data?

    init(settings: HeartRateSettings, seed: UInt64, queue: DispatchQueue) {
        simulation = HeartRateSimulation(settings: settings, seed: seed)
        self.queue = queue
    }

    deinit {
        timer?.cancel()
    }

    func start() {
        guard timer == nil else { return }
        let interval = simulation.settings.interval
        let timer = DispatchSource.makeTimerSource(queue: queue)
        // The first soon, so that nobody looks at an empty display, but not before the central has its answer.
        let nanoseconds = Int(interval * 1e9)
        timer.schedule(
            deadline: .now() + min(interval, 0.1), repeating: .nanoseconds(nanoseconds),
            leeway: .nanoseconds(nanoseconds / 100))
        timer.setEventHandler { [weak self] in self?.measure() }
        timer.activate()
        self.timer = timer
    }

    func stop() {
        timer?.cancel()
        timer = nil
        unsent = nil
    }

    func resetEnergy() {
        simulation.resetEnergy()
    }

    /// The simulation waits while the link is full, so that a slow central misses nothing.
    private func measure() {
        let measurement = unsent ?? Data(simulation.step(maximumLength: maximumLength()).bytes)
        unsent = send(measurement) ? nil : measurement
    }
}

/// Heart Rate Measurement.
final class HeartRateMeasuring: CharacteristicBehaviour {
    private let heart: SimulatedHeart

    init(_ heart: SimulatedHeart) {
        self.heart = heart
    }

    func subscriptionChanged(isSubscribed: Bool) {
        if isSubscribed { heart.start() } else { heart.stop() }
    }
}

/// Heart Rate Control Point.
final class HeartRateControl: CharacteristicBehaviour {
    private let heart: SimulatedHeart

    init(_ heart: SimulatedHeart) {
        self.heart = heart
    }

    func write(_ value: Data) throws(CBATTError) {
        guard value.count == 1 else { throw CBATTError(.invalidAttributeValueLength) }
        guard value.first == HeartRateService.ControlPoint.resetEnergyExpended else {
            throw CBATTError(.init(rawValue: HeartRateService.ControlPoint.notSupported) ?? .unlikelyError)
        }
        heart.resetEnergy()
    }
}
