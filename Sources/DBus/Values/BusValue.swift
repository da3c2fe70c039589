package import Foundation

/// A value of any D-Bus type.
///
/// An array of bytes is ``bytes(_:)``, not ``array(_:of:)``, so that a characteristic's value is copied once on its
/// way.
package enum BusValue: Hashable, Swift.Sendable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(ObjectPath)
    case signature(Signature)
    case fileDescriptor(BusFileDescriptor)
    /// `ay`.
    case bytes(Data)
    /// An array of anything but bytes and dictionary entries; `of` is the type of its elements.
    indirect case array([BusValue], of: Signature)
    case structure([BusValue])
    /// An array of dictionary entries.
    indirect case dictionary([BusValue: BusValue], key: Signature, value: Signature)
    indirect case variant(BusValue)

    /// The type of this value.
    package var signature: Signature { Signature(validated: signatureText) }

    private var signatureText: String {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .fileDescriptor: "h"
        case .bytes: "ay"
        case .array(_, let element): "a" + element.string
        case .structure(let fields): "(" + fields.map(\.signatureText).joined() + ")"
        case .dictionary(_, let key, let value): "a{" + key.string + value.string + "}"
        case .variant: "v"
        }
    }

    /// The number of letters of ``signature``.
    var signatureLength: Int {
        switch self {
        case .bytes: 2
        case .array(_, let element): 1 + element.string.utf8.count
        case .structure(let fields): fields.reduce(2) { $0 + $1.signatureLength }
        case .dictionary(_, let key, let value): 3 + key.string.utf8.count + value.string.utf8.count
        default: 1
        }
    }

    func hasSignature(_ signature: Signature) -> Bool {
        signatureText == signature.string
    }

    /// The value inside of variants, however deep.
    package var unwrapped: BusValue {
        var value = self
        while case .variant(let inner) = value { value = inner }
        return value
    }

    /// This value in a variant, unless it is one.
    var inVariant: BusValue {
        if case .variant = self { self } else { .variant(self) }
    }
}

/// A Swift type for one D-Bus type.
package protocol BusType {
    /// The D-Bus type.
    static var busSignature: Signature { get }
    /// Nil when `busValue` is of another type. Variants are looked through.
    init?(busValue: BusValue)
    var busValue: BusValue { get }
}

extension BusValue {
    /// This value as a Swift type.
    ///
    /// - Parameter place: what the value is, for the error: `org.bluez.Device1.Address`.
    /// - Throws: ``BusError/unexpectedType(expected:actual:in:)``.
    package func decode<T: BusType>(as type: T.Type = T.self, place: String) throws(BusError) -> T {
        guard let value = T(busValue: self) else {
            throw .unexpectedType(expected: T.busSignature.string, actual: unwrapped.signature.string, in: place)
        }
        return value
    }
}

extension BusValue: BusType {
    package static var busSignature: Signature { Signature(validated: "v") }
    package init?(busValue: BusValue) { self = busValue.unwrapped }
    package var busValue: BusValue { inVariant }
}

