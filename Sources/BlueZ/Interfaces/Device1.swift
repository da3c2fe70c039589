package import DBus
package import Foundation

/// A remote device (BlueZ: `org.bluez.Device`, `doc/device-api.txt`).
package enum Device1: BusInterface {
    package static let name = "org.bluez.Device1"

    // MARK: Properties

    /// The device's address, such as `00:AA:01:01:00:01`.
    package static let address = Property<String>("Address")
    /// `public` or `random`.
    package static let addressType = Property<String>("AddressType")
    /// The advertised flags (Core Specification Supplement, Part A, 1.3).
    package static let advertisingFlags = Property<Data>("AdvertisingFlags")
    /// The name that a user has given, or else the device's own.
    package static let alias = Property<String>("Alias")
    /// What the device looks like: advertised, or after a connection as its Generic Access service has it.
    package static let appearance = Property<UInt16>("Appearance")
    /// Whether a user has forbidden its connections.
    package static let blocked = Property<Bool>("Blocked")
    /// Whether there is a link.
    package static let connected = Property<Bool>("Connected")
    /// What the device advertises, by company identifier.
    package static let manufacturerData = Property<[UInt16: Data]>("ManufacturerData")
    /// The GAP name, or before a connection the advertised name.
    package static let deviceName = Property<String>("Name")
    /// Whether the keys of a pairing are kept.
    package static let paired = Property<Bool>("Paired")
    /// dBm; only while a scan sees the device. 127 means not known.
    package static let rssi = Property<Int16>("RSSI")
    /// What the device advertises, by service UUID.
    package static let serviceData = Property<[String: Data]>("ServiceData")
    /// Whether the services were found after connecting. The last objects may still follow.
    package static let servicesResolved = Property<Bool>("ServicesResolved")
    /// Whether its services may be used without asking the user.
    package static let trusted = Property<Bool>("Trusted")
    /// dBm, as advertised.
    package static let txPower = Property<Int16>("TxPower")
    /// The services that are advertised, or after a connection found, as 128-bit UUIDs in lower case.
    package static let uuids = Property<[String]>("UUIDs")

    // MARK: Methods

    static let cancelPairing = Method("CancelPairing")
    static let connect = Method("Connect")
    static let disconnect = Method("Disconnect")
    static let pair = Method("Pair")

    // MARK: Signals

    /// Why the link has ended: a reason's name, and words for it (5.87 has it, 5.82 does not).
    static let disconnected = Signal("Disconnected")
    /// What the names of reasons in that signal begin with.
    static let reasonPrefix = "org.bluez.Reason."
}
