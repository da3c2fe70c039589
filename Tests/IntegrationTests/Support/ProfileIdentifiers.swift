import Bluejay
import GATTProfiles

/// What tests use of the peripherals of dittojay's profiles.
extension CharacteristicIdentifier {
    /// Heart Rate Measurement.
    static let heartRate = CharacteristicIdentifier(uuid: HeartRateService.measurement, service: .heartRate)
    /// Body Sensor Location.
    static let sensorLocation = CharacteristicIdentifier(
        uuid: HeartRateService.bodySensorLocation, service: .heartRate)
    /// Heart Rate Control Point.
    static let controlPoint = CharacteristicIdentifier(uuid: HeartRateService.controlPoint, service: .heartRate)

    static let chirp = CharacteristicIdentifier(
        uuid: ChirpService.chirp, service: ServiceIdentifier(uuid: ChirpService.uuid))

    static let store = CharacteristicIdentifier(uuid: LabService.store, service: .lab)
    static let sink = CharacteristicIdentifier(uuid: LabService.sink, service: .lab)
    static let sinkCount = CharacteristicIdentifier(uuid: LabService.sinkCount, service: .lab)

    /// The text that makes a central pair when it is read.
    static let pairingText = CharacteristicIdentifier(
        uuid: PairingService.text, service: ServiceIdentifier(uuid: PairingService.uuid))
}

extension ServiceIdentifier {
    static let heartRate = ServiceIdentifier(uuid: HeartRateService.uuid)
    static let lab = ServiceIdentifier(uuid: LabService.uuid)
}
