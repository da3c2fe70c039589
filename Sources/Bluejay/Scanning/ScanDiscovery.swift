/// A peripheral that a scan has found, as last sighted.
// @unchecked: the properties are constants, and an advertisement dictionary holds only immutable values (String, Data,
// NSNumber, CBUUID and collections of those).
public struct ScanDiscovery: @unchecked Swift.Sendable {
    /// Which peripheral. Its name is the device's name as far as it is known; the advertised one is in the packet.
    public let peripheralIdentifier: PeripheralIdentifier
    /// The advertisement as CoreBluetooth reports it, with the keys `CBAdvertisementData…`.
    public let advertisementPacket: [String: Any]
    /// Signal strength in dBm; 127 if not known.
    public let rssi: Int
}
