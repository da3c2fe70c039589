import CoreBluetooth
import GATTProfiles

/// Keeps a value.
final class StoredValue: CharacteristicBehaviour {
    private var value: Data
    /// Which lengths may be written; nil if nothing may.
    private let lengths: ClosedRange<Int>?

    init(_ initialValue: [UInt8], lengths: ClosedRange<Int>?) {
        value = Data(initialValue)
        self.lengths = lengths
    }

    func read() -> Data { value }

    var valueBeforeWrite: Data { value }

    func write(_ value: Data) throws(CBATTError) {
        guard let lengths else { throw CBATTError(.writeNotPermitted) }
        guard lengths.contains(value.count) else { throw CBATTError(.invalidAttributeValueLength) }
        self.value = value
    }
}

/// Only sends, and only what the user asks for.
final class OnDemand: CharacteristicBehaviour {}

/// What has arrived at a sink.
final class SinkCounter {
    var count = LabService.SinkCount()
}

/// Swallows what is written.
final class Sink: CharacteristicBehaviour {
    private let counter: SinkCounter

    init(_ counter: SinkCounter) {
        self.counter = counter
    }

    func write(_ value: Data) {
        counter.count.writes += 1
        counter.count.byteCount += UInt64(value.count)
    }

    var reportsRequests: Bool { false }
}

/// Tells what a sink has swallowed.
final class SinkCountValue: CharacteristicBehaviour {
    private let counter: SinkCounter

    init(_ counter: SinkCounter) {
        self.counter = counter
    }

    func read() -> Data { Data(counter.count.bytes) }

    func write(_ value: Data) {
        counter.count = LabService.SinkCount()
    }
}

/// Sends back what is written.
final class Echo: CharacteristicBehaviour {
    private let send: (Data) -> Bool

    init(_ send: @escaping (Data) -> Bool) {
        self.send = send
    }

    func write(_ value: Data) throws(CBATTError) {
        guard send(value) else { throw CBATTError(.insufficientResources) }
    }
}
