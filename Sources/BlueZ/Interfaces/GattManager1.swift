import DBus

/// Where services of this program are registered: an adapter has it (BlueZ: `org.bluez.GattManager`,
/// `doc/gatt-api.txt`).
package enum GattManager1: BusInterface {
    package static let name = "org.bluez.GattManager1"

    // MARK: Methods

    static let registerApplication = Method("RegisterApplication")
    static let unregisterApplication = Method("UnregisterApplication")
}
