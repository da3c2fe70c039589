package import DBus

/// A Bluetooth controller of this machine (BlueZ: `org.bluez.Adapter`, `doc/adapter-api.txt`).
package enum Adapter1: BusInterface {
    package static let name = "org.bluez.Adapter1"

    // MARK: Properties

    /// The controller's address, such as `00:AA:01:00:00:00`.
    package static let address = Property<String>("Address")
    /// `public` or `random`.
    package static let addressType = Property<String>("AddressType")
    /// The name that peers see (GAP Device Name).
    package static let alias = Property<String>("Alias")
    /// Whether any program scans.
    package static let discovering = Property<Bool>("Discovering")
    /// What kind of device this is; unless a setting (`DeviceID`) says otherwise, bluetoothd with its release.
    package static let modalias = Property<String>("Modalias")
    /// The system's name of the controller, which is the alias when none is set.
    package static let systemName = Property<String>("Name")
    /// Whether devices that pair keep their keys. bluetoothd switches it on for the first agent, and off after the
    /// last.
    package static let pairable = Property<Bool>("Pairable")
    /// Whether the controller is switched on.
    package static let powered = Property<Bool>("Powered")
    /// `central`, `peripheral`; older releases of BlueZ do not have it.
    package static let roles = Property<[String]>("Roles")

    // MARK: Methods

    static let removeDevice = Method("RemoveDevice")
    static let setDiscoveryFilter = Method("SetDiscoveryFilter")
    static let startDiscovery = Method("StartDiscovery")
    static let stopDiscovery = Method("StopDiscovery")
}
