import CDBus
import Foundation
import MainLoop

/// The listeners of properties that are arrays of bytes. Their values come by the thousand, and reading them like other
/// signals costs ten times as much.
@LoopActor
final class ByteSignalTable {
    @LoopActor
    final class Listener {
        let sender: String
        // As libdbus has them: Swift strings would be copied for each signal.
        /// The unique name behind `sender`, while it is known.
        var owner: [CChar]?
        let path: [CChar]
        let interface: [CChar]
        let property: [CChar]
        let handler: @LoopActor (Data) -> Void

        init<Interface: BusInterface>(
            sender: String, path: ObjectPath, property: InterfaceProperty<Interface, Data>,
            handler: @escaping @LoopActor (Data) -> Void
        ) {
            self.sender = sender
            self.path = Array(path.string.utf8CString)
            interface = Array(Interface.name.utf8CString)
            self.property = Array(property.name.utf8CString)
            self.handler = handler
        }
    }

    private var listeners: [Listener] = []

    /// - Parameter owner: the unique name of the listener's sender, if known.
    func add(_ listener: Listener, owner: String?) {
        listener.owner = owner.map { Array($0.utf8CString) }
        listeners.append(listener)
    }

    /// Notes the unique name behind a sender's well-known one.
    func setOwner(_ owner: String?, of sender: String) {
        for listener in listeners where listener.sender == sender {
            listener.owner = owner.map { Array($0.utf8CString) }
        }
    }

    func remove(_ listener: Listener) {
        listeners.removeAll { $0 === listener }
    }

    /// Hands the value over if the message is a PropertiesChanged signal that reports nothing but this.
    ///
    /// - Returns: whether it was.
    func dispatch(_ message: OpaquePointer) -> Bool {
        guard !listeners.isEmpty,
            SignalHeader.propertiesChanged.matches(message),
            let path = dbus_message_get_path(message),
            let listener = listener(at: path),
            let owner = listener.owner, dbus_message_has_sender(message, owner) != 0
        else { return false }
        var arguments = DBusMessageIter()
        guard dbus_message_iter_init(message, &arguments) != 0, Self.next(&arguments, is: listener.interface) else {
            return false
        }
        dbus_message_iter_next(&arguments)
        guard dbus_message_iter_get_arg_type(&arguments) == CDBUS_TYPE_ARRAY else { return false }
        var entries = DBusMessageIter()
        dbus_message_iter_recurse(&arguments, &entries)
        guard dbus_message_iter_get_arg_type(&entries) == CDBUS_TYPE_DICT_ENTRY else { return false }
        var entry = DBusMessageIter()
        dbus_message_iter_recurse(&entries, &entry)
        guard Self.next(&entry, is: listener.property), dbus_message_iter_has_next(&entries) == 0 else { return false }
        dbus_message_iter_next(&entry)
        guard let value = Self.bytes(&entry) else { return false }
        listener.handler(value)
        MainLoop.shared.coalesceReads()
        return true
    }

    // No closures here and below: in each, Swift would check for each signal that this is the loop.
    private func listener(at path: UnsafePointer<CChar>) -> Listener? {
        for listener in listeners where strcmp(listener.path, path) == 0 { return listener }
        return nil
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
