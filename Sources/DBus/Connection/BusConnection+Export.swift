extension BusConnection {
    /// Makes an object callable at `path`, with these interfaces and the standard ones (Properties, Introspectable).
    ///
    /// - Throws: ``BusError/alreadyInUse(_:)`` when there is an object at `path`.
    package func export(_ interfaces: [ExportedInterface], at path: ObjectPath) throws(BusError) {
        try exports.add(interfaces, at: path)
        guard let manager = exports.manager(of: path) else { return }
        try? emit(
            ObjectManagerInterface.interfacesAdded, from: manager,
            arguments: [path.busValue, exports.interfaces(of: path).busValue])
    }

    /// Takes the object at `path` away. Does nothing when there is none.
    package func unexport(_ path: ObjectPath) {
        let interfaces = exports.remove(path)
        guard !interfaces.isEmpty, let manager = exports.manager(of: path) else { return }
        try? emit(
            ObjectManagerInterface.interfacesRemoved, from: manager,
            arguments: [path.busValue, interfaces.busValue])
    }

    /// Makes `root` an object manager (`org.freedesktop.DBus.ObjectManager`) of all objects that are exported below it.
    package func exportObjectManager(at root: ObjectPath) {
        exports.addManager(root)
    }

    package func unexportObjectManager(at root: ObjectPath) {
        exports.removeManager(root)
    }

    /// Reports that a property of an exported object has a new value.
    package func emitChange<Interface, Value>(
        of property: InterfaceProperty<Interface, Value>, to value: Value, at path: ObjectPath
    ) throws(BusError) {
        try emitPropertiesChanged([property.name: value.busValue], of: Interface.name, at: path)
    }

    /// Reports that properties of an exported object have new values.
    package func emitPropertiesChanged(_ changed: [String: BusValue], of interface: String, at path: ObjectPath)
        throws(BusError)
    {
        try emit(
            PropertiesInterface.propertiesChanged, from: path,
            arguments: [.string(interface), changed.busValue, [String]().busValue])
    }
}
