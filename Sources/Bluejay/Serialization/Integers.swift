// `Int` and `UInt` have the two members below, but do not conform to the protocols: the number of bytes that they send
// would depend on the machine.
extension Int8: Sendable, Receivable {}
extension Int16: Sendable, Receivable {}
extension Int32: Sendable, Receivable {}
extension Int64: Sendable, Receivable {}
extension UInt8: Sendable, Receivable {}
extension UInt16: Sendable, Receivable {}
extension UInt32: Sendable, Receivable {}
extension UInt64: Sendable, Receivable {}

extension BinaryInteger {
    /// The bytes of the integer, the least significant first. Their number is the size of the type.
    ///
    /// For a protocol with big-endian fields, send `value.bigEndian`.
    public func toBluetoothData() -> Data {
        var rest = self
        var bytes = Data(capacity: bitWidth / 8)
        for _ in 0..<bitWidth / 8 {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
        return bytes
    }

    /// Creates an integer from bytes, the least significant first. Extra bytes are ignored; missing bytes count as
    /// zero.
    ///
    /// This is for the program's own bytes, as on iOS. An integer that is read or received must have all its bytes;
    /// `Data.extract` requires them, too.
    public init(bluetoothData: Data) {
        self.init(leastSignificantFirst: bluetoothData)
    }

    fileprivate init(leastSignificantFirst bytes: Data) {
        var value: Self = 0
        let width = value.bitWidth / 8
        // By arithmetic, not by copying memory: this works for any width, alignment and BinaryInteger.
        for (index, byte) in bytes.prefix(width).enumerated() {
            value |= Self(truncatingIfNeeded: byte) << (8 * index)
        }
        self = value
    }
}

extension Receivable where Self: FixedWidthInteger {
    /// Creates an integer from received bytes, the least significant first. Extra bytes are ignored.
    ///
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` if there are fewer bytes than the type has.
    // This initializer satisfies the protocol. It is disfavored, so that programs that call an integer's initializer
    // without `try` still compile.
    @_disfavoredOverload
    public init(bluetoothData: Data) throws {
        let width = Self.bitWidth / 8
        guard bluetoothData.count >= width else {
            throw BluejayError.dataOutOfBounds(start: 0, length: width, count: bluetoothData.count)
        }
        self.init(leastSignificantFirst: bluetoothData)
    }
}
