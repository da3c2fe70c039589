package import DBus

/// A GATT service, of a remote device or of this program (BlueZ: `org.bluez.GattService`, `doc/gatt-api.txt`).
package enum GattService1: BusInterface {
    package static let name = "org.bluez.GattService1"

    // MARK: Properties

    /// The handle that a service of this program is to have.
    package static let handle = Property<UInt16>("Handle")
    /// The paths of the included services.
    package static let includes = Property<[ObjectPath]>("Includes")
    /// Whether it is a primary service.
    package static let primary = Property<Bool>("Primary")
    /// The 128-bit UUID in lower case; of a service of this program any form.
    package static let uuid = Property<String>("UUID")
}
