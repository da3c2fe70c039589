import CoreBluetooth

/// How one characteristic of a running peripheral answers. Used on the peripheral's queue only.
protocol CharacteristicBehaviour: AnyObject {
    /// The whole value as it is read.
    ///
    /// - Throws: the answer that the central gets instead.
    func read() throws(CBATTError) -> Data

    /// What a write that begins at an offset builds on.
    var valueBeforeWrite: Data { get }

    /// Takes a whole value that was written.
    ///
    /// - Throws: the answer that the central gets instead.
    func write(_ value: Data) throws(CBATTError)

    /// The first central has subscribed, or the last one has left.
    func subscriptionChanged(isSubscribed: Bool)

    /// Whether single reads and writes are worth telling; not where they come by the thousand.
    var reportsRequests: Bool { get }
}

extension CharacteristicBehaviour {
    func read() throws(CBATTError) -> Data { throw CBATTError(.readNotPermitted) }
    var valueBeforeWrite: Data { Data() }
    func write(_ value: Data) throws(CBATTError) { throw CBATTError(.writeNotPermitted) }
    func subscriptionChanged(isSubscribed: Bool) {}
    var reportsRequests: Bool { true }
}

/// What the behaviours of one service have in common, and what they ask of the peripheral.
final class ServiceContext {
    let queue: DispatchQueue
    let heartRate: HeartRateSettings
    let seed: UInt64
    /// The heart that a measurement of the service shows; there is one if a characteristic has asked for it.
    private(set) lazy var heart = SimulatedHeart(settings: heartRate, seed: seed, queue: queue)
    private(set) var hasHeart = false
    let sinkCounter = SinkCounter()

    init(queue: DispatchQueue, heartRate: HeartRateSettings, seed: UInt64) {
        self.queue = queue
        self.heartRate = heartRate
        self.seed = seed
    }

    func behaviour(of characteristic: SimulatedCharacteristic) -> any CharacteristicBehaviour {
        let profile = characteristic.profile
        switch profile.behaviour {
        case .constant: return StoredValue(profile.initialValue, lengths: nil)
        case .stored(let lengths): return StoredValue(profile.initialValue, lengths: lengths)
        case .onDemand: return OnDemand()
        case .heartRateMeasurement:
            hasHeart = true
            heart.send = { [weak characteristic] in characteristic?.sendNow($0) ?? true }
            heart.maximumLength = { [weak characteristic] in characteristic?.maximumNotificationLength ?? 20 }
            return HeartRateMeasuring(heart)
        case .heartRateControlPoint: return HeartRateControl(heart)
        case .sink: return Sink(sinkCounter)
        case .sinkCount: return SinkCountValue(sinkCounter)
        case .echo: return Echo { [weak characteristic] in characteristic?.sendOrWait($0) ?? false }
        }
    }
}
