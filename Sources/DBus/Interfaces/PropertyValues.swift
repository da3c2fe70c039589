/// The values of an object's properties of one interface.
package struct PropertyValues<Interface: BusInterface>: Swift.Sendable {
    private var values: [String: BusValue]

    package init(_ values: [String: BusValue] = [:]) { self.values = values }

    /// The property's value; nil when the object does not have it, or has it as another type.
    package subscript<Value>(_ property: InterfaceProperty<Interface, Value>) -> Value? {
        values[property.name].flatMap { Value(busValue: $0) }
    }

    /// Notes what has changed.
    package mutating func apply(_ changes: PropertyChanges<Interface>) {
        for (name, value) in changes.changed { values[name] = value }
        for name in changes.invalidated { values[name] = nil }
    }
}

/// What one PropertiesChanged signal says of an interface.
package struct PropertyChanges<Interface: BusInterface>: Swift.Sendable {
    fileprivate var changed: [String: BusValue]
    fileprivate let invalidated: [String]

    /// - Parameters:
    ///   - changed: the new values, by the names of the properties.
    ///   - invalidated: the names of the properties that have lost their values.
    package init(changed: [String: BusValue] = [:], invalidated: [String] = []) {
        self.changed = changed
        self.invalidated = invalidated
    }

    /// A property's new value. Setting it says that this has changed, too.
    package subscript<Value>(_ property: InterfaceProperty<Interface, Value>) -> Value? {
        get { changed[property.name].flatMap { Value(busValue: $0) } }
        set { changed[property.name] = newValue?.busValue }
    }

    /// Whether the property has a new value, or lost its value.
    package func contains<Value>(_ property: InterfaceProperty<Interface, Value>) -> Bool {
        changed[property.name] != nil || invalidated.contains(property.name)
    }

    /// Whether the property has a new value and nothing else has changed.
    package func areOnly<Value>(_ property: InterfaceProperty<Interface, Value>) -> Bool {
        changed.count == 1 && invalidated.isEmpty && changed[property.name] != nil
    }
}

/// An object as its object manager reports it: its interfaces and their properties.
package struct ManagedObject: Swift.Sendable {
    package let path: ObjectPath
    /// The properties by name, by the name of their interface.
    package let interfaces: [String: [String: BusValue]]

    package init(path: ObjectPath, interfaces: [String: [String: BusValue]]) {
        self.path = path
        self.interfaces = interfaces
    }

    /// Whether the object has this interface.
    package func has<Interface: BusInterface>(_ interface: Interface.Type) -> Bool {
        interfaces[Interface.name] != nil
    }

    /// The properties of one interface; nil when the object does not have it.
    package func properties<Interface: BusInterface>(of interface: Interface.Type) -> PropertyValues<Interface>? {
        interfaces[Interface.name].map { PropertyValues($0) }
    }
}
