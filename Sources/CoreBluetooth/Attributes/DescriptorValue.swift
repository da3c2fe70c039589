/// The typed values of descriptors (``CBDescriptor/value``) and the bytes that go over the air for them.
package enum DescriptorValue {
    /// The value that the public API shows for the bytes of a descriptor.
    ///
    /// Bytes that do not fit the type that the UUID promises come as they are, as `Data`.
    package static func decode(_ bytes: Data, of uuid: CBUUID) -> Any {
        switch uuid.assignedNumber {
        case 0x2900, 0x2902, 0x2903:  // extended properties, client and server configuration
            guard (1...2).contains(bytes.count) else { return bytes }
            return NSNumber(value: bytes.reversed().reduce(UInt16(0)) { $0 << 8 | UInt16($1) })
        case 0x2901:  // user description
            return String(data: bytes, encoding: .utf8) ?? bytes
        default:
            return bytes
        }
    }

    /// The bytes for a value that an app has given to a local descriptor; nil if it is of a type that has no bytes.
    package static func encode(_ value: Any?) -> Data? {
        // Data before NSNumber and String: none of them casts to another one by bridging.
        switch value {
        case let bytes as Data: bytes
        case let text as String: Data(text.utf8)
        case let number as NSNumber:
            withUnsafeBytes(of: number.uint16Value.littleEndian) { Data($0) }
        default: nil
        }
    }
}
