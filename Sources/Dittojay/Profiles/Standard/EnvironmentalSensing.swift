import CoreBluetooth
import GATTProfiles

/// The Environmental Sensing Service (181A): a weather station. Specification: Environmental Sensing Service 1.0.
enum EnvironmentalSensing {
    static let service = "181A"
    /// Hundredths of a degree Celsius.
    static let temperature = "2A6E"
    /// Hundredths of a percent.
    static let humidity = "2A6F"
    /// Tenths of a pascal.
    static let pressure = "2A6D"
    /// Tenths of a watt per square metre.
    static let irradiance = "2A77"

    static let characteristics: [CharacteristicProfile] = [
        quantity(temperature, .i16, 1500...2600, step: 12, every: 1),
        quantity(humidity, .u16, 3500...6500, step: 40, every: 2),
        quantity(pressure, .u32, 995_000...1_030_000, step: 150, every: 2),
        quantity(irradiance, .u16, 0...8000, step: 120, every: 1),
    ]

    /// ES Trigger Setting, which a characteristic has that notifies: at fixed intervals, of this many seconds in 24
    /// bits.
    private static func trigger(every interval: Double) -> CopiedDescriptor {
        var value = ValueBuilder()
        value.append(UInt8(1))
        value.append(Int(interval.rounded()), width: 3)
        return CopiedDescriptor(uuid: "290D", value: value.bytes)
    }

    /// A value that wanders, from the middle of its range on.
    private static func quantity(
        _ uuid: String, _ number: IntegerFormat, _ range: ClosedRange<Int64>, step: Int64, every interval: Double
    ) -> CharacteristicProfile {
        let middle = (range.lowerBound + range.upperBound) / 2
        var profile = CharacteristicProfile.assigned(
            uuid, [.read, .notify], value: number.bytes(truncating: middle))
        profile.notifications = NotificationPlan(
            interval: interval, source: .randomWalk(.init(number: number, range: range, step: step)))
        profile.copiedDescriptors = [trigger(every: interval)]
        return profile
    }
}
