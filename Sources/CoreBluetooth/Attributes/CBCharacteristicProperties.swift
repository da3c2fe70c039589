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

/// Linux additions, above the bits that Apple uses.
extension CBCharacteristicProperties {
    /// Local characteristics: only centrals on an authenticated link, that of a pairing with a passkey or a comparison,
    /// can turn notifications on.
    public static let notifyAuthenticationRequired = Self(rawValue: 0x1_0000)
    /// Local characteristics: the same for indications.
    public static let indicateAuthenticationRequired = Self(rawValue: 0x2_0000)
    /// Local characteristics: only centrals on a link that is authenticated by LE Secure Connections can turn
    /// notifications on.
    public static let notifySecureConnectionsRequired = Self(rawValue: 0x4_0000)
    /// Local characteristics: the same for indications.
    public static let indicateSecureConnectionsRequired = Self(rawValue: 0x8_0000)
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

/// Linux additions, above the bits that Apple uses.
///
/// Specification: Bluetooth Core, Vol 3, Part C, 10.2.1, LE security mode 1, levels 3 and 4.
extension CBAttributePermissions {
    /// It may be read on an authenticated link only: that of a pairing with a passkey or a comparison.
    public static let readAuthenticationRequired = Self(rawValue: 0x1_0000)
    /// It may be written on an authenticated link only.
    public static let writeAuthenticationRequired = Self(rawValue: 0x2_0000)
    /// It may be read on a link only that is authenticated by LE Secure Connections.
    public static let readSecureConnectionsRequired = Self(rawValue: 0x4_0000)
    /// It may be written on a link only that is authenticated by LE Secure Connections.
    public static let writeSecureConnectionsRequired = Self(rawValue: 0x8_0000)
}
