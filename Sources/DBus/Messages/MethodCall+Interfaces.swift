/// Calls by the tables of interfaces.
extension MethodCall {
    /// A call of a method of the object at `path`.
    ///
    /// - Parameter destination: the name of the program that has the object.
    package init<Interface: BusInterface>(
        _ method: InterfaceMethod<Interface>, of destination: String, at path: ObjectPath, arguments: [BusValue] = []
    ) {
        self.init(
            destination: destination, path: path, interface: Interface.name, method: method.name, arguments: arguments)
    }

    /// A call of the bus itself.
    package static func bus(_ method: BusDriver.Method, _ arguments: [BusValue]) -> MethodCall {
        MethodCall(method, of: BusDriver.busName, at: BusDriver.path, arguments: arguments)
    }

    /// Asks for a property's value, which the answer has in a variant.
    package static func get<Interface, Value>(
        _ property: InterfaceProperty<Interface, Value>, of destination: String, at path: ObjectPath
    ) -> MethodCall {
        MethodCall(
            PropertiesInterface.get, of: destination, at: path,
            arguments: [.string(Interface.name), .string(property.name)])
    }

    /// Asks for all properties of an interface.
    package static func getAll<Interface: BusInterface>(
        _ interface: Interface.Type, of destination: String, at path: ObjectPath
    ) -> MethodCall {
        MethodCall(PropertiesInterface.getAll, of: destination, at: path, arguments: [.string(Interface.name)])
    }

    /// Gives a property a value.
    package static func set<Interface, Value>(
        _ property: InterfaceProperty<Interface, Value>, to value: Value, of destination: String, at path: ObjectPath
    ) -> MethodCall {
        MethodCall(
            PropertiesInterface.set, of: destination, at: path,
            arguments: [.string(Interface.name), .string(property.name), .variant(value.busValue)])
    }

    /// Asks an object manager for all its objects.
    package static func getManagedObjects(of destination: String, at path: ObjectPath = .root) -> MethodCall {
        MethodCall(ObjectManagerInterface.getManagedObjects, of: destination, at: path)
    }
}

extension MethodReply {
    /// The answer to ``MethodCall/get(_:of:at:)``.
    ///
    /// - Throws: ``BusError/unexpectedType(expected:actual:in:)``.
    package func value<Interface, Value>(
        of property: InterfaceProperty<Interface, Value>
    ) throws(BusError) -> Value {
        try first(as: BusValue.self).decode(place: "\(Interface.name).\(property.name)")
    }

    /// The answer to ``MethodCall/getManagedObjects(of:at:)``, in no order.
    ///
    /// - Throws: ``BusError/unexpectedType(expected:actual:in:)``.
    package func managedObjects() throws(BusError) -> [ManagedObject] {
        try first(as: [ObjectPath: [String: [String: BusValue]]].self).map { ManagedObject(path: $0, interfaces: $1) }
    }
}
