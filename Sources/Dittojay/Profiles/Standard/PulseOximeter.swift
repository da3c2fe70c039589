import CoreBluetooth
import GATTProfiles

/// The Pulse Oximeter Service (1822), without stored measurements, and so without a control point. Specification: Pulse
/// Oximeter Service 1.0.
enum PulseOximeter {
    static let service = "1822"
    static let spotCheck = "2A5E"
    static let continuous = "2A5F"
    static let features = "2A60"

    static let characteristics: [CharacteristicProfile] = [
        .measurement(spotCheck, .indicate, every: 10),
        .measurement(continuous, .notify, every: 1),
        // Supported Features: measurement status, time stamps, fast values, amplitude; then which measurement
        // statuses: measurement ongoing, validated data.
        .constant(features, [0b0101_1001, 0, 0b1010_0000, 0]),
    ]

    /// Saturation in percent and pulse rate in beats per minute: SpO2PR.
    struct Reading: Hashable {
        var saturation: Double
        var pulseRate: Double

        fileprivate func append(to value: inout ValueBuilder) {
            value.append(shortFloat: saturation, places: 1)
            value.append(shortFloat: pulseRate, places: 0)
        }
    }

    /// Measurement Status.
    static let measurementOngoing: UInt16 = 1 << 5
    static let validatedData: UInt16 = 1 << 7

    /// The value of PLX Spot-check Measurement.
    struct SpotCheck: Hashable {
        var reading: Reading
        var time: DateTime?
        var status: UInt16?
        /// The strength of the pulse, in percent.
        var amplitude: Double?

        var bytes: [UInt8] {
            var flags: UInt8 = 0
            if time != nil { flags |= 1 << 0 }
            if status != nil { flags |= 1 << 1 }
            if amplitude != nil { flags |= 1 << 3 }
            var value = ValueBuilder()
            value.append(flags)
            reading.append(to: &value)
            if let time { value.append(time) }
            if let status { value.append(status) }
            if let amplitude { value.append(shortFloat: amplitude, places: 1) }
            return value.bytes
        }
    }

    /// The value of PLX Continuous Measurement.
    struct Continuous: Hashable {
        var reading: Reading
        /// Over fewer beats.
        var fast: Reading?
        var status: UInt16?
        /// The strength of the pulse, in percent.
        var amplitude: Double?

        var bytes: [UInt8] {
            var flags: UInt8 = 0
            if fast != nil { flags |= 1 << 0 }
            if status != nil { flags |= 1 << 2 }
            if amplitude != nil { flags |= 1 << 4 }
            var value = ValueBuilder()
            value.append(flags)
            reading.append(to: &value)
            fast?.append(to: &value)
            if let status { value.append(status) }
            if let amplitude { value.append(shortFloat: amplitude, places: 1) }
            return value.bytes
        }
    }

    /// A finger with a clip on it.
    final class Model: ServiceModel {
        private let clock: DeviceClock
        private var generator: SeededGenerator
        private var saturation = WanderingQuantity(94...99.4, step: 0.2, first: 97.5)
        private var pulse = WanderingQuantity(56...88, step: 0.8)
        private var amplitude = WanderingQuantity(1.5...9, step: 0.3)

        init(_ setup: ModelSetup) {
            clock = setup.clock
            generator = SeededGenerator(seed: setup.seed)
        }

        func measurement(of uuid: String, maximumLength: Int) -> [UInt8]? {
            let reading = Reading(
                saturation: saturation.next(&generator), pulseRate: pulse.next(&generator).rounded())
            let amplitude = amplitude.next(&generator)
            guard uuid == PulseOximeter.continuous else {
                return SpotCheck(
                    reading: reading, time: DateTime(secondsSince1970: Int(clock.now())),
                    status: PulseOximeter.validatedData, amplitude: amplitude
                ).bytes
            }
            let fast = Reading(
                saturation: min(reading.saturation + generator.normal() * 0.3, 100),
                pulseRate: (reading.pulseRate + generator.normal() * 2).rounded())
            return Continuous(
                reading: reading, fast: fast, status: PulseOximeter.measurementOngoing, amplitude: amplitude
            ).bytes
        }
    }
}
