import MainLoop

// Exported objects by the tables of their interfaces.

extension ExportedInterface {
    package init<Interface: BusInterface>(
        _ interface: Interface.Type, methods: [ExportedMethod] = [], properties: [ExportedProperty] = [],
        signals: [ExportedSignal] = []
    ) {
        self.init(Interface.name, methods: methods, properties: properties, signals: signals)
    }
}

extension ExportedMethod {
    package init<Interface>(
        _ method: InterfaceMethod<Interface>, inputs: [ExportedArgument] = [], outputs: [ExportedArgument] = [],
        handler: @escaping @LoopActor (MethodInvocation) -> Void
    ) {
        self.init(method.name, inputs: inputs, outputs: outputs, handler: handler)
    }
}

extension ExportedProperty {
    /// A property that can be read.
    package init<Interface, Value>(
        _ property: InterfaceProperty<Interface, Value>, get: @escaping @LoopActor () -> Value?
    ) {
        self.init(property.name, get: get)
    }
}

extension ExportedSignal {
    init<Interface>(_ signal: InterfaceSignal<Interface>, arguments: [ExportedArgument]) {
        self.init(signal.name, arguments: arguments)
    }
}
