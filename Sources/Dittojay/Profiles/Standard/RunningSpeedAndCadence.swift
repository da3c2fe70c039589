import CoreBluetooth
import GATTProfiles

/// The Running Speed and Cadence Service (1814). Specification: Running Speed and Cadence Service 1.0.
enum RunningSpeedAndCadence {
    static let service = "1814"
    static let measurement = "2A53"
    static let feature = "2A54"
    static let sensorLocation = "2A5D"

    static let characteristics: [CharacteristicProfile] = [
        .measurement(measurement, .notify, every: 1),
        // Stride length, distance, walking or running, calibration, several sensor locations.
        .constant(feature, [0b1_1111, 0]),
        .simulated(sensorLocation, .read),
        .controlPoint(SpeedCadenceControlPoint.uuid),
    ]

    /// The value of RSC Measurement.
    struct Measurement: Hashable {
        /// Metres a second.
        var speed: Double
        /// Steps a minute.
        var cadence: UInt8
        /// Metres.
        var strideLength: Double?
        /// Metres.
        var distance: Double?
        var isRunning = false

        var bytes: [UInt8] {
            var flags: UInt8 = isRunning ? 1 << 2 : 0
            if strideLength != nil { flags |= 1 << 0 }
            if distance != nil { flags |= 1 << 1 }
            var value = ValueBuilder()
            value.append(flags)
            value.append(UInt16(min(max(speed * 256, 0), 65_535)))
            value.append(cadence)
            if let strideLength { value.append(UInt16(min(max(strideLength * 100, 0).rounded(), 65_535))) }
            if let distance { value.append(UInt32(truncatingIfNeeded: Int64(max(distance, 0) * 10))) }
            return value.bytes
        }
    }

    /// A runner who walks now and then.
    final class Model: ServiceModel {
        private var generator: SeededGenerator
        private var running = WanderingQuantity(2.5...4.2, step: 0.06)
        private var walking = WanderingQuantity(1.2...1.7, step: 0.03)
        private var distance = 0.0
        private var secondsLeft = 45
        private var isRunning = true
        // In the shoe, top of the shoe, hip.
        private var controlPoint = SpeedCadenceControlPoint(locations: [2, 1, 3], calibrates: true)

        init(_ setup: ModelSetup) {
            generator = SeededGenerator(seed: setup.seed)
        }

        func measurement(of uuid: String, maximumLength: Int) -> [UInt8]? {
            secondsLeft -= 1
            if secondsLeft < 0 {
                isRunning.toggle()
                secondsLeft = (isRunning ? 40 : 10) + Int(generator.unit() * 20)
            }
            let speed = isRunning ? running.next(&generator) : walking.next(&generator)
            let cadence = (isRunning ? 140 + speed * 8 : 80 + speed * 20) + generator.normal()
            distance += speed
            // A stride is two steps.
            return Measurement(
                speed: speed, cadence: UInt8(min(max(cadence, 0), 255)), strideLength: speed * 120 / cadence,
                distance: distance, isRunning: isRunning
            ).bytes
        }

        func value(of uuid: String) -> [UInt8]? {
            uuid == RunningSpeedAndCadence.sensorLocation ? [controlPoint.location] : nil
        }

        func write(_ value: [UInt8], to uuid: String, by client: ModelClient) throws(CBATTError) {
            // Tenths of a metre.
            try controlPoint.write(value, by: client) { distance = Double($0) / 10 }
        }

        func nextMessage() -> ModelMessage? { controlPoint.next() }
        func unsubscribed(from uuid: String) { controlPoint.unsubscribed(from: uuid) }
    }
}
