import CoreBluetooth

extension PeripheralProfile {
    /// The standard profiles: for each a peripheral with the services that it needs.
    public static let standard: [PeripheralProfile] =
        [
            sensor("battery", 0x0200, [.battery], of: []),
            sensor("device-information", 0x0080, [.deviceInformation], of: []),
            sensor("health-thermometer", 0x0300, [.healthThermometer]),
            sensor("blood-pressure", 0x0380, [.bloodPressure]),
            sensor("glucose", 0x0400, [.glucose]),
            sensor("cycling-speed-and-cadence", 0x0485, [.cyclingSpeedAndCadence]),
            sensor("cycling-power", 0x0484, [.cyclingPower]),
            sensor("running-speed-and-cadence", 0x0441, [.runningSpeedAndCadence]),
            fitnessMachine,
            sensor("environmental-sensing", 0x0540, [.environmentalSensing]),
            sensor("pulse-oximeter", 0x0C40, [.pulseOximeter]),
            sensor("weight-scale", 0x0C80, [.weightScale]),
            sensor("current-time", 0x0100, [.currentTime], of: []),
            sensor("user-data", 0x0C80, [.userData]),
            sensor("find-me", 0x0240, [.immediateAlert]),
            sensor("proximity", 0x0240, [.linkLoss, .immediateAlert, .txPower]),
            PeripheralProfile(name: "nordic-uart", localName: "Dittojay", services: [.nordicUART]),
            sensor("keyboard", 0x03C1, [.humanInterfaceDevice]),
        ] + beacons

    /// Of sensors that want to be found soon and live on a small battery, in seconds.
    private static let sensorInterval = 0.152

    /// - Parameters:
    ///   - appearance: the assigned number of what the device is.
    ///   - services: those that are advertised.
    ///   - others: what most devices have besides.
    private static func sensor(
        _ name: String, _ appearance: UInt16, _ services: [StandardService],
        of others: [StandardService] = [.deviceInformation, .battery]
    ) -> PeripheralProfile {
        PeripheralProfile(
            name: name, localName: "Dittojay",
            advertisement: ExtraAdvertisement(appearance: appearance, interval: sensorInterval),
            services: services.map(\.advertised) + others.map(\.profile))
    }

    private static var fitnessMachine: PeripheralProfile {
        var profile = sensor("fitness-machine", 0x0480, [.fitnessMachine])
        profile.advertisement.serviceData = [FitnessMachine.service: FitnessMachine.serviceData]
        return profile
    }
}

extension ServiceProfile {
    /// A serial line that sends back what it gets, by the UUIDs that Nordic Semiconductor has given it.
    public static let nordicUART = ServiceProfile(
        name: "nordic-uart", uuid: NordicUART.service, isAdvertised: true,
        characteristics: [
            CharacteristicProfile(
                name: "rx", uuid: NordicUART.rx, properties: [.write, .writeWithoutResponse],
                writes: WriteRules(effects: [.echo(to: CharacteristicPath("nordic-uart", "tx"))])),
            CharacteristicProfile(name: "tx", uuid: NordicUART.tx, properties: .notify),
        ])
}

/// Nordic Semiconductor's UART service. What is written to one characteristic is what the device receives; what it
/// sends is notified by the other.
enum NordicUART {
    static let service = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
    static let rx = "6E400002-B5A3-F393-E0A9-E50E24DCCA9E"
    static let tx = "6E400003-B5A3-F393-E0A9-E50E24DCCA9E"
}
