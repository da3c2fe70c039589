import CoreBluetooth
import GATTProfiles

/// The Blood Pressure Service (1810). Specification: Blood Pressure Service 1.0.
enum BloodPressure {
    static let service = "1810"
    static let measurement = "2A35"
    static let intermediateCuffPressure = "2A36"
    static let feature = "2A49"

    static let characteristics: [CharacteristicProfile] = [
        .measurement(measurement, .indicate, every: 10),
        .measurement(intermediateCuffPressure, .notify, every: 0.5),
        // Body movement, irregular pulse.
        .constant(feature, [0b101, 0]),
    ]

    /// The value of Blood Pressure Measurement, and of Intermediate Cuff Pressure, which has only one
    /// pressure.
    struct Pressure: Hashable {
        enum Unit: UInt8, Hashable {
            case millimetresOfMercury = 0
            case kilopascals = 1
        }

        /// Measurement Status.
        static let bodyMovement: UInt16 = 1 << 0
        static let irregularPulse: UInt16 = 1 << 2

        /// The cuff's, while it is deflated.
        var systolic: Double
        var diastolic = Double.nan
        var mean = Double.nan
        var unit = Unit.millimetresOfMercury
        var time: DateTime?
        /// Beats per minute.
        var pulseRate: Double?
        var user: UInt8?
        var status: UInt16?

        var bytes: [UInt8] {
            var flags = unit.rawValue
            if time != nil { flags |= 1 << 1 }
            if pulseRate != nil { flags |= 1 << 2 }
            if user != nil { flags |= 1 << 3 }
            if status != nil { flags |= 1 << 4 }
            var value = ValueBuilder()
            value.append(flags)
            let places = unit == .kilopascals ? 1 : 0
            for pressure in [systolic, diastolic, mean] { value.append(shortFloat: pressure, places: places) }
            if let time { value.append(time) }
            if let pulseRate { value.append(shortFloat: pulseRate, places: 0) }
            if let user { value.append(user) }
            if let status { value.append(status) }
            return value.bytes
        }
    }

    /// A person who is measured again and again. Between measurements the cuff is deflated, 5 mmHg each time.
    final class Model: ServiceModel {
        private let clock: DeviceClock
        private var generator: SeededGenerator
        private var systolic = WanderingQuantity(105...145, step: 2)
        private var diastolic = WanderingQuantity(65...92, step: 1.5)
        private var pulse = WanderingQuantity(58...92, step: 2)
        private var cuff = 180.0

        init(_ setup: ModelSetup) {
            clock = setup.clock
            generator = SeededGenerator(seed: setup.seed)
        }

        func measurement(of uuid: String, maximumLength: Int) -> [UInt8]? {
            guard uuid == BloodPressure.measurement else {
                cuff = cuff > 60 ? cuff - 5 : 180
                return Pressure(systolic: cuff).bytes
            }
            let (high, low) = (systolic.next(&generator).rounded(), diastolic.next(&generator).rounded())
            // One in ten measurements is not quite right.
            let isIrregular = generator.unit() < 0.1
            return Pressure(
                systolic: high, diastolic: low, mean: (low + (high - low) / 3).rounded(),
                time: DateTime(secondsSince1970: Int(clock.now())), pulseRate: pulse.next(&generator).rounded(),
                user: 1,
                status: isIrregular ? Pressure.irregularPulse : 0
            ).bytes
        }
    }
}
