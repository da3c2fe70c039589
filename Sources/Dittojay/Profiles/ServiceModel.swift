import CoreBluetooth
import GATTProfiles

/// What a standard service does beyond what data can describe: values that belong together, and the procedures of a
/// control point. Its characteristics are named by their UUIDs. Used on the peripheral's queue only.
protocol ServiceModel: AnyObject {
    /// Lets the characteristic's interval pass, and gives the value that is sent then; nil if nothing more is sent.
    ///
    /// - Parameter maximumLength: how many bytes a notification can carry at the moment.
    func measurement(of uuid: String, maximumLength: Int) -> [UInt8]?

    /// Whether the characteristic sends nothing for now, even to subscribers.
    func isPaused(_ uuid: String) -> Bool

    /// What a read gives; nil for what was stored.
    ///
    /// - Throws: the answer that the central gets instead.
    func value(of uuid: String) throws(CBATTError) -> [UInt8]?

    /// Takes a value that was written. What follows from it comes by ``nextMessage()``.
    ///
    /// - Throws: the answer that the central gets instead.
    func write(_ value: [UInt8], to uuid: String, by client: ModelClient) throws(CBATTError)

    /// The next value that is to be sent in consequence of a write. It is asked for when the one before was handed
    /// over.
    func nextMessage() -> ModelMessage?

    /// Nobody is subscribed to a characteristic any longer.
    func unsubscribed(from uuid: String)
}

extension ServiceModel {
    func measurement(of uuid: String, maximumLength: Int) -> [UInt8]? { nil }
    func isPaused(_ uuid: String) -> Bool { false }
    func value(of uuid: String) throws(CBATTError) -> [UInt8]? { nil }
    func write(_ value: [UInt8], to uuid: String, by client: ModelClient) throws(CBATTError) {}
    func nextMessage() -> ModelMessage? { nil }
    func unsubscribed(from uuid: String) {}
}

/// What a model gets to know of the central that writes.
struct ModelClient {
    /// Whether a characteristic is subscribed to.
    let isSubscribed: (_ uuid: String) -> Bool
}

/// A value that a model sends.
struct ModelMessage: Hashable {
    /// Of the characteristic.
    let uuid: String
    let value: [UInt8]
    /// How many seconds pass before it is sent.
    var pause = 0.0
}

/// What a model begins with.
struct ModelSetup {
    let seed: UInt64
    let clock: DeviceClock
}

/// The clock of a simulated device, set to the local time.
struct DeviceClock: Swift.Sendable {
    /// Seconds since the beginning of 1970, in local time.
    let now: @Sendable () -> Double
    /// How many seconds local time is ahead of UTC.
    let offset: Int

    static let system = DeviceClock(
        now: { Date().timeIntervalSince1970 + Double(TimeZone.current.secondsFromGMT()) },
        offset: TimeZone.current.secondsFromGMT())
}

/// Sends what a model measures.
final class ModelGenerator: ValueGenerator {
    private let model: any ServiceModel
    private let uuid: String

    init(_ model: any ServiceModel, _ uuid: String) {
        self.model = model
        self.uuid = uuid
    }

    var isPaused: Bool { model.isPaused(uuid) }

    func next(maximumLength: Int) -> Data? {
        model.measurement(of: uuid, maximumLength: maximumLength).map { Data($0) }
    }
}

/// A quantity that wanders within its limits, and is drawn back to their middle.
struct WanderingQuantity {
    let range: ClosedRange<Double>
    /// The typical change from one value to the next.
    let step: Double
    private(set) var value: Double

    /// - Parameter first: the middle if nil.
    init(_ range: ClosedRange<Double>, step: Double, first: Double? = nil) {
        self.range = range
        self.step = step
        value = first ?? (range.lowerBound + range.upperBound) / 2
    }

    mutating func next(_ generator: inout SeededGenerator) -> Double {
        let middle = (range.lowerBound + range.upperBound) / 2
        value += generator.normal() * step + (middle - value) * 0.02
        value = min(max(value, range.lowerBound), range.upperBound)
        return value
    }
}
