/// What ``CBCentralManager/registerForConnectionEvents(options:)`` reports.
public enum CBConnectionEvent: Int, Swift.Sendable {
    /// A device was disconnected from the system, whoever had connected it.
    case peerDisconnected = 0
    /// A device was connected to the system, by whatever program.
    case peerConnected = 1
}

/// Which devices ``CBCentralManager/registerForConnectionEvents(options:)`` is about.
public struct CBConnectionEventMatchingOption: RawRepresentable, Hashable, Swift.Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `[CBUUID]`: devices that have one of these services.
    public static let serviceUUIDs = Self(rawValue: "kCBConnectionEventMatchingOptionServiceUUIDs")
    /// `[UUID]`: devices with one of these identifiers.
    public static let peripheralUUIDs = Self(rawValue: "kCBConnectionEventMatchingOptionPeripheralUUIDs")
}
