/// An interface of objects on a bus, declared as a table of its properties, methods and signals.
///
/// A member is declared by a row with its name on the bus, for a property also its type, and a doc line:
///
///     enum Battery1: BusInterface {
///         static let name = "org.bluez.Battery1"
///
///         /// The charge that is left, in percent.
///         static let percentage = Property<UInt8>("Percentage")
///     }
package protocol BusInterface {
    /// The interface's name on the bus.
    static var name: String { get }
}

extension BusInterface {
    /// A property of this interface.
    package typealias Property<Value: BusType> = InterfaceProperty<Self, Value>
    /// A method of this interface.
    package typealias Method = InterfaceMethod<Self>
    /// A signal of this interface.
    package typealias Signal = InterfaceSignal<Self>
}

/// A property of an interface: its name on the bus and its type.
package struct InterfaceProperty<Interface: BusInterface, Value: BusType>: Swift.Sendable {
    package let name: String

    package init(_ name: String) { self.name = name }
}

/// A method of an interface, by its name on the bus.
package struct InterfaceMethod<Interface: BusInterface>: Swift.Sendable {
    package let name: String

    package init(_ name: String) { self.name = name }
}

/// A signal of an interface, by its name on the bus.
package struct InterfaceSignal<Interface: BusInterface>: Swift.Sendable {
    package let name: String

    package init(_ name: String) { self.name = name }
}
