import CDBus
import Foundation
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

/// A refusal of a method call, with a D-Bus error name.
package struct MethodFailure: Error, Swift.Sendable {
    package let name: String
    package let message: String

    package init(name: String, message: String) {
        self.name = name
        self.message = message
    }

    static func unknownProperty(_ name: String) -> MethodFailure {
        MethodFailure(.unknownProperty, "No property \(name)")
    }

    package static func invalidArguments(_ message: String) -> MethodFailure {
        MethodFailure(.invalidArguments, message)
    }
}

/// A call of an exported method. It is to be answered exactly once; a second answer is ignored, and the call of a
/// released invocation is answered with an error, so that no caller waits in vain.
@LoopActor
package final class MethodInvocation {
    package let arguments: [BusValue]
    /// The unique name of the caller.
    package let sender: String
    private let message: RawMessage
    private weak var connection: BusConnection?
    private var isAnswered = false

    init(_ message: RawMessage, arguments: [BusValue], on connection: BusConnection) {
        self.message = message
        self.arguments = arguments
        self.sender = message.sender
        self.connection = connection
    }

    deinit {
        // Not an isolated deinit: that would cost a job on the loop for every call, answered or not.
        guard !isAnswered else { return }
        let (message, connection) = (message, connection)
        MainLoop.shared.async {
            Self.send(MethodFailure(.failed, "No answer was given"), to: message, on: connection)
        }
    }

    /// Argument number `index`, from 0.
    ///
    /// - Throws: a ``MethodFailure`` that says which argument is wrong.
    package func argument<T: BusType>(_ index: Int, as type: T.Type = T.self) throws(MethodFailure) -> T {
        guard arguments.indices.contains(index), let value = T(busValue: arguments[index]) else {
            throw .invalidArguments("argument \(index) of \(message.member) is of type '\(T.busSignature)'")
        }
        return value
    }

    /// Answers the call.
    package func reply(_ values: [BusValue] = []) {
        guard !isAnswered else { return }
        guard message.expectsReply else { return isAnswered = true }
        do throws(BusError) {
            guard let pointer = dbus_message_new_method_return(message.pointer) else { throw .outOfMemory }
            let reply = RawMessage(owning: pointer)
            try MessageWriter.append(values, to: pointer)
            isAnswered = true
            try connection?.send(reply, of: "the answer to \(message.member)")
        } catch {
            // A lost connection needs no answer; a value that cannot be sent is answered with an error.
            fail(MethodFailure(.failed, error.description))
        }
    }

    /// Answers the call with an error.
    package func fail(_ failure: MethodFailure) {
        guard !isAnswered else { return }
        isAnswered = true
        Self.send(failure, to: message, on: connection)
    }

    private static func send(_ failure: MethodFailure, to message: RawMessage, on connection: BusConnection?) {
        guard message.expectsReply else { return }
        let name = dbus_validate_error_name(failure.name, nil) != 0 ? failure.name : StandardError.failed.name
        let text = failure.message.replacingOccurrences(of: "\0", with: "")
        guard let pointer = dbus_message_new_error(message.pointer, name, text) else { return }
        // Nobody is left to tell when this fails.
        try? connection?.send(RawMessage(owning: pointer), of: "the answer to \(message.member)")
    }
}
