import CDBus

/// The path of an object on the bus, such as `/org/bluez/hci0`.
package struct ObjectPath: Hashable, Swift.Sendable, CustomStringConvertible {
    package let string: String

    /// Nil when `string` is not an object path as the D-Bus specification defines it.
    package init?(_ string: String) {
        guard !string.hasZeroByte, string.withCString({ dbus_validate_path($0, nil) }) != 0 else { return nil }
        self.string = string
    }

    /// For text that comes from libdbus, which has checked it.
    init(validated string: String) {
        self.string = string
    }

    /// `/`.
    package static let root = ObjectPath(validated: "/")

    /// This path with one more element. Characters that a path cannot hold become `_`.
    package func appending(_ element: String) -> ObjectPath {
        let safe = element.utf8.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
                byte
            default: UInt8(ascii: "_")
            }
        }
        let name = safe.isEmpty ? "_" : String(decoding: safe, as: UTF8.self)
        return ObjectPath(validated: string == "/" ? "/\(name)" : "\(string)/\(name)")
    }

    /// The path without its last element; nil for the root.
    package var parent: ObjectPath? {
        guard string != "/", let slash = string.lastIndex(of: "/") else { return nil }
        return slash == string.startIndex ? .root : ObjectPath(validated: String(string[..<slash]))
    }

    /// The last element, empty for the root.
    package var lastElement: String {
        string.lastIndex(of: "/").map { String(string[string.index(after: $0)...]) } ?? ""
    }

    /// Whether this path is `ancestor` or lies below it.
    package func isSameOrBelow(_ ancestor: ObjectPath) -> Bool {
        ancestor.string == "/" || string == ancestor.string || string.hasPrefix(ancestor.string + "/")
    }

    package var description: String { string }
}

/// The type of a D-Bus value, or of several in a row, in the specification's letters: `a{sv}`.
package struct Signature: Hashable, Swift.Sendable, CustomStringConvertible {
    package let string: String

    /// Nil when `string` is not a signature as the D-Bus specification defines it.
    package init?(_ string: String) {
        guard !string.hasZeroByte, dbus_signature_validate(string, nil) != 0 else { return nil }
        self.string = string
    }

    init(validated string: String) {
        self.string = string
    }

    /// Whether a value of type `other` may be read as one of this type: variants are looked through.
    func accepts(_ other: Signature) -> Bool {
        self == other || string == "v" || other.string == "v"
    }

    package var description: String { string }
}
