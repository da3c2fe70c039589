import CDBus
import Foundation
import MainLoop

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

/// A signal that an object on the bus sent.
package struct BusSignal: Swift.Sendable {
    /// The unique name of the connection that sent it (`:1.42`).
    package let sender: String
    package let path: ObjectPath
    package let interface: String
    package let member: String
    package internal(set) var arguments: [BusValue]
}

/// Which signals to hear. Nil means any.
package struct MatchRule: Hashable, Swift.Sendable {
    /// A unique or a well-known name; the bus resolves the latter.
    package var sender: String?
    package var path: ObjectPath?
    /// Signals of this object and of all objects below it.
    package var pathNamespace: ObjectPath?
    package var interface: String?
    package var member: String?
    /// The first argument, when it is a string.
    package var firstArgument: String?

    package init(
        sender: String? = nil, path: ObjectPath? = nil, pathNamespace: ObjectPath? = nil, interface: String? = nil,
        member: String? = nil, firstArgument: String? = nil
    ) {
        self.sender = sender
        self.path = path
        self.pathNamespace = pathNamespace
        self.interface = interface
        self.member = member
        self.firstArgument = firstArgument
    }

    /// The rule in the bus's own words.
    var text: String {
        var parts = ["type='signal'"]
        func add(_ key: String, _ value: String?) {
            if let value { parts.append("\(key)='\(value.replacingOccurrences(of: "'", with: "'\\''"))'") }
        }
        add("sender", sender)
        add("path", path?.string)
        // The bus refuses a namespace of "/", which would say nothing anyway.
        if pathNamespace != .root { add("path_namespace", pathNamespace?.string) }
        add("interface", interface)
        add("member", member)
        add("arg0", firstArgument)
        return parts.joined(separator: ",")
    }

    /// Whether a signal that arrived is meant, but for its arguments. `owner` is the unique name behind ``sender``.
    func matchesHeader(of signal: BusSignal, owner: String?) -> Bool {
        if let member, signal.member != member { return false }
        if let interface, signal.interface != interface { return false }
        if let sender, signal.sender != sender, signal.sender != owner { return false }
        if let path, signal.path != path { return false }
        if let pathNamespace, !signal.path.isSameOrBelow(pathNamespace) { return false }
        return true
    }

    func matchesArguments(of signal: BusSignal) -> Bool {
        guard let firstArgument else { return true }
        guard case .string(firstArgument)? = signal.arguments.first else { return false }
        return true
    }
}

/// A message of libdbus, released with the last reference to this object.
@LoopActor
final class RawMessage {
    nonisolated(unsafe) let pointer: OpaquePointer

    /// Takes over a reference that the caller owns.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    /// Adds a reference to a message that libdbus lends.
    init(borrowing pointer: OpaquePointer) {
        self.pointer = dbus_message_ref(pointer)
    }

    deinit {
        // The last reference may switch a watch of the connection back on, which is for the loop to do.
        if MainLoop.shared.isCurrent {
            dbus_message_unref(pointer)
        } else {
            nonisolated(unsafe) let pointer = pointer
            MainLoop.shared.async { dbus_message_unref(pointer) }
        }
    }

    convenience init(_ call: MethodCall) throws(BusError) {
        guard BusName.isBusName(call.destination) else { throw .invalidValue("the bus name '\(call.destination)'") }
        try BusName.check(interface: call.interface, member: call.method, path: call.path)
        guard
            let pointer = dbus_message_new_method_call(call.destination, call.path.string, call.interface, call.method)
        else { throw .outOfMemory }
        self.init(owning: pointer)
        try MessageWriter.append(call.arguments, to: pointer)
    }

    convenience init(signal member: String, of interface: String, from path: ObjectPath, arguments: [BusValue])
        throws(BusError)
    {
        try BusName.check(interface: interface, member: member, path: path)
        guard let pointer = dbus_message_new_signal(path.string, interface, member) else { throw .outOfMemory }
        self.init(owning: pointer)
        try MessageWriter.append(arguments, to: pointer)
    }

    var type: Int32 { dbus_message_get_type(pointer) }
    var sender: String { text(dbus_message_get_sender(pointer)) ?? "" }
    var interface: String? { text(dbus_message_get_interface(pointer)) }
    /// The type of the arguments.
    var signature: String { text(dbus_message_get_signature(pointer)) ?? "" }
    var member: String { text(dbus_message_get_member(pointer)) ?? "" }
    var errorName: String { text(dbus_message_get_error_name(pointer)) ?? "" }
    var path: ObjectPath { ObjectPath(validated: text(dbus_message_get_path(pointer)) ?? "/") }
    var expectsReply: Bool { dbus_message_get_no_reply(pointer) == 0 }

    func arguments() throws(BusError) -> [BusValue] {
        try MessageReader.arguments(of: pointer)
    }

    private func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        pointer.map { String(cString: $0) }
    }
}
