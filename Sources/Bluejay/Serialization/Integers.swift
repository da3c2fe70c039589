// `Int` and `UInt` have the two members below but do not conform to the protocols: the width of a value on the wire would
// depend on the machine.
extension Int8: Sendable, Receivable {}
extension Int16: Sendable, Receivable {}
extension Int32: Sendable, Receivable {}
extension Int64: Sendable, Receivable {}
extension UInt8: Sendable, Receivable {}
extension UInt16: Sendable, Receivable {}
extension UInt32: Sendable, Receivable {}
extension UInt64: Sendable, Receivable {}

extension BinaryInteger {
    /// The integer as bytes, the least significant first, as many as the type is wide.
    ///
    /// For a protocol whose fields are big-endian, send `value.bigEndian`.
    public func toBluetoothData() -> Data {
        var rest = self
        var bytes = Data(capacity: bitWidth / 8)
        for _ in 0..<bitWidth / 8 {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
        return bytes
    }

    /// Creates an integer from bytes, the least significant first. Bytes beyond the width of the type are ignored;
    /// missing ones count as zero.
    ///
    /// That is for bytes that a program has at hand, as on iOS. What is read or received as an integer has to have all its
    /// bytes; `Data.extract` insists on them, too.
    public init(bluetoothData: Data) {
        self.init(leastSignificantFirst: bluetoothData)
    }

    fileprivate init(leastSignificantFirst bytes: Data) {
        var value: Self = 0
        let width = value.bitWidth / 8
        // By arithmetic, not by copying memory: that is right for any width, alignment and BinaryInteger.
        for (index, byte) in bytes.prefix(width).enumerated() {
            value |= Self(truncatingIfNeeded: byte) << (8 * index)
        }
        self = value
    }
}

extension Receivable where Self: FixedWidthInteger {
    /// Creates an integer from what was read or received, the least significant byte first. Bytes beyond the width of the
    /// type are ignored.
    ///
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` if there are fewer bytes than the type is wide.
    // This is the one that fulfils the protocol. Disfavored, so that programs that call an integer's initializer
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
