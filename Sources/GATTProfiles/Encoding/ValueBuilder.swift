/// Puts the fields of an attribute's value together, the least significant byte of each number first. The counterpart
/// of ``AttributeFormat``, which reads values.
package struct ValueBuilder: Hashable, Swift.Sendable {
    /// The value so far.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Appends a whole number with all its bytes.
    package mutating func append(_ number: some FixedWidthInteger) {
        append(number, width: number.bitWidth / 8)
    }

    /// Appends the low bytes of a number.
    ///
    /// - Parameter width: how many, up to 8.
    package mutating func append(_ number: some BinaryInteger, width: Int) {
        let number = UInt64(truncatingIfNeeded: number)
        for index in 0..<min(width, 8) { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index))) }
    }

    /// Appends a number of IEEE 11073-20601 in 16 bits (SFLOAT).
    ///
    /// - Parameter places: how many decimal places are kept, at most 8.
    package mutating func append(shortFloat value: Double, places: Int) {
        append(MedicalFloat.short(value, places: places))
    }

    /// Appends a number of IEEE 11073-20601 in 32 bits (FLOAT).
    ///
    /// - Parameter places: how many decimal places are kept, at most 8.
    package mutating func append(float value: Double, places: Int) {
        append(MedicalFloat.long(value, places: places))
    }

    /// Appends a date with its time: seven bytes.
    package mutating func append(_ time: DateTime) {
        bytes += time.bytes
    }

    package mutating func append(_ more: some Sequence<UInt8>) {
        bytes += more
    }
}

extension MedicalFloat {
    /// The 16 bits of a number; beyond what they can hold, those for "above the range" or "below the range", and for
    /// what is not a number "no number".
    static func short(_ value: Double, places: Int) -> UInt16 {
        guard !value.isNaN else { return 0x07FF }
        let mantissa = scaled(value, places)
        // The greatest and the least are reserved.
        guard mantissa < 0x07FE else { return 0x07FE }
        guard mantissa > -0x07FE else { return 0x0802 }
        return UInt16(bitPattern: Int16(mantissa)) & 0x0FFF | UInt16(bitPattern: Int16(-places)) << 12
    }

    /// The same with 32 bits.
    static func long(_ value: Double, places: Int) -> UInt32 {
        guard !value.isNaN else { return 0x7F_FFFF }
        let mantissa = scaled(value, places)
        guard mantissa < 0x7F_FFFE else { return 0x7F_FFFE }
        guard mantissa > -0x7F_FFFE else { return 0x80_0002 }
        return UInt32(bitPattern: Int32(mantissa)) & 0xFF_FFFF | UInt32(bitPattern: Int32(-places)) << 24
    }

    private static func scaled(_ value: Double, _ places: Int) -> Double {
        var scale = 1.0
        for _ in 0..<min(places, 8) { scale *= 10 }
        return (value * scale).rounded()
    }
}
