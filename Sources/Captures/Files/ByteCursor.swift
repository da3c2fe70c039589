/// Takes numbers and bytes from the front of a packet. What is not there is nil, and nothing is taken then.
///
/// Numbers are little-endian, as in all of Bluetooth, unless the file says otherwise.
package struct ByteCursor {
    package private(set) var rest: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    package var count: Int { rest.count }
    package var isEmpty: Bool { rest.isEmpty }

    package mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    package mutating func skip(_ count: Int) -> Bool { bytes(count) != nil }

    package mutating func u8() -> UInt8? { rest.popFirst() }

    package mutating func u16(_ order: ByteOrder = .little) -> UInt16? {
        number(2, order).map { UInt16(truncatingIfNeeded: $0) }
    }

    package mutating func u32(_ order: ByteOrder = .little) -> UInt32? {
        number(4, order).map { UInt32(truncatingIfNeeded: $0) }
    }

    package mutating func u64(_ order: ByteOrder = .little) -> UInt64? { number(8, order) }

    private mutating func number(_ width: Int, _ order: ByteOrder) -> UInt64? {
        guard let bytes = bytes(width) else { return nil }
        return order.number(bytes)
    }
}

/// How numbers are stored.
package enum ByteOrder: Hashable, Sendable {
    case little, big

    /// The number that at most eight bytes are.
    func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var number: UInt64 = 0
        switch self {
        case .little: for byte in bytes.reversed() { number = number << 8 | UInt64(byte) }
        case .big: for byte in bytes { number = number << 8 | UInt64(byte) }
        }
        return number
    }
}
