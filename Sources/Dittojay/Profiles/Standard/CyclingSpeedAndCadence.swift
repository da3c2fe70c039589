import CoreBluetooth
import GATTProfiles

/// The Cycling Speed and Cadence Service (1816). Specification: Cycling Speed and Cadence Service 1.0.
enum CyclingSpeedAndCadence {
    static let service = "1816"
    static let measurement = "2A5B"
    static let feature = "2A5C"
    static let sensorLocation = "2A5D"

    static let characteristics: [CharacteristicProfile] = [
        .measurement(measurement, .notify, every: 1),
        // Wheel revolutions, crank revolutions, several sensor locations.
        .constant(feature, [0b111, 0]),
        .simulated(sensorLocation, .read),
        .controlPoint(SpeedCadenceControlPoint.uuid),
    ]

    /// The value of CSC Measurement.
    struct Measurement {
        /// Revolutions, and the time of the last one in 1/1024 s.
        var wheel: (revolutions: UInt32, time: UInt16)?
        var crank: (revolutions: UInt16, time: UInt16)?

        var bytes: [UInt8] {
            var value = ValueBuilder()
            value.append((wheel == nil ? 0 : 1 << 0) | (crank == nil ? 0 : 1 << 1) as UInt8)
            if let wheel { value.append(wheel) }
            if let crank { value.append(crank) }
            return value.bytes
        }
    }

    final class Model: ServiceModel {
        private var rider: Rider
        // Rear wheel, front wheel, left crank.
        private var controlPoint = SpeedCadenceControlPoint(locations: [12, 4, 5], calibrates: false)

        init(_ setup: ModelSetup) {
            rider = Rider(seed: setup.seed)
        }

        func measurement(of uuid: String, maximumLength: Int) -> [UInt8]? {
            rider.ride(for: 1)
            return Measurement(
                wheel: (rider.wheel.count, rider.wheel.lastEvent(inUnitsOf: 1024)),
                crank: (UInt16(truncatingIfNeeded: rider.crank.count), rider.crank.lastEvent(inUnitsOf: 1024))
            ).bytes
        }

        func value(of uuid: String) -> [UInt8]? {
            uuid == CyclingSpeedAndCadence.sensorLocation ? [controlPoint.location] : nil
        }

        func write(_ value: [UInt8], to uuid: String, by client: ModelClient) throws(CBATTError) {
            try controlPoint.write(value, by: client) { rider.wheel.count = $0 }
        }

        func nextMessage() -> ModelMessage? { controlPoint.next() }
        func unsubscribed(from uuid: String) { controlPoint.unsubscribed(from: uuid) }
    }
}
