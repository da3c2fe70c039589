import CoreBluetooth
import GATTProfiles

/// The Weight Scale Service (181D). Specification: Weight Scale Service 1.0.
enum WeightScale {
    static let service = "181D"
    static let measurement = "2A9D"
    static let feature = "2A9E"

    /// Weight Scale Feature: time stamp, several users, BMI; a resolution of 0.005 kg and of 0.001 m.
    static let features: UInt32 = 0b111 | 7 << 3 | 3 << 7

    static let characteristics: [CharacteristicProfile] = [
        .measurement(measurement, .indicate, every: 5),
        .constant(feature, NumberType.bytes(of: features)),
    ]

    /// The value of Weight Measurement.
    struct Weight: Hashable {
        enum Unit: UInt8, Hashable {
            /// Kilograms and metres.
            case metric = 0
            /// Pounds and inches.
            case imperial = 1
        }

        /// The number of a user who is not known.
        static let unknownUser: UInt8 = 255

        var weight: Double
        var unit = Unit.metric
        var time: DateTime?
        var user: UInt8?
        /// The height in metres or inches, with which there is the body mass index.
        var height: Double?

        /// In kg/m²; 703 is the factor for pounds and inches.
        var bodyMassIndex: Double? {
            height.map { weight / ($0 * $0) * (unit == .imperial ? 703 : 1) }
        }

        var bytes: [UInt8] {
            var flags = unit.rawValue
            if time != nil { flags |= 1 << 1 }
            if user != nil { flags |= 1 << 2 }
            if height != nil { flags |= 1 << 3 }
            var value = ValueBuilder()
            value.append(flags)
            value.append(Self.word(weight / (unit == .metric ? 0.005 : 0.01)))
            if let time { value.append(time) }
            if let user { value.append(user) }
            if let height, let bodyMassIndex {
                value.append(Self.word(bodyMassIndex / 0.1))
                value.append(Self.word(height / (unit == .metric ? 0.001 : 0.1)))
            }
            return value.bytes
        }

        private static func word(_ number: Double) -> UInt16 { UInt16(min(max(number.rounded(), 0), 65_535)) }
    }

    /// Two people who step on the scale in turn.
    final class Model: ServiceModel {
        private let clock: DeviceClock
        private var generator: SeededGenerator
        private var people = [
            (weight: WanderingQuantity(68...76, step: 0.15), height: 1.78),
            (weight: WanderingQuantity(57...62, step: 0.1), height: 1.65),
        ]
        private var count = 0

        init(_ setup: ModelSetup) {
            clock = setup.clock
            generator = SeededGenerator(seed: setup.seed)
        }

        func measurement(of uuid: String, maximumLength: Int) -> [UInt8]? {
            let index = count % people.count
            count += 1
            return Weight(
                weight: people[index].weight.next(&generator), time: DateTime(secondsSince1970: Int(clock.now())),
                user: UInt8(index + 1), height: people[index].height
            ).bytes
        }
    }
}
