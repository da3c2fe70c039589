/// What a virtual peripheral offers, as data: which services with which characteristics, how each of them behaves and
/// misbehaves, and what happens by itself.
///
/// A profile is built in, made in code, or read from a file (``ProfileFile``).
public struct PeripheralProfile: Hashable, Swift.Sendable {
    /// Names the profile in commands and in output: `default`, `lab`.
    public var name: String
    /// The name that is advertised, unless the options have another one.
    public var localName: String
    /// What is advertised besides the name and the services' UUIDs.
    public var advertisement: ExtraAdvertisement
    /// The services in the order in which they are published.
    public var services: [ServiceProfile]
    /// What the peripheral does by itself, from when it advertises for the first time.
    public var scenario: [ScenarioStep]
    /// What is sent to subscribers as a device has sent it once.
    public var recording: Recording?
    /// The L2CAP channels that centrals can open.
    public var channels: [ChannelProfile]
    /// How it pairs; nil is "Just Works".
    public var pairing: PairingProfile?

    public init(
        name: String, localName: String, advertisement: ExtraAdvertisement = ExtraAdvertisement(),
        services: [ServiceProfile], scenario: [ScenarioStep] = [], recording: Recording? = nil,
        channels: [ChannelProfile] = []
    ) {
        self.name = name
        self.localName = localName
        self.advertisement = advertisement
        self.services = services
        self.scenario = scenario
        self.recording = recording
        self.channels = channels
    }
}

/// What a peripheral advertises besides its name and the UUIDs of its services.
public struct ExtraAdvertisement: Hashable, Swift.Sendable {
    /// The company's number, as the Bluetooth SIG assigns it, and its data.
    public struct Manufacturer: Hashable, Swift.Sendable {
        public var company: UInt16
        public var data: [UInt8]

        public init(company: UInt16, data: [UInt8]) {
            self.company = company
            self.data = data
        }
    }

    /// Of different companies.
    public var manufacturers: [Manufacturer]
    /// By the service's UUID, in 4 or 36 characters.
    public var serviceData: [String: [UInt8]]
    /// The kind of device, by the number that the Bluetooth SIG has assigned.
    public var appearance: UInt16?
    /// Whether the controller's transmit power is advertised.
    public var hasTxPower: Bool
    /// The frames of an Eddystone beacon, which take turns.
    public var eddystone: EddystoneBeacon?
    /// Between two advertisements, in seconds; nil: what BlueZ does, ``kernelInterval``.
    public var interval: Double?

    /// 20 ms to 10.24 s. Specification: Bluetooth Core, Vol 6, Part B, 4.4.2.2.
    public static let possibleIntervals = 0.02...10.24
    /// Of Linux where a program asks for nothing else, in seconds.
    public static let kernelInterval = 1.28

    public init(
        manufacturers: [Manufacturer] = [], serviceData: [String: [UInt8]] = [:], appearance: UInt16? = nil,
        hasTxPower: Bool = false, eddystone: EddystoneBeacon? = nil, interval: Double? = nil
    ) {
        self.hasTxPower = hasTxPower
        self.interval = interval
        self.eddystone = eddystone
        self.appearance = appearance
        self.manufacturers = manufacturers
        self.serviceData = serviceData
    }

    /// Its length in bytes, headers included.
    var length: Int {
        manufacturers.reduce(0) { $0 + 4 + $1.data.count } + (appearance == nil ? 0 : 4) + (hasTxPower ? 3 : 0)
            + serviceData.reduce(0) { $0 + 2 + ($1.key.utf8.count == 4 ? 2 : 16) + $1.value.count }
    }
}

/// A service of a ``PeripheralProfile``.
public struct ServiceProfile: Hashable, Swift.Sendable {
    /// Names the service in commands and in output: `heart-rate`. Unique in its profile.
    public var name: String
    /// In 4 or 36 characters, upper case.
    public var uuid: String
    /// Whether it is a primary service, rather than one that only others include.
    public var isPrimary: Bool
    /// Whether the service's UUID is in the advertisement, which has room for 31 bytes in all.
    public var isAdvertised: Bool
    /// Whether the service is published from the start, rather than by command.
    public var isPublished: Bool
    public var characteristics: [CharacteristicProfile]
    /// The standard service whose simulation its characteristics have; nil if data describe all of it.
    public var standard: StandardService?

    public init(
        name: String, uuid: String, isPrimary: Bool = true, isAdvertised: Bool = false, isPublished: Bool = true,
        characteristics: [CharacteristicProfile], standard: StandardService? = nil
    ) {
        self.name = name
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.isAdvertised = isAdvertised
        self.isPublished = isPublished
        self.characteristics = characteristics
        self.standard = standard
    }
}

extension PeripheralProfile {
    /// The profiles that are built in.
    public static let builtIn: [PeripheralProfile] = [.default, .lab] + standard

    /// The profile with this name, or nil.
    public static func builtIn(named name: String) -> PeripheralProfile? {
        builtIn.first { $0.name == name }
    }

    /// A heart-rate sensor that chirps and can be paired with.
    public static let `default` = PeripheralProfile(
        name: "default", localName: "Dittojay", services: [.heartRate, .chirp, .pairing])

    /// The default sensor and a service for tests and measurements of the link.
    public static let lab = PeripheralProfile(
        name: "lab", localName: "Dittojay", services: [.heartRate, .chirp, .pairing, .lab])

    /// Whether the scenario has an ``ScenarioExpectation``.
    package var expectsSomething: Bool { Self.expectsSomething(scenario) }

    private static func expectsSomething(_ steps: [ScenarioStep]) -> Bool {
        steps.contains { step in
            switch step {
            case .expect: true
            case .repeat(_, let steps): expectsSomething(steps)
            default: false
            }
        }
    }

    /// The characteristic at a path; nil if there is none.
    package func characteristic(at path: CharacteristicPath) -> CharacteristicProfile? {
        services.first { $0.name == path.service }?.characteristics.first { $0.name == path.characteristic }
    }

    /// Changes the settings of every simulated heart.
    public mutating func changeHeartRates(_ change: (inout HeartRateSettings) -> Void) {
        for service in services.indices {
            for index in services[service].characteristics.indices {
                guard let plan = services[service].characteristics[index].notifications,
                    case .heartRate(var settings) = plan.source
                else { continue }
                change(&settings)
                services[service].characteristics[index].notifications = .heartRate(settings)
            }
        }
    }
}
