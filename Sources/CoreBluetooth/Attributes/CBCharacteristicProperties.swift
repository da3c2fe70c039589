/// What can be done with a characteristic.
///
/// Specification: Bluetooth Core, Vol 3, Part G, 3.3.1.1 (the lower eight bits).
public struct CBCharacteristicProperties: OptionSet, Hashable, Swift.Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// The value can be broadcast. Not allowed for local characteristics.
    public static let broadcast = Self(rawValue: 0x001)
    /// The value can be read.
    public static let read = Self(rawValue: 0x002)
    /// The value can be written without an answer.
    public static let writeWithoutResponse = Self(rawValue: 0x004)
    /// The value can be written and the write is answered.
    public static let write = Self(rawValue: 0x008)
    /// Values can be sent without being asked for and without confirmation.
    public static let notify = Self(rawValue: 0x010)
    /// Values can be sent without being asked for, with confirmation.
    public static let indicate = Self(rawValue: 0x020)
    /// The value can be written with a signature.
    public static let authenticatedSignedWrites = Self(rawValue: 0x040)
    /// There are more properties in a descriptor. Not allowed for local characteristics.
    public static let extendedProperties = Self(rawValue: 0x080)
    /// Local characteristics: only centrals on an encrypted link can turn notifications on.
    public static let notifyEncryptionRequired = Self(rawValue: 0x100)
    /// Local characteristics: only centrals on an encrypted link can turn indications on.
    public static let indicateEncryptionRequired = Self(rawValue: 0x200)
}

/// What a central may do with a local attribute, and on what kind of link.
public struct CBAttributePermissions: OptionSet, Hashable, Swift.Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// It may be read.
    public static let readable = Self(rawValue: 0x01)
    /// It may be written.
    public static let writeable = Self(rawValue: 0x02)
    /// It may be read on an encrypted link only.
    public static let readEncryptionRequired = Self(rawValue: 0x04)
    /// It may be written on an encrypted link only.
    public static let writeEncryptionRequired = Self(rawValue: 0x08)
}
