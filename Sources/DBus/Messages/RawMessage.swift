import CDBus
import MainLoop

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
    var name: MethodCall.Name { MethodCall.Name(interface: interface ?? "", method: member, path: path) }
    var expectsReply: Bool { dbus_message_get_no_reply(pointer) == 0 }

    func arguments() throws(BusError) -> [BusValue] {
        try MessageReader.arguments(of: pointer)
    }

    private func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        pointer.map { String(cString: $0) }
    }
}