extension UInt8: BusType {
    package static var busSignature: Signature { Signature(validated: "y") }
    package init?(busValue: BusValue) {
        if case .byte(let value) = busValue.unwrapped { self = value } else { return nil }
    }
    package var busValue: BusValue { .byte(self) }
}
extension Bool: BusType {
    package static var busSignature: Signature { Signature(validated: "b") }
    package init?(busValue: BusValue) {
        if case .boolean(let value) = busValue.unwrapped { self = value } else { return nil }
    }
    package var busValue: BusValue { .boolean(self) }
}
extension Int16: BusType {
    package static var busSignature: Signature { Signature(validated: "n") }
    package init?(busValue: BusValue) {
        if case .int16(let value) = busValue.unwrapped { self = value } else { return nil }
    }
    package var busValue: BusValue { .int16(self) }
}
extension UInt16: BusType {
    package static var busSignature: Signature { Signature(validated: "q") }
    package init?(busValue: BusValue) {
        if case .uint16(let value) = busValue.unwrapped { self = value } else { return nil }
    }
    package var busValue: BusValue { .uint16(self) }
}
extension Int32: BusType {
    package static var busSignature: Signature { Signature(validated: "i") }
    package init?(busValue: BusValue) {
        if case .int32(let value) = busValue.unwrapped { self = value } else { return nil }
    }
    package var busValue: BusValue { .int32(self) }
}
extension UInt32: BusType {
    package static var busSignature: Signature { Signature(validated: "u") }
    package init?(busValue: BusValue) {
        if case .uint32(let value) = busValue.unwrapped { self = value } else { return nil }
    }
    package var busValue: BusValue { .uint32(self) }
}
extension Int64: BusType {
    package static var busSignature: Signature { Signature(validated: "x") }
    package init?(busValue: BusValue) {
        if case .int64(let value) = busValue.unwrapped { self = value } else { return nil }
    }
    package var busValue: BusValue { .int64(self) }
}
extension UInt64: BusType {
    package static var busSignature: Signature { Signature(validated: "t") }
    package init?(busValue: BusValue) {
        if case .uint64(let value) = busValue.unwrapped { self = value } else { return nil }
    }
    package var busValue: BusValue { .uint64(self) }
}
extension Double: BusType {
    package static var busSignature: Signature { Signature(validated: "d") }
    package init?(busValue: BusValue) {
        if case .double(let value) = busValue.unwrapped { self = value } else { return nil }
    }
    package var busValue: BusValue { .double(self) }
}
extension String: BusType {
    package static var busSignature: Signature { Signature(validated: "s") }
    package init?(busValue: BusValue) {
        if case .string(let value) = busValue.unwrapped { self = value } else { return nil }
    }
    package var busValue: BusValue { .string(self) }
}
extension ObjectPath: BusType {
    package static var busSignature: Signature { Signature(validated: "o") }
    package init?(busValue: BusValue) {
        if case .objectPath(let value) = busValue.unwrapped { self = value } else { return nil }
    }
    package var busValue: BusValue { .objectPath(self) }
}
extension Signature: BusType {
    package static var busSignature: Signature { Signature(validated: "g") }
    package init?(busValue: BusValue) {
        if case .signature(let value) = busValue.unwrapped { self = value } else { return nil }
    }
    package var busValue: BusValue { .signature(self) }
}
extension BusFileDescriptor: BusType {
    package static var busSignature: Signature { Signature(validated: "h") }
    /// Takes the descriptor out of the value, so that one object owns it: this works once for each value.
    package convenience init?(busValue: BusValue) {
        guard case .fileDescriptor(let descriptor) = busValue.unwrapped, let raw = descriptor.take() else { return nil }
        self.init(owning: raw)
    }
    package var busValue: BusValue { .fileDescriptor(self) }
}
extension Data: BusType {
    package static var busSignature: Signature { Signature(validated: "ay") }
    package init?(busValue: BusValue) {
        if case .bytes(let value) = busValue.unwrapped { self = value } else { return nil }
    }
    package var busValue: BusValue { .bytes(self) }
}
extension Array: BusType where Element: BusType {
    package static var busSignature: Signature { Signature(validated: "a" + Element.busSignature.string) }
    package init?(busValue: BusValue) {
        switch busValue.unwrapped {
        case .bytes(let data):
            // Asked first, for an empty array of anything can be cast to one of anything else.
            guard Element.self == UInt8.self, let bytes = [UInt8](data) as? [Element] else { return nil }
            self = bytes
        case .array(let values, let element):
            // An empty array is of a type, too, which is right when its elements could be of Element's.
            guard !values.isEmpty || Element.busSignature.accepts(element) else { return nil }
            var elements: [Element] = []
            elements.reserveCapacity(values.count)
            for value in values {
                guard let element = Element(busValue: value) else { return nil }
                elements.append(element)
            }
            self = elements
        default: return nil
        }
    }
    package var busValue: BusValue {
        if Element.self == UInt8.self, let bytes = self as? [UInt8] { return .bytes(Data(bytes)) }
        return .array(map(\.busValue), of: Element.busSignature)
    }
}
extension Dictionary: BusType where Key: BusType, Value: BusType {
    package static var busSignature: Signature {
        Signature(validated: "a{" + Key.busSignature.string + Value.busSignature.string + "}")
    }
    package init?(busValue: BusValue) {
        guard case .dictionary(let entries, let key, let value) = busValue.unwrapped else { return nil }
        guard !entries.isEmpty || (Key.busSignature.accepts(key) && Value.busSignature.accepts(value)) else {
            return nil
        }
        self.init(minimumCapacity: entries.count)
        for (key, value) in entries {
            guard let key = Key(busValue: key), let value = Value(busValue: value) else { return nil }
            self[key] = value
        }
    }
    package var busValue: BusValue {
        var entries: [BusValue: BusValue] = [:]
        for (key, value) in self { entries[key.busValue] = value.busValue }
        return .dictionary(entries, key: Key.busSignature, value: Value.busSignature)
    }
}
