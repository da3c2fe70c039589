/// What the value of a characteristic means, where its format is known.
public enum KnownValue: Hashable, Swift.Sendable {
    case heartRate(HeartRateMeasurement)
    case bodySensorLocation(HeartRateService.BodySensorLocation)
    /// Battery Level (2A19), in percent.
    case batteryLevel(Int)
    case sinkCount(LabService.SinkCount)
    case text(String)

    /// What is UTF-8 by its specification: Device Name, the strings of Device Information, the descriptor Characteristic User
    /// Description, and this package's own.
    private static let texts: Set<String> = [
        "2A00", "2A24", "2A25", "2A26", "2A27", "2A28", "2A29", "2901", PairingService.text,
    ]

    /// Decodes a value; nil if its characteristic is not known, or the value is malformed.
    ///
    /// - Parameter uuid: of the characteristic, in 4 or 36 characters and upper case.
    public init?(_ bytes: some Collection<UInt8>, ofCharacteristic uuid: String) {
        switch uuid {
        case HeartRateService.measurement:
            guard let measurement = try? HeartRateMeasurement(bytes: bytes) else { return nil }
            self = .heartRate(measurement)
        case HeartRateService.bodySensorLocation:
            guard bytes.count == 1, let location = bytes.first.flatMap(HeartRateService.BodySensorLocation.init)
            else { return nil }
            self = .bodySensorLocation(location)
        case "2A19":
            guard bytes.count == 1, let level = bytes.first else { return nil }
            self = .batteryLevel(Int(level))
        case LabService.sinkCount:
            guard let count = LabService.SinkCount(bytes: bytes) else { return nil }
            self = .sinkCount(count)
        case _ where Self.texts.contains(uuid):
            guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
            self = .text(text)
        default: return nil
        }
    }
}
