import GATTProfiles

extension ServiceProfile {
    /// The Heart Rate Service, with a sensor location that can be written, too, so that there is something to write.
    public static let heartRate = ServiceProfile(
        name: "heart-rate", uuid: HeartRateService.uuid, isAdvertised: true,
        characteristics: [
            CharacteristicProfile(
                name: "heart-rate-measurement", uuid: HeartRateService.measurement, properties: .notify,
                notifications: .heartRate()),
            CharacteristicProfile(
                name: "body-sensor-location", uuid: HeartRateService.bodySensorLocation, properties: [.read, .write],
                initialValue: [HeartRateService.BodySensorLocation.chest.rawValue],
                writes: WriteRules(lengths: 1...1, effects: [.store])),
            CharacteristicProfile(
                name: "heart-rate-control-point", uuid: HeartRateService.controlPoint, properties: .write,
                writes: WriteRules(
                    lengths: 1...1,
                    reactions: [
                        WriteReaction(
                            .value([HeartRateService.ControlPoint.resetEnergyExpended]),
                            .play([.resetEnergy(CharacteristicPath("heart-rate", "heart-rate-measurement"))])),
                        WriteReaction(.any, .refuse(attError: UInt8(HeartRateService.ControlPoint.notSupported))),
                    ])),
        ])
}
