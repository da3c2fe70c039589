/// The last sighting of a peripheral that a scan has found.
// @unchecked: the properties are constants, and an advertisement dictionary holds only immutable values (String, Data,
// NSNumber, CBUUID and collections of those).
public struct ScanDiscovery: @unchecked Swift.Sendable {
    /// The peripheral. Its name is the last known device name; the advertised name is in the packet.
    public let peripheralIdentifier: PeripheralIdentifier
    /// The advertisement as CoreBluetooth reports it, with the keys `CBAdvertisementData…`.
    public let advertisementPacket: [String: Any]
    /// Signal strength in dBm; 127 if unknown.
    public let rssi: Int
}
