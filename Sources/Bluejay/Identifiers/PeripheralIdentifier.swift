/// Identifies a peripheral.
public struct PeripheralIdentifier: Hashable, Swift.Sendable {
    /// `CBPeripheral.identifier`, the same in every run of every program on this machine.
    public let uuid: UUID
    /// The last known name of the peripheral; "No Name" if it has none.
    public let name: String

    /// - Parameters:
    ///   - uuid: the `CBPeripheral.identifier`.
    ///   - name: for people to read. Comparisons ignore it.
    public init(uuid: UUID, name: String?) {
        self.uuid = uuid
        self.name = name ?? "No Name"
    }

    init(_ peripheral: CBPeripheral) {
        self.init(uuid: peripheral.identifier, name: peripheral.name)
    }

    /// Name and UUID, for logs.
    public var description: String {
        "\(name) (\(uuid.uuidString))"
    }

    /// Whether both identify the same peripheral. Names are ignored, because they change.
    public static func == (lhs: PeripheralIdentifier, rhs: PeripheralIdentifier) -> Bool {
        lhs.uuid == rhs.uuid
    }

    /// Hashes the UUID.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(uuid)
    }
}

// The names of Bluejay 0.7.
extension PeripheralIdentifier {
    /// Identifies a peripheral by its UUID only.
    @available(*, deprecated, renamed: "init(uuid:name:)")
    public init(uuid: UUID) {
        self.init(uuid: uuid, name: nil)
    }

    /// The UUID as text.
    @available(*, deprecated, message: "Use uuid.uuidString")
    public var string: String { uuid.uuidString }
}
