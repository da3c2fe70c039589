import CDBus
import Foundation

/// Between ``BusValue`` and libdbus's message iterators.
enum MessageCodec {
    // MARK: Reading

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
        guard entry.utf8.count >= 4, entry.hasPrefix("{"), entry.hasSuffix("}") else {
            throw .unexpectedType(expected: "a dictionary entry", actual: entry, in: "message")
        }
        let inner = entry.dropFirst().dropLast()
        return (Signature(validated: String(inner.prefix(1))), Signature(validated: String(inner.dropFirst())))
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

    // MARK: Writing

    static func append(_ values: [BusValue], to message: OpaquePointer) throws(BusError) {
        var iterator = DBusMessageIter()
        dbus_message_iter_init_append(message, &iterator)
        for value in values { try append(value, &iterator) }
    }

    private static func append(_ value: BusValue, _ iterator: inout DBusMessageIter) throws(BusError) {
        switch value {
        case .byte(let value): try fixed(value, CDBUS_TYPE_BYTE, &iterator)
        case .boolean(let value): try fixed(dbus_bool_t(value ? 1 : 0), CDBUS_TYPE_BOOLEAN, &iterator)
        case .int16(let value): try fixed(value, CDBUS_TYPE_INT16, &iterator)
        case .uint16(let value): try fixed(value, CDBUS_TYPE_UINT16, &iterator)
        case .int32(let value): try fixed(value, CDBUS_TYPE_INT32, &iterator)
        case .uint32(let value): try fixed(value, CDBUS_TYPE_UINT32, &iterator)
        case .int64(let value): try fixed(value, CDBUS_TYPE_INT64, &iterator)
        case .uint64(let value): try fixed(value, CDBUS_TYPE_UINT64, &iterator)
        case .double(let value): try fixed(value, CDBUS_TYPE_DOUBLE, &iterator)
        case .string(let value): try text(value, CDBUS_TYPE_STRING, &iterator)
        case .objectPath(let path): try text(path.string, CDBUS_TYPE_OBJECT_PATH, &iterator)
        case .signature(let signature): try text(signature.string, CDBUS_TYPE_SIGNATURE, &iterator)
        case .fileDescriptor(let descriptor):
            guard let raw = descriptor.rawValue else { throw .invalidValue("a file descriptor that was taken out") }
            try fixed(raw, CDBUS_TYPE_UNIX_FD, &iterator)
        case .bytes(let data):
            try container(CDBUS_TYPE_ARRAY, "y", &iterator) { inner throws(BusError) in
                guard !data.isEmpty else { return }
                let appended = data.withUnsafeBytes { bytes -> dbus_bool_t in
                    var pointer = bytes.bindMemory(to: UInt8.self).baseAddress
                    return dbus_message_iter_append_fixed_array(
                        &inner, Int32(CDBUS_TYPE_BYTE), &pointer, Int32(bytes.count))
                }
                guard appended != 0 else { throw .outOfMemory }
            }
        case .array(let values, let element):
            try container(CDBUS_TYPE_ARRAY, element.string, &iterator) { inner throws(BusError) in
                for value in values {
                    guard value.signature == element else {
                        throw .invalidValue("'\(value.signature)' in an array of '\(element)'")
                    }
                    try append(value, &inner)
                }
            }
        case .structure(let fields):
            guard !fields.isEmpty else { throw .invalidValue("an empty structure") }
            try container(CDBUS_TYPE_STRUCT, nil, &iterator) { inner throws(BusError) in
                for field in fields { try append(field, &inner) }
            }
        case .dictionary(let entries, let keyType, let valueType):
            try container(CDBUS_TYPE_ARRAY, "{\(keyType)\(valueType)}", &iterator) { inner throws(BusError) in
                for (key, value) in entries {
                    guard key.signature == keyType, value.signature == valueType else {
                        throw .invalidValue("'{\(key.signature)\(value.signature)}' in 'a{\(keyType)\(valueType)}'")
                    }
                    try container(CDBUS_TYPE_DICT_ENTRY, nil, &inner) { entry throws(BusError) in
                        try append(key, &entry)
                        try append(value, &entry)
                    }
                }
            }
        case .variant(let inner):
            try container(CDBUS_TYPE_VARIANT, inner.signature.string, &iterator) { iterator throws(BusError) in
                try append(inner, &iterator)
            }
        }
    }

    private static func container(
        _ type: Int, _ contained: String?, _ iterator: inout DBusMessageIter,
        _ fill: (inout DBusMessageIter) throws(BusError) -> Void
    ) throws(BusError) {
        // A dictionary entry is a type only inside of an array, hence the "a".
        if let contained, dbus_signature_validate_single("a" + contained, nil) == 0 {
            throw .invalidValue("an array or variant of '\(contained)'")
        }
        var inner = DBusMessageIter()
        guard dbus_message_iter_open_container(&iterator, Int32(type), contained, &inner) != 0 else {
            throw .outOfMemory
        }
        do throws(BusError) {
            try fill(&inner)
        } catch {
            dbus_message_iter_abandon_container(&iterator, &inner)
            throw error
        }
        guard dbus_message_iter_close_container(&iterator, &inner) != 0 else { throw .outOfMemory }
    }

    private static func fixed<T: BitwiseCopyable>(
        _ value: T, _ type: Int, _ iterator: inout DBusMessageIter
    ) throws(BusError) {
        var value = value
        guard dbus_message_iter_append_basic(&iterator, Int32(type), &value) != 0 else { throw .outOfMemory }
    }

    private static func text(
        _ string: String, _ type: Int, _ iterator: inout DBusMessageIter
    ) throws(BusError) {
        // Swift strings are valid UTF-8; a zero byte is all that libdbus could object to.
        guard !string.utf8.contains(0) else { throw .invalidValue("a string with a zero byte") }
        let appended = string.withCString { text -> dbus_bool_t in
            var pointer: UnsafePointer<CChar>? = text
            return dbus_message_iter_append_basic(&iterator, Int32(type), &pointer)
        }
        guard appended != 0 else { throw .outOfMemory }
    }
}
