import DBus

/// An advertisement of this program (BlueZ: `org.bluez.LEAdvertisement`, `doc/advertising-api.txt`).
enum LEAdvertisement1: BusInterface {
    static let name = "org.bluez.LEAdvertisement1"

    // MARK: Properties

    /// What the device looks like, by its assigned number.
    static let appearance = Property<UInt16>("Appearance")
    /// Whether a scan that sets no filter reports the device.
    static let discoverable = Property<Bool>("Discoverable")
    /// What bluetoothd adds by itself: `tx-power`, for example.
    static let includes = Property<[String]>("Includes")
    static let localName = Property<String>("LocalName")
    /// The limits of the interval, in milliseconds.
    static let minInterval = Property<UInt32>("MinInterval")
    static let maxInterval = Property<UInt32>("MaxInterval")
    /// Bytes, by company identifier.
    static let manufacturerData = Property<[UInt16: BusValue]>("ManufacturerData")
    /// Bytes, by service UUID.
    static let serviceData = Property<[String: BusValue]>("ServiceData")
    /// 128-bit or short UUIDs.
    static let serviceUUIDs = Property<[String]>("ServiceUUIDs")
    /// `peripheral` (connectable) or `broadcast`.
    static let type = Property<String>("Type")

    // MARK: Methods

    static let release = Method("Release")
}
