import CDBus
import Foundation

/// Writes ``BusValue``s into a message. libdbus checks little of what it is given: some mistakes make it abort the
/// process, others make the bus throw the client out. So all of the specification's limits are checked here.
enum MessageWriter {
    /// Bytes of an array, and here of a string, too.
    private static let maximumLength = 64 << 20
    /// Containers in containers, variants included.
    private static let maximumDepth = 64
    private static let maximumSignatureLength = 255
    /// Arrays in arrays, and structures in structures, in a signature. The types of the pieces are checked as they are
    /// written; only how deep they are in each other is left, which takes a letter for each.
    private static let maximumSignatureDepth = 32

    /// Appends the arguments to a message that has none. A message for which this throws cannot be sent.
    static func append(_ values: [BusValue], to message: OpaquePointer) throws(BusError) {
        guard !values.isEmpty else { return }
        var length = 0
        for value in values { length += value.signatureLength }
        guard length <= maximumSignatureLength else {
            throw .invalidValue("arguments with a signature of \(length) letters")
        }
        var iterator = DBusMessageIter()
        dbus_message_iter_init_append(message, &iterator)
        for value in values { try append(value, &iterator, depth: 0) }
        guard length > maximumSignatureDepth else { return }
        let signature = dbus_message_get_signature(message)
        guard dbus_signature_validate(signature, nil) != 0 else {
            throw .invalidValue("arguments of type '\(signature.map { String(cString: $0) } ?? "")'")
        }
    }

    private static func append(
        _ value: BusValue, _ iterator: inout DBusMessageIter, depth: Int
    ) throws(BusError) {
        guard depth <= maximumDepth else { throw .invalidValue("more than \(maximumDepth) containers in each other") }
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
            // libdbus makes a copy, which fails for what is not open.
            guard let raw = descriptor.rawValue, fcntl(raw, F_GETFD) >= 0 else {
                throw .invalidValue("a file descriptor that was taken out or is not open")
            }
            try fixed(raw, CDBUS_TYPE_UNIX_FD, &iterator)
        case .bytes(let data): try bytes(data, &iterator)
        case .array(let values, let element):
            try container(CDBUS_TYPE_ARRAY, checked(element.string), &iterator) { inner throws(BusError) in
                for value in values {
                    guard value.hasSignature(element) else {
                        throw .invalidValue("'\(value.signature)' in an array of '\(element)'")
                    }
                    try append(value, &inner, depth: depth + 1)
                }
            }
        case .structure(let fields):
            guard !fields.isEmpty else { throw .invalidValue("an empty structure") }
            try container(CDBUS_TYPE_STRUCT, nil, &iterator) { inner throws(BusError) in
                for field in fields { try append(field, &inner, depth: depth + 1) }
            }
        case .dictionary(let entries, let keyType, let valueType):
            try container(CDBUS_TYPE_ARRAY, entrySignature(keyType, valueType), &iterator) { inner throws(BusError) in
                func write(_ key: BusValue, _ value: BusValue) throws(BusError) {
                    guard key.hasSignature(keyType), value.hasSignature(valueType) else {
                        throw .invalidValue("'{\(key.signature)\(value.signature)}' in 'a{\(keyType)\(valueType)}'")
                    }
                    try container(CDBUS_TYPE_DICT_ENTRY, nil, &inner) { entry throws(BusError) in
                        try append(key, &entry, depth: depth + 2)
                        try append(value, &entry, depth: depth + 2)
                    }
                }
                if keyType.string == "o" {
                    for (key, value) in inOrder(entries) { try write(key, value) }
                } else {
                    for (key, value) in entries { try write(key, value) }
                }
            }
        case .variant(let inner):
            try container(CDBUS_TYPE_VARIANT, contentSignature(inner), &iterator) { iterator throws(BusError) in
                try append(inner, &iterator, depth: depth + 1)
            }
        }
    }

    private static func bytes(_ data: Data, _ iterator: inout DBusMessageIter) throws(BusError) {
        guard data.count <= maximumLength else { throw .invalidValue("an array of \(data.count) bytes") }
        try container(CDBUS_TYPE_ARRAY, "y", &iterator) { inner throws(BusError) in
            guard !data.isEmpty else { return }
            let appended = data.withUnsafeBytes { bytes -> dbus_bool_t in
                var pointer = bytes.baseAddress
                return dbus_message_iter_append_fixed_array(
                    &inner, Int32(CDBUS_TYPE_BYTE), &pointer, Int32(bytes.count))
            }
            guard appended != 0 else { throw .outOfMemory }
        }
    }

    // MARK: Signatures

    /// The type of a variant's content.
    private static func contentSignature(_ value: BusValue) throws(BusError) -> String {
        let signature = value.signature.string
        switch value {
        case .array, .structure, .dictionary: return try checked(signature)
        default: return signature
        }
    }

    /// A tree of objects, parents and low numbers first. bluetoothd gives out attribute handles in this order, and
    /// clients remember them: they have to be the same whenever the same services are registered.
    private static func inOrder(_ objects: [BusValue: BusValue]) -> [(BusValue, BusValue)] {
        func path(_ key: BusValue) -> String {
            if case .objectPath(let path) = key { path.string } else { "" }
        }
        return objects.sorted {
            let (first, second) = (path($0.key), path($1.key))
            return (first.utf8.count, first) < (second.utf8.count, second)
        }.map { ($0.key, $0.value) }
    }

    private static func entrySignature(_ key: Signature, _ value: Signature) throws(BusError) -> String {
        if key.string == "s", value.string == "v" { return "{sv}" }
        return try checked("{" + key.string + value.string + "}")
    }

    private static func checked(_ contained: String) throws(BusError) -> String {
        // A dictionary entry is a type only inside of an array, hence the "a".
        guard dbus_signature_validate_single("a" + contained, nil) != 0 else {
            throw .invalidValue("an array or variant of '\(contained)'")
        }
        return contained
    }

    // MARK: Pieces

    private static func container(
        _ type: Int, _ contained: String?, _ iterator: inout DBusMessageIter,
        _ fill: (inout DBusMessageIter) throws(BusError) -> Void
    ) throws(BusError) {
        var inner = DBusMessageIter()
        guard open(type, contained, &iterator, &inner) else { throw .outOfMemory }
        do throws(BusError) {
            try fill(&inner)
        } catch {
            dbus_message_iter_abandon_container(&iterator, &inner)
            throw error
        }
        guard dbus_message_iter_close_container(&iterator, &inner) != 0 else { throw .outOfMemory }
    }

    private static func open(
        _ type: Int, _ contained: String?, _ outer: inout DBusMessageIter, _ inner: inout DBusMessageIter
    ) -> Bool {
        guard let contained else { return dbus_message_iter_open_container(&outer, Int32(type), nil, &inner) != 0 }
        // Given to the function directly, the string would be copied.
        return contained.withCString { dbus_message_iter_open_container(&outer, Int32(type), $0, &inner) } != 0
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
        guard string.utf8.count <= maximumLength else {
            throw .invalidValue("a string of \(string.utf8.count) bytes")
        }
        guard !string.hasZeroByte else { throw .invalidValue("a string with a zero byte") }
        let appended = string.withCString { text -> dbus_bool_t in
            var pointer: UnsafePointer<CChar>? = text
            return dbus_message_iter_append_basic(&iterator, Int32(type), &pointer)
        }
        guard appended != 0 else { throw .outOfMemory }
    }
}
