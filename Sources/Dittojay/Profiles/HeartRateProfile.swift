import CoreBluetooth
import GATTProfiles

extension ServiceProfile {
    /// The Heart Rate Service, with a sensor location that can be written, too, so that there is something to write.
    public static let heartRate = ServiceProfile(
        name: "heart-rate", uuid: HeartRateService.uuid, isAdvertised: true,
        characteristics: [
            CharacteristicProfile(
                name: "heart-rate-measurement", uuid: HeartRateService.measurement,
                properties: .notify, permissions: .readable, behaviour: .heartRateMeasurement),
            CharacteristicProfile(
                name: "body-sensor-location", uuid: HeartRateService.bodySensorLocation,
                properties: [.read, .write], permissions: [.readable, .writeable],
                initialValue: [HeartRateService.BodySensorLocation.chest.rawValue], behaviour: .stored(lengths: 1...1)),
            CharacteristicProfile(
                name: "heart-rate-control-point", uuid: HeartRateService.controlPoint,
                properties: .write, permissions: .writeable, behaviour: .heartRateControlPoint),
        ])
}
