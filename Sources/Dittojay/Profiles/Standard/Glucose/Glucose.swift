import CoreBluetooth
import GATTProfiles

/// The Glucose Service (1808). Specification: Glucose Service 1.0.
enum Glucose {
    static let service = "1808"
    static let measurement = "2A18"
    static let measurementContext = "2A34"
    static let feature = "2A51"
    /// Record Access Control Point.
    static let recordAccess = "2A52"

    static let characteristics: [CharacteristicProfile] = [
        .assigned(measurement, .notify),
        .assigned(measurementContext, .notify),
        // Low battery, sensor malfunction, sample size.
        .constant(feature, [0b111, 0]),
        .controlPoint(recordAccess),
    ]

    /// The value of Glucose Measurement.
    struct Measurement: Hashable {
        enum Unit: Hashable {
            case kilogramsPerLitre
            case molesPerLitre
        }

        /// Type and Sample Location: capillary whole blood, of a finger.
        static let capillaryBloodOfFinger: UInt8 = 0x11

        var sequenceNumber: UInt16
        var baseTime: DateTime
        /// What the user has moved the clock by since the base time was set, in minutes.
        var timeOffset: Int16?
        var concentration: Double?
        var unit = Unit.kilogramsPerLitre
        var typeAndLocation = capillaryBloodOfFinger
        var status: UInt16?
        var hasContext = false

        /// When the user sees that it was measured, in seconds since the beginning of 1970.
        var userFacingTime: Int? { baseTime.secondsSince1970.map { $0 + 60 * Int(timeOffset ?? 0) } }

        var bytes: [UInt8] {
            var flags: UInt8 = 0
            if timeOffset != nil { flags |= 1 << 0 }
            if concentration != nil { flags |= 1 << 1 }
            if unit == .molesPerLitre { flags |= 1 << 2 }
            if status != nil { flags |= 1 << 3 }
            if hasContext { flags |= 1 << 4 }
            var value = ValueBuilder()
            value.append(flags)
            value.append(sequenceNumber)
            value.append(baseTime)
            if let timeOffset { value.append(timeOffset) }
            if let concentration {
                // A mg/dl is 1e-5 kg/l, and a tenth of a mmol/l 1e-4 mol/l.
                value.append(shortFloat: concentration, places: unit == .kilogramsPerLitre ? 5 : 4)
                value.append(typeAndLocation)
            }
            if let status { value.append(status) }
            return value.bytes
        }
    }

    /// The value of Glucose Measurement Context, with the fields that this sensor has.
    struct Context: Hashable {
        enum Meal: UInt8, CaseIterable, Hashable {
            case beforeMeal = 1
            case afterMeal = 2
            case fasting = 3
        }

        var sequenceNumber: UInt16
        /// What was eaten (1 breakfast, 2 lunch, 3 dinner), and its carbohydrates in kilograms.
        var carbohydrate: Carbohydrate?
        var meal: Meal?

        struct Carbohydrate: Hashable {
            var kind: UInt8
            var mass: Double
        }

        var bytes: [UInt8] {
            var value = ValueBuilder()
            value.append((carbohydrate == nil ? 0 : 1 << 0) | (meal == nil ? 0 : 1 << 1) as UInt8)
            value.append(sequenceNumber)
            if let carbohydrate {
                value.append(carbohydrate.kind)
                value.append(shortFloat: carbohydrate.mass, places: 3)
            }
            if let meal { value.append(meal.rawValue) }
            return value.bytes
        }
    }
}
