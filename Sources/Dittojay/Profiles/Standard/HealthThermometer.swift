import CoreBluetooth
import GATTProfiles

/// The Health Thermometer Service (1809). Specification: Health Thermometer Service 1.0.
enum HealthThermometer {
    static let service = "1809"
    static let measurement = "2A1C"
    static let intermediateTemperature = "2A1E"
    static let type = "2A1D"
    static let interval = "2A21"

    /// Temperature Type: where it is measured.
    static let mouth: UInt8 = 6
    /// Seconds between two measurements.
    private static let seconds = 5.0

    static let characteristics: [CharacteristicProfile] = [
        .measurement(measurement, .indicate, every: seconds),
        .measurement(intermediateTemperature, .notify, every: 1),
        .constant(type, [mouth]),
        .constant(interval, [UInt8(seconds), 0]),
    ]

    /// The value of Temperature Measurement and of Intermediate Temperature (3.1, 3.3).
    struct Temperature: Hashable {
        enum Unit: UInt8, Hashable {
            case celsius = 0
            case fahrenheit = 1
        }

        var value: Double
        var unit = Unit.celsius
        var time: DateTime?
        var type: UInt8?

        var bytes: [UInt8] {
            var value = ValueBuilder()
            value.append(unit.rawValue | (time == nil ? 0 : 1 << 1) | (type == nil ? 0 : 1 << 2))
            value.append(float: self.value, places: 1)
            if let time { value.append(time) }
            if let type { value.append(type) }
            return value.bytes
        }
    }

    /// A thermometer in a mouth: it warms up, and then stays near a temperature that wanders slowly.
    final class Model: ServiceModel {
        private let clock: DeviceClock
        private var generator: SeededGenerator
        private var body = WanderingQuantity(36.2...38.8, step: 0.03, first: 36.8)
        private var shown = 33.0

        init(_ setup: ModelSetup) {
            clock = setup.clock
            generator = SeededGenerator(seed: setup.seed)
        }

        func measurement(of uuid: String, maximumLength: Int) -> [UInt8]? {
            let body = body.next(&generator)
            // What is final has waited until the temperature no longer rises.
            guard uuid == HealthThermometer.intermediateTemperature else {
                let time = DateTime(secondsSince1970: Int(clock.now()))
                return Temperature(value: body, time: time, type: HealthThermometer.mouth).bytes
            }
            shown += (body - shown) * 0.2
            return Temperature(value: shown, type: HealthThermometer.mouth).bytes
        }
    }
}
