package import DBus

/// A descriptor of a GATT characteristic, of a remote device or of this program (BlueZ: `org.bluez.GattDescriptor`,
/// `doc/gatt-api.txt`).
package enum GattDescriptor1: BusInterface {
    package static let name = "org.bluez.GattDescriptor1"

    // MARK: Properties

    /// The path of its characteristic.
    package static let characteristic = Property<ObjectPath>("Characteristic")
    /// What can be done with it.
    package static let flags = Property<AttributeFlags>("Flags")
    /// The 128-bit UUID in lower case; of a descriptor of this program any form.
    package static let uuid = Property<String>("UUID")

    // MARK: Methods

    static let readValue = Method("ReadValue")
    static let writeValue = Method("WriteValue")
}
