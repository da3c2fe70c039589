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
        try self.init(DBUS_MESSAGE_TYPE_METHOD_CALL, call.arguments)
        try set(call.destination, by: dbus_message_set_destination)
        try set(call.path.string, by: dbus_message_set_path)
        try set(call.interface, by: dbus_message_set_interface)
        try set(call.method, by: dbus_message_set_member)
    }

    convenience init(signal member: String, of interface: String, from path: ObjectPath, arguments: [BusValue])
        throws(BusError)
    {
        try BusName.check(interface: interface, member: member, path: path)
        try self.init(DBUS_MESSAGE_TYPE_SIGNAL, arguments)
        dbus_message_set_no_reply(pointer, 1)
        try set(path.string, by: dbus_message_set_path)
        try set(interface, by: dbus_message_set_interface)
        try set(member, by: dbus_message_set_member)
    }

    /// A message with arguments, to which the fields of the header are to be added. In this order, because libdbus
    /// writes all fields again for each argument after the first.
    private convenience init(_ type: Int32, _ arguments: [BusValue]) throws(BusError) {
        guard let pointer = dbus_message_new(type) else { throw .outOfMemory }
        self.init(owning: pointer)
        try MessageWriter.append(arguments, to: pointer)
    }

    private nonisolated func set(
        _ field: String, by setter: (OpaquePointer?, UnsafePointer<CChar>?) -> dbus_bool_t
    ) throws(BusError) {
        // Given to the function directly, the string would be copied.
        guard field.withCString({ setter(pointer, $0) }) != 0 else { throw .outOfMemory }
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
