/// Identifies a service by its UUID.
public struct ServiceIdentifier: Hashable, Swift.Sendable {
    /// The UUID of the service.
    public private(set) var uuid: CBUUID

    /// - Parameter uuid: 4, 8 or 32 hexadecimal digits, 32 with hyphens. Anything else is a programming error and ends
    ///   the program; use `CBUUID(validating:)` and ``init(uuid:)-(CBUUID)`` for text from outside.
    public init(uuid: String) {
        self.uuid = CBUUID(string: uuid)
    }

    /// - Parameter uuid: the UUID of the service.
    public init(uuid: CBUUID) {
        self.uuid = uuid
    }

    /// Whether both have the same UUID.
    public static func == (lhs: ServiceIdentifier, rhs: ServiceIdentifier) -> Bool {
        lhs.uuid == rhs.uuid
    }
}
