import CoreBluetooth

/// What a virtual peripheral offers, as data: which services with which characteristics, and how each of them behaves.
public struct PeripheralProfile: Hashable, Swift.Sendable {
    /// By which the profile is chosen: `default`, `lab`.
    public var name: String
    /// The name that is advertised unless another is asked for.
    public var localName: String
    /// In the order in which they are published.
    public var services: [ServiceProfile]

    public init(name: String, localName: String, services: [ServiceProfile]) {
        self.name = name
        self.localName = localName
        self.services = services
    }
}

/// A service of a ``PeripheralProfile``.
public struct ServiceProfile: Hashable, Swift.Sendable {
    /// Names the service in commands and in output: `heart-rate`. Unique in its profile.
    public var name: String
    /// In 4 or 36 characters.
    public var uuid: String
    /// Whether the service's UUID is in the advertisement, where there is little room: 31 bytes for everything.
    public var isAdvertised: Bool
    public var characteristics: [CharacteristicProfile]

    public init(name: String, uuid: String, isAdvertised: Bool = false, characteristics: [CharacteristicProfile]) {
        self.name = name
        self.uuid = uuid
        self.isAdvertised = isAdvertised
        self.characteristics = characteristics
    }
}

/// A characteristic of a ``ServiceProfile``.
public struct CharacteristicProfile: Hashable, Swift.Sendable {
    /// Names the characteristic in output: `heart-rate-measurement`. Unique in its service.
    public var name: String
    /// In 4 or 36 characters.
    public var uuid: String
    /// What centrals are told that they can do.
    public var properties: CBCharacteristicProperties
    /// What centrals may do, and on what kind of link.
    public var permissions: CBAttributePermissions
    /// The value before anything has happened.
    public var initialValue: [UInt8]
    /// What happens on reads, writes and subscriptions.
    public var behaviour: Behaviour

    public init(
        name: String, uuid: String, properties: CBCharacteristicProperties, permissions: CBAttributePermissions,
        initialValue: [UInt8] = [], behaviour: Behaviour
    ) {
        self.name = name
        self.uuid = uuid
        self.properties = properties
        self.permissions = permissions
        self.initialValue = initialValue
        self.behaviour = behaviour
    }

    /// What a characteristic does.
    public enum Behaviour: Hashable, Swift.Sendable {
        /// Reads give the initial value, always.
        case constant
        /// Reads give what was written last, at first the initial value. Writes of other lengths (bytes) are refused.
        case stored(lengths: ClosedRange<Int>)
        /// Sends what the user of the simulator asks for, when he asks.
        case onDemand
        /// Measures a simulated heart while a central is subscribed.
        case heartRateMeasurement
        /// Takes the commands of the Heart Rate Control Point, for the ``heartRateMeasurement`` of the same service.
        case heartRateControlPoint
        /// Swallows what is written and counts it.
        case sink
        /// Reads give the count of the ``sink`` of the same service; a write of any value resets it.
        case sinkCount
        /// Sends back to the subscribers what is written.
        case echo
    }
}

extension PeripheralProfile {
    /// The profiles that are built in.
    public static let builtIn: [PeripheralProfile] = [.default, .lab]

    /// The profile with this name, or nil.
    public static func builtIn(named name: String) -> PeripheralProfile? {
        builtIn.first { $0.name == name }
    }

    /// A heart-rate sensor that chirps, and that can be paired with.
    public static let `default` = PeripheralProfile(
        name: "default", localName: "Dittojay", services: [.heartRate, .chirp, .pairing])

    /// The default sensor and a service for tests and measurements of the link.
    public static let lab = PeripheralProfile(
        name: "lab", localName: "Dittojay", services: [.heartRate, .chirp, .pairing, .lab])
}
