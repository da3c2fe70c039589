package import DBus
package import Foundation

/// A GATT characteristic, of a remote device or of this program (BlueZ: `org.bluez.GattCharacteristic`,
/// `doc/gatt-api.txt`).
package enum GattCharacteristic1: BusInterface {
    package static let name = "org.bluez.GattCharacteristic1"

    // MARK: Properties

    /// What can be done with it.
    package static let flags = Property<AttributeFlags>("Flags")
    /// The ATT MTU of the link in bytes (since 5.62).
    package static let mtu = Property<UInt16>("MTU")
    /// Whether a program has the notifications' socket. It is there where notifications can go over a socket.
    package static let notifyAcquired = Property<Bool>("NotifyAcquired")
    /// Whether any program on this machine has notifications turned on.
    package static let notifying = Property<Bool>("Notifying")
    /// The path of its service.
    package static let service = Property<ObjectPath>("Service")
    /// The 128-bit UUID in lower case; of a characteristic of this program any form.
    package static let uuid = Property<String>("UUID")
    /// The last value that is known.
    package static let value = Property<Data>("Value")
    /// Whether a program has the writes' socket. It is there where writes without response can go over a socket.
    package static let writeAcquired = Property<Bool>("WriteAcquired")

    // MARK: Methods

    static let acquireNotify = Method("AcquireNotify")
    static let acquireWrite = Method("AcquireWrite")
    static let confirm = Method("Confirm")
    static let readValue = Method("ReadValue")
    static let startNotify = Method("StartNotify")
    static let stopNotify = Method("StopNotify")
    static let writeValue = Method("WriteValue")
}
