import AssignedNumbers
import CoreBluetooth

/// The services of the Bluetooth SIG that are simulated, by their assigned names. Each has a file of its own, with the
/// formats of its values, what it measures, and the procedures of its control point.
public enum StandardService: String, CaseIterable, Hashable, Swift.Sendable {
    case battery
    case bloodPressure = "blood-pressure"
    case currentTime = "current-time"
    case cyclingPower = "cycling-power"
    case cyclingSpeedAndCadence = "cycling-speed-and-cadence"
    case deviceInformation = "device-information"
    case environmentalSensing = "environmental-sensing"
    case fitnessMachine = "fitness-machine"
    case glucose
    case healthThermometer = "health-thermometer"
    case humanInterfaceDevice = "human-interface-device"
    case immediateAlert = "immediate-alert"
    case linkLoss = "link-loss"
    case pulseOximeter = "pulse-oximeter"
    case runningSpeedAndCadence = "running-speed-and-cadence"
    case txPower = "tx-power"
    case userData = "user-data"
    case weightScale = "weight-scale"

    /// The service, which is not advertised.
    public var profile: ServiceProfile { profile(with: .open) }

    /// The same with another security.
    ///
    /// - Parameter security: what a central needs.
    public func profile(with security: StandardSecurity) -> ServiceProfile {
        let (uuid, characteristics) = content
        return ServiceProfile(
            name: rawValue, uuid: uuid,
            characteristics: characteristics.map { security.applied(to: $0, of: self) }, standard: self)
    }

    /// The same, with its UUID in the advertisement.
    public var advertised: ServiceProfile {
        var profile = profile
        profile.isAdvertised = true
        return profile
    }

    private var content: (uuid: String, characteristics: [CharacteristicProfile]) {
        switch self {
        case .battery: (Battery.service, Battery.characteristics)
        case .bloodPressure: (BloodPressure.service, BloodPressure.characteristics)
        case .currentTime: (CurrentTime.service, CurrentTime.characteristics)
        case .cyclingPower: (CyclingPower.service, CyclingPower.characteristics)
        case .cyclingSpeedAndCadence: (CyclingSpeedAndCadence.service, CyclingSpeedAndCadence.characteristics)
        case .deviceInformation: (DeviceInformation.service, DeviceInformation.characteristics)
        case .environmentalSensing: (EnvironmentalSensing.service, EnvironmentalSensing.characteristics)
        case .fitnessMachine: (FitnessMachine.service, FitnessMachine.characteristics)
        case .glucose: (Glucose.service, Glucose.characteristics)
        case .healthThermometer: (HealthThermometer.service, HealthThermometer.characteristics)
        case .humanInterfaceDevice: (HumanInterfaceDevice.service, HumanInterfaceDevice.characteristics)
        case .immediateAlert: (Proximity.immediateAlert, Proximity.immediateAlertCharacteristics)
        case .linkLoss: (Proximity.linkLoss, Proximity.linkLossCharacteristics)
        case .pulseOximeter: (PulseOximeter.service, PulseOximeter.characteristics)
        case .runningSpeedAndCadence: (RunningSpeedAndCadence.service, RunningSpeedAndCadence.characteristics)
        case .txPower: (Proximity.txPower, Proximity.txPowerCharacteristics)
        case .userData: (UserData.service, UserData.characteristics)
        case .weightScale: (WeightScale.service, WeightScale.characteristics)
        }
    }

    /// What the service does beyond its data; nil if that is nothing.
    func makeModel(_ setup: ModelSetup) -> (any ServiceModel)? {
        switch self {
        case .battery: Battery.Model(setup)
        case .bloodPressure: BloodPressure.Model(setup)
        case .currentTime: CurrentTime.Model(setup)
        case .cyclingPower: CyclingPower.Model(setup)
        case .cyclingSpeedAndCadence: CyclingSpeedAndCadence.Model(setup)
        case .fitnessMachine: FitnessMachine.Model(setup)
        case .glucose: Glucose.Model(setup)
        case .healthThermometer: HealthThermometer.Model(setup)
        case .humanInterfaceDevice: HumanInterfaceDevice.Model(setup)
        case .pulseOximeter: PulseOximeter.Model(setup)
        case .runningSpeedAndCadence: RunningSpeedAndCadence.Model(setup)
        case .userData: UserData.Model(setup)
        case .weightScale: WeightScale.Model(setup)
        case .deviceInformation, .environmentalSensing, .immediateAlert, .linkLoss, .txPower: nil
        }
    }
}

extension CharacteristicProfile {
    /// A characteristic with an assigned name.
    static func assigned(
        _ uuid: String, _ properties: CBCharacteristicProperties, value: [UInt8] = []
    ) -> CharacteristicProfile {
        let name = UInt16(uuid, radix: 16).flatMap(AssignedKind.characteristic.name)
        return CharacteristicProfile(
            name: name.map(TypedName.text) ?? uuid.lowercased(), uuid: uuid, properties: properties,
            initialValue: value)
    }

    /// A value that is only read, and stays the same.
    static func constant(_ uuid: String, _ value: [UInt8]) -> CharacteristicProfile {
        assigned(uuid, .read, value: value)
    }

    /// A value that the service's model measures.
    ///
    /// - Parameter interval: between two values, in seconds.
    static func measurement(
        _ uuid: String, _ properties: CBCharacteristicProperties, every interval: Double, value: [UInt8] = []
    ) -> CharacteristicProfile {
        var profile = assigned(uuid, properties, value: value)
        profile.notifications = NotificationPlan(interval: interval, source: .simulated)
        return profile
    }

    /// A value that the service's model keeps.
    static func simulated(_ uuid: String, _ properties: CBCharacteristicProperties) -> CharacteristicProfile {
        var profile = assigned(uuid, properties)
        if properties.contains(.read) { profile.source = .simulated }
        if profile.isWriteable { profile.writes = WriteRules(effects: [.simulated]) }
        return profile
    }

    /// A control point: requests are written, and responses indicated.
    static func controlPoint(_ uuid: String) -> CharacteristicProfile { simulated(uuid, [.write, .indicate]) }

    /// A value that can be written, if it has one of these lengths.
    static func stored(
        _ uuid: String, _ properties: CBCharacteristicProperties, _ value: [UInt8], lengths: ClosedRange<Int>
    ) -> CharacteristicProfile {
        var profile = assigned(uuid, properties, value: value)
        profile.writes = WriteRules(lengths: lengths, effects: [.store])
        return profile
    }
}
