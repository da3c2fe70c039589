/// A fixed-width integer as a whole attribute value: `u8`, `i16`, `u32be`, …
package struct NumberType: Hashable, Swift.Sendable {
    /// How many bytes: 1, 2, 4 or 8.
    package let width: Int
    /// Whether it can be negative.
    package let isSigned: Bool
    /// Whether the most significant byte comes first; in most GATT values it comes last.
    package let isBigEndian: Bool

    /// The names of all types.
    package static let names: [String] = ["u", "i"].flatMap { sign in
        ["8", "16", "32", "64"].map { sign + $0 }
    }

    /// - Parameter width: 1, 2, 4 or 8.
    package init(width: Int, isSigned: Bool, isBigEndian: Bool) {
        self.width = width
        self.isSigned = isSigned
        self.isBigEndian = isBigEndian
    }

    /// - Parameter name: such as `u8` or `i32be`; the result is nil for any other text.
    package init?(name: some StringProtocol) {
        var rest = Substring(name)
        isBigEndian = rest.hasSuffix("be")
        if isBigEndian { rest = rest.dropLast(2) }
        switch rest.first {
        case "u": isSigned = false
        case "i": isSigned = true
        default: return nil
        }
        switch rest.dropFirst() {
        case "8": width = 1
        case "16": width = 2
        case "32": width = 4
        case "64": width = 8
        default: return nil
        }
    }

    /// The bytes of a number written in decimal, or in hexadecimal after `0x`.
    package func parse(_ text: some StringProtocol) throws(ValueText.ParsingError) -> [UInt8] {
        let isNegative = text.hasPrefix("-")
        let magnitudeText = isNegative ? text.dropFirst() : text.dropFirst(0)
        let isHex = magnitudeText.hasPrefix("0x")
        let digits = isHex ? magnitudeText.dropFirst(2) : magnitudeText
        // Swift's initializer accepts a sign here, too, which would allow "--1".
        guard digits.first?.isHexDigit == true, let magnitude = UInt64(digits, radix: isHex ? 16 : 10) else {
            throw ValueText.ParsingError(description: "invalid number \"\(text)\"")
        }
        let bits = UInt64(8 * width)
        let limit = isSigned ? UInt64(1) << (bits - 1) - (isNegative ? 0 : 1) : UInt64.max >> (64 - bits)
        guard magnitude <= limit, isSigned || !isNegative || magnitude == 0 else {
            throw ValueText.ParsingError(
                description:
                    "\(text) does not fit into \(width) \(isSigned ? "signed" : "unsigned") byte\(width == 1 ? "" : "s")"
            )
        }
        let number = isNegative ? 0 &- magnitude : magnitude
        let bytes = (0..<width).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
        return isBigEndian ? bytes.reversed() : bytes
    }

    /// The numbers that the type can hold, up to `Int64.max`.
    package var range: ClosedRange<Int64> {
        let bits = Int64(8 * width)
        if isSigned { return (Int64.min >> (64 - bits))...(Int64.max >> (64 - bits)) }
        return 0...(width == 8 ? .max : 1 << bits - 1)
    }

    /// The low bytes of a number, as many as the type has.
    package func bytes(truncating number: Int64) -> [UInt8] {
        let bytes = (0..<width).map { UInt8(truncatingIfNeeded: number >> Int64(8 * $0)) }
        return isBigEndian ? bytes.reversed() : bytes
    }

    /// All bytes of a number, the least significant one first.
    package static func bytes(of number: some FixedWidthInteger) -> [UInt8] {
        var value = ValueBuilder()
        value.append(number)
        return value.bytes
    }

    /// As it is written: `u16be`.
    package var name: String { "\(isSigned ? "i" : "u")\(8 * width)\(isBigEndian ? "be" : "")" }

    /// The number in decimal; nil unless the value has exactly the type's width.
    package func text(_ bytes: some Collection<UInt8>) -> String? {
        guard bytes.count == width else { return nil }
        var number: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            number |= UInt64(byte) << UInt64(8 * (isBigEndian ? width - 1 - index : index))
        }
        guard isSigned else { return String(number) }
        let unused = UInt64(64 - 8 * width)
        return String(Int64(bitPattern: number << unused) >> Int64(unused))
    }
}
