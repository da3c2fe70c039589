import CDBus
import Foundation

/// Reads the ``BusValue``s of a message that libdbus has checked.
enum MessageReader {
    static func arguments(of message: OpaquePointer) throws(BusError) -> [BusValue] {
        var iterator = DBusMessageIter()
        guard dbus_message_iter_init(message, &iterator) != 0 else { return [] }
        return try values(&iterator)
    }

    private static func values(_ iterator: inout DBusMessageIter) throws(BusError) -> [BusValue] {
        var values: [BusValue] = []
        while dbus_message_iter_get_arg_type(&iterator) != 0 {
            values.append(try value(&iterator))
            dbus_message_iter_next(&iterator)
        }
        return values
    }

    private static func value(_ iterator: inout DBusMessageIter) throws(BusError) -> BusValue {
        let type = dbus_message_iter_get_arg_type(&iterator)
        switch Int(type) {
        case CDBUS_TYPE_BYTE: return .byte(fixed(&iterator, UInt8(0)))
        case CDBUS_TYPE_BOOLEAN: return .boolean(fixed(&iterator, dbus_bool_t(0)) != 0)
        case CDBUS_TYPE_INT16: return .int16(fixed(&iterator, Int16(0)))
        case CDBUS_TYPE_UINT16: return .uint16(fixed(&iterator, UInt16(0)))
        case CDBUS_TYPE_INT32: return .int32(fixed(&iterator, Int32(0)))
        case CDBUS_TYPE_UINT32: return .uint32(fixed(&iterator, UInt32(0)))
        case CDBUS_TYPE_INT64: return .int64(fixed(&iterator, Int64(0)))
        case CDBUS_TYPE_UINT64: return .uint64(fixed(&iterator, UInt64(0)))
        case CDBUS_TYPE_DOUBLE: return .double(fixed(&iterator, Double(0)))
        case CDBUS_TYPE_STRING: return .string(text(&iterator))
        case CDBUS_TYPE_OBJECT_PATH: return .objectPath(ObjectPath(validated: text(&iterator)))
        case CDBUS_TYPE_SIGNATURE: return .signature(Signature(validated: text(&iterator)))
        case CDBUS_TYPE_UNIX_FD:
            let descriptor = fixed(&iterator, Int32(-1))
            guard descriptor >= 0 else { throw .outOfMemory }
            return .fileDescriptor(BusFileDescriptor(owning: descriptor))
        case CDBUS_TYPE_VARIANT:
            var inner = DBusMessageIter()
            dbus_message_iter_recurse(&iterator, &inner)
            return .variant(try value(&inner))
        case CDBUS_TYPE_STRUCT:
            var inner = DBusMessageIter()
            dbus_message_iter_recurse(&iterator, &inner)
            return .structure(try values(&inner))
        case CDBUS_TYPE_ARRAY: return try array(&iterator)
        default:
            throw .unexpectedType(expected: "a D-Bus type", actual: "type code \(type)", in: "message")
        }
    }

    private static func array(_ iterator: inout DBusMessageIter) throws(BusError) -> BusValue {
        let elementType = dbus_message_iter_get_element_type(&iterator)
        var inner = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &inner)
        switch Int(elementType) {
        case CDBUS_TYPE_BYTE:
            var bytes: UnsafePointer<UInt8>?
            var count: Int32 = 0
            dbus_message_iter_get_fixed_array(&inner, &bytes, &count)
            guard let bytes, count > 0 else { return .bytes(Data()) }
            return .bytes(Data(bytes: bytes, count: Int(count)))
        case CDBUS_TYPE_DICT_ENTRY:
            let types = try entryTypes(signatureText(&inner))
            var entries: [BusValue: BusValue] = [:]
            while dbus_message_iter_get_arg_type(&inner) != 0 {
                var entry = DBusMessageIter()
                dbus_message_iter_recurse(&inner, &entry)
                let key = try value(&entry)
                dbus_message_iter_next(&entry)
                entries[key] = try value(&entry)
                dbus_message_iter_next(&inner)
            }
            return .dictionary(entries, key: types.key, value: types.value)
        default:
            let element = Signature(validated: signatureText(&inner))
            return .array(try values(&inner), of: element)
        }
    }

    /// Splits `{sv}`: a key is always one letter.
    private static func entryTypes(_ entry: String) throws(BusError) -> (key: Signature, value: Signature) {
        let letters = entry.utf8
        guard letters.count >= 4, letters.first == UInt8(ascii: "{"), letters.last == UInt8(ascii: "}") else {
            throw .unexpectedType(expected: "a dictionary entry", actual: entry, in: "message")
        }
        let inner = letters.dropFirst().dropLast()
        return (
            Signature(validated: String(Substring(inner.prefix(1)))),
            Signature(validated: String(Substring(inner.dropFirst())))
        )
    }

    private static func signatureText(_ iterator: inout DBusMessageIter) -> String {
        guard let text = dbus_message_iter_get_signature(&iterator) else { return "" }
        defer { dbus_free(text) }
        return String(cString: text)
    }

    private static func fixed<T: BitwiseCopyable>(_ iterator: inout DBusMessageIter, _ initial: T) -> T {
        var value = initial
        dbus_message_iter_get_basic(&iterator, &value)
        return value
    }

    private static func text(_ iterator: inout DBusMessageIter) -> String {
        var pointer: UnsafePointer<CChar>?
        dbus_message_iter_get_basic(&iterator, &pointer)
        return pointer.map { String(cString: $0) } ?? ""
    }
}
