import CDBus

/// The rules for names on the bus. libdbus aborts the process on a malformed name, and the bus throws a client out that
/// uses a reserved one, so nothing is sent that has not been checked here.
enum BusName {
    static func isBusName(_ name: String) -> Bool {
        !name.hasZeroByte && name.withCString { dbus_validate_bus_name($0, nil) != 0 }
    }

    static func isInterface(_ name: String) -> Bool {
        !name.hasZeroByte && name.withCString { dbus_validate_interface($0, nil) != 0 } && name != LocalInterface.name
    }

    /// For methods, signals and properties.
    static func isMember(_ name: String) -> Bool {
        !name.hasZeroByte && name.withCString { dbus_validate_member($0, nil) != 0 }
    }

    static func check(interface: String, member: String, path: ObjectPath) throws(BusError) {
        guard isInterface(interface) else { throw .invalidValue("the interface name '\(interface)'") }
        guard isMember(member) else { throw .invalidValue("the name '\(member)' of a member of \(interface)") }
        guard path != LocalInterface.path else {
            throw .invalidValue("the object path \(path), which is reserved")
        }
    }
}

extension String {
    /// Whether C would take it to end before its end.
    var hasZeroByte: Bool {
        utf8.withContiguousStorageIfAvailable { $0.contains(0) } ?? utf8.contains(0)
    }
}
