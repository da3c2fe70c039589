/// Identifies a characteristic by its UUID and its service.
public struct CharacteristicIdentifier: Hashable, Swift.Sendable {
    /// The service that has the characteristic.
    public let service: ServiceIdentifier
    /// The UUID of the characteristic.
    public let uuid: CBUUID

    /// The identifier of a discovered characteristic; nil if its service was removed.
    public init?(_ cbCharacteristic: CBCharacteristic) {
        guard let service = cbCharacteristic.service else { return nil }
        self.init(uuid: cbCharacteristic.uuid, service: ServiceIdentifier(uuid: service.uuid))
    }

    /// - Parameters:
    ///   - uuid: 4, 8 or 32 hexadecimal digits, 32 with hyphens. Anything else is a programming error and ends the
    ///     program; use `CBUUID(validating:)` for text from outside.
    ///   - service: the service that has the characteristic.
    public init(uuid: String, service: ServiceIdentifier) {
        self.init(uuid: CBUUID(string: uuid), service: service)
    }

    /// - Parameters:
    ///   - uuid: the UUID of the characteristic.
    ///   - service: the service that has the characteristic.
    public init(uuid: CBUUID, service: ServiceIdentifier) {
        self.uuid = uuid
        self.service = service
    }

    /// Both UUIDs, for logs.
    public var description: String {
        "characteristic \(uuid.uuidString) of service \(service.uuid.uuidString)"
    }

    /// Whether the identifier is that of this characteristic: both UUIDs are equal.
    public static func == (lhs: CharacteristicIdentifier, rhs: CBCharacteristic) -> Bool {
        lhs.uuid == rhs.uuid && lhs.service.uuid == rhs.service?.uuid
    }

    /// Whether both UUIDs are equal. The same characteristic UUID in two services gives two different identifiers.
    public static func == (lhs: CharacteristicIdentifier, rhs: CharacteristicIdentifier) -> Bool {
        lhs.uuid == rhs.uuid && lhs.service == rhs.service
    }

    /// Hashes both UUIDs.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(uuid)
        hasher.combine(service)
    }
}
