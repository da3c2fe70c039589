/// A call of a method of an object on the bus.
package struct MethodCall: Swift.Sendable, CustomStringConvertible {
    package var destination: String
    package var path: ObjectPath
    package var interface: String
    package var method: String
    package var arguments: [BusValue]

    package init(
        destination: String, path: ObjectPath, interface: String, method: String, arguments: [BusValue] = []
    ) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.method = method
        self.arguments = arguments
    }

    /// `org.bluez.Adapter1.StartDiscovery on /org/bluez/hci0`, for messages.
    package var description: String { name.description }

    /// What is kept of a call for messages about it; put into words only when one is needed.
    struct Name: Swift.Sendable, CustomStringConvertible {
        let interface: String
        let method: String
        let path: ObjectPath
        var description: String { "\(interface).\(method) on \(path)" }
    }

    var name: Name { Name(interface: interface, method: method, path: path) }
}

/// The answer to a ``MethodCall``.
package struct MethodReply: Swift.Sendable {
    package let arguments: [BusValue]
    let call: MethodCall.Name

    /// The answer's first value.
    ///
    /// - Throws: ``BusError/unexpectedType(expected:actual:in:)`` when it is missing or of another type.
    package func first<T: BusType>(as type: T.Type = T.self) throws(BusError) -> T {
        try value(at: 0)
    }

    /// The answer's value number `index`, from 0.
    package func value<T: BusType>(at index: Int, as type: T.Type = T.self) throws(BusError) -> T {
        guard arguments.indices.contains(index) else {
            throw .unexpectedType(expected: T.busSignature.string, actual: "nothing", in: "the answer to \(call)")
        }
        return try arguments[index].decode(place: "the answer to \(call)")
    }
}
