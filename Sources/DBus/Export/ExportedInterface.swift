import MainLoop

/// An argument of a method or signal, as introspection shows it.
package struct ExportedArgument: Swift.Sendable {
    package let name: String
    package let type: Signature

    package init<T: BusType>(_ name: String, _ type: T.Type) {
        self.name = name
        self.type = T.busSignature
    }
}

/// A method that an exported object offers.
package struct ExportedMethod {
    let name: String
    let inputs: [ExportedArgument]
    let outputs: [ExportedArgument]
    let handler: @LoopActor (MethodInvocation) -> Void
    /// The type of all inputs in a row.
    let signature: String

    /// A method whose `handler` answers through the invocation, at once or later.
    package init(
        _ name: String, inputs: [ExportedArgument] = [], outputs: [ExportedArgument] = [],
        handler: @escaping @LoopActor (MethodInvocation) -> Void
    ) {
        self.name = name
        self.inputs = inputs
        self.outputs = outputs
        self.handler = handler
        signature = inputs.map(\.type.string).joined()
    }
}

/// A property that an exported object offers.
package struct ExportedProperty {
    let name: String
    let type: Signature
    let get: @LoopActor () -> BusValue?
    let set: (@LoopActor (BusValue) throws -> Void)?

    /// - Parameters:
    ///   - get: the value now; nil leaves the property out, as D-Bus services do with optional properties.
    ///   - set: stores a value of the property's type; throws a ``MethodFailure`` to refuse it. Nil: read-only.
    package init<T: BusType>(
        _ name: String, get: @escaping @LoopActor () -> T?, set: (@LoopActor (T) throws -> Void)? = nil
    ) {
        self.name = name
        type = T.busSignature
        self.get = { get()?.busValue }
        guard let set else {
            self.set = nil
            return
        }
        self.set = { value in
            guard let typed = T(busValue: value) else {
                throw MethodFailure.invalidArguments("\(name) is of type '\(T.busSignature)'")
            }
            try set(typed)
        }
    }
}

/// A signal that an exported object sends, as introspection shows it.
package struct ExportedSignal: Swift.Sendable {
    let name: String
    let arguments: [ExportedArgument]

    package init(_ name: String, arguments: [ExportedArgument] = []) {
        self.name = name
        self.arguments = arguments
    }
}

/// An interface of an exported object: a table of its methods, properties and signals.
package struct ExportedInterface {
    package let name: String
    let methods: [ExportedMethod]
    let properties: [ExportedProperty]
    let signals: [ExportedSignal]

    package init(
        _ name: String, methods: [ExportedMethod] = [], properties: [ExportedProperty] = [],
        signals: [ExportedSignal] = []
    ) {
        self.name = name
        self.methods = methods
        self.properties = properties
        self.signals = signals
    }

    /// All properties that have a value now, as `a{sv}`.
    @LoopActor
    var propertyValues: [String: BusValue] {
        var values: [String: BusValue] = [:]
        for property in properties { values[property.name] = property.get() }
        return values
    }
}
