/// The meaning of a characteristic's value, if its format is known.
package enum KnownValue: Hashable, Swift.Sendable {
    case heartRate(HeartRateMeasurement)
    case bodySensorLocation(HeartRateService.BodySensorLocation)
    /// Battery Level (2A19), in percent.
    case batteryLevel(Int)
    case sinkCount(LabService.SinkCount)
    case text(String)
    /// A value in one of the SIG's other formats.
    case decoded(DecodedValue)

    /// Decodes a value; nil if its format is unknown, or if the value does not fit it.
    ///
    /// - Parameter uuid: of the characteristic or descriptor, in 4 or 36 characters and upper case.
    package init?(_ bytes: some Collection<UInt8>, ofCharacteristic uuid: String) {
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
        case PairingService.text:
            guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
            self = .text(text)
        default:
            guard let decoded = AttributeFormat(uuid: uuid)?.decode(bytes) else { return nil }
            if decoded.isText, case .text(let text)? = decoded.fields.first?.content {
                self = .text(text)
            } else {
                self = .decoded(decoded)
            }
        }
    }
}
