// The interfaces of the D-Bus specification ("Standard Interfaces", "Message Bus Messages").

/// The bus itself.
package enum BusDriver: BusInterface {
    package static let name = "org.freedesktop.DBus"
    /// The bus's own name on the bus.
    package static let busName = "org.freedesktop.DBus"
    package static let path = ObjectPath(validated: "/org/freedesktop/DBus")

    package static let nameHasOwner = Method("NameHasOwner")
    package static let getNameOwner = Method("GetNameOwner")
    package static let getConnectionUnixProcessID = Method("GetConnectionUnixProcessID")
    static let hello = Method("Hello")
    static let requestName = Method("RequestName")
    static let releaseName = Method("ReleaseName")
    static let addMatch = Method("AddMatch")
    static let removeMatch = Method("RemoveMatch")

    static let nameOwnerChanged = Signal("NameOwnerChanged")
}

/// Reads and writes the properties of an object, and reports their changes.
package enum PropertiesInterface: BusInterface {
    package static let name = "org.freedesktop.DBus.Properties"

    package static let get = Method("Get")
    package static let getAll = Method("GetAll")
    package static let set = Method("Set")

    package static let propertiesChanged = Signal("PropertiesChanged")
}

/// Lists the objects below one, and reports those that come and go.
package enum ObjectManagerInterface: BusInterface {
    package static let name = "org.freedesktop.DBus.ObjectManager"

    package static let getManagedObjects = Method("GetManagedObjects")

    package static let interfacesAdded = Signal("InterfacesAdded")
    package static let interfacesRemoved = Signal("InterfacesRemoved")
}

/// Answered by every connection.
package enum PeerInterface: BusInterface {
    package static let name = "org.freedesktop.DBus.Peer"

    package static let ping = Method("Ping")
}

/// Describes an object in XML.
enum IntrospectableInterface: BusInterface {
    static let name = "org.freedesktop.DBus.Introspectable"

    static let introspect = Method("Introspect")
}

/// The signal that libdbus makes by itself. No program may send it.
enum LocalInterface: BusInterface {
    static let name = "org.freedesktop.DBus.Local"
    static let path = ObjectPath(validated: "/org/freedesktop/DBus/Local")

    static let disconnected = Signal("Disconnected")
}
