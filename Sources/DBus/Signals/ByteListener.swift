import CDBus
import Foundation
import MainLoop

/// A listener of a property that is an array of bytes. Its values come by the thousand, and reading them like other
/// signals costs ten times as much.
@LoopActor
final class ByteListener {
    let sender: String
    let path: ObjectPath
    // As libdbus has them: Swift strings would be copied for each signal.
    private let interface: [CChar]
    private let property: [CChar]
    private let handler: @LoopActor (Data) -> Void

    init<Interface: BusInterface>(
        sender: String, path: ObjectPath, property: InterfaceProperty<Interface, Data>,
        handler: @escaping @LoopActor (Data) -> Void
    ) {
        self.sender = sender
        self.path = path
        interface = Array(Interface.name.utf8CString)
        self.property = Array(property.name.utf8CString)
        self.handler = handler
    }

    /// Hands the value over if the message, a PropertiesChanged signal of the object, reports nothing but this.
    ///
    /// - Returns: whether it does.
    func take(_ message: OpaquePointer) -> Bool {
        // No closures here and below: in each, Swift would check for each signal that this is the loop.
        var arguments = DBusMessageIter()
        guard dbus_message_iter_init(message, &arguments) != 0, Self.next(&arguments, is: interface) else {
            return false
        }
        dbus_message_iter_next(&arguments)
        guard dbus_message_iter_get_arg_type(&arguments) == CDBUS_TYPE_ARRAY else { return false }
        var entries = DBusMessageIter()
        dbus_message_iter_recurse(&arguments, &entries)
        guard dbus_message_iter_get_arg_type(&entries) == CDBUS_TYPE_DICT_ENTRY else { return false }
        var entry = DBusMessageIter()
        dbus_message_iter_recurse(&entries, &entry)
        guard Self.next(&entry, is: property), dbus_message_iter_has_next(&entries) == 0 else { return false }
        dbus_message_iter_next(&entry)
        guard let value = Self.bytes(&entry) else { return false }
        handler(value)
        MainLoop.shared.coalesceReads()
        return true
    }

    private static func next(_ iterator: inout DBusMessageIter, is text: [CChar]) -> Bool {
        guard dbus_message_iter_get_arg_type(&iterator) == CDBUS_TYPE_STRING else { return false }
        var pointer: UnsafePointer<CChar>?
        dbus_message_iter_get_basic(&iterator, &pointer)
        guard let pointer else { return false }
        return strcmp(pointer, text) == 0
    }

    /// The bytes in the variant that comes next.
    private static func bytes(_ iterator: inout DBusMessageIter) -> Data? {
        guard dbus_message_iter_get_arg_type(&iterator) == CDBUS_TYPE_VARIANT else { return nil }
        var variant = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &variant)
        guard dbus_message_iter_get_arg_type(&variant) == CDBUS_TYPE_ARRAY,
            dbus_message_iter_get_element_type(&variant) == CDBUS_TYPE_BYTE
        else { return nil }
        var array = DBusMessageIter()
        dbus_message_iter_recurse(&variant, &array)
        var bytes: UnsafePointer<UInt8>?
        var count: Int32 = 0
        dbus_message_iter_get_fixed_array(&array, &bytes, &count)
        guard let bytes, count > 0 else { return Data() }
        return Data(bytes: bytes, count: Int(count))
    }
}
