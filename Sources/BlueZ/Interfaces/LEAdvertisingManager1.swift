package import DBus

/// Where advertisements are registered: an adapter has it (BlueZ: `org.bluez.LEAdvertisingManager`,
/// `doc/advertising-api.txt`).
package enum LEAdvertisingManager1: BusInterface {
    package static let name = "org.bluez.LEAdvertisingManager1"

    // MARK: Properties

    /// How many advertisements of programs on this machine it sends.
    package static let activeInstances = Property<UInt8>("ActiveInstances")
    /// How many more it has room for.
    package static let supportedInstances = Property<UInt8>("SupportedInstances")
    /// The PHYs of extended advertising (`1M`, `2M`, `Coded`). A controller without it does not have this property.
    package static let supportedSecondaryChannels = Property<[String]>("SupportedSecondaryChannels")

    // MARK: Methods

    static let registerAdvertisement = Method("RegisterAdvertisement")
    static let unregisterAdvertisement = Method("UnregisterAdvertisement")
}
