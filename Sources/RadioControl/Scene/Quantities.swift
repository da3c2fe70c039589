import PlainText
import VirtualRadio

/// Numbers with their units.
extension FileNode {
    private func quantity(_ unit: Substring, _ limits: ClosedRange<Double>) throws(FileMistake) -> Double {
        let (low, high) = (decimal(limits.lowerBound), decimal(limits.upperBound))
        let example = limits.contains(3) ? "3" : low
        let expected = "a number from \(low) to \(high) with its unit, such as \(example) \(unit)"
        guard let (number, written) = try quantity(expected, isSigned: true), written == unit, limits.contains(number)
        else { throw fail(expecting: expected) }
        return number
    }

    func metres(_ limits: ClosedRange<Double> = -100_000...100_000) throws(FileMistake) -> Double {
        try quantity("m", limits)
    }

    func decibelMilliwatts() throws(FileMistake) -> Double { try quantity("dBm", -127...20) }

    func decibels(_ limits: ClosedRange<Double> = 0...200) throws(FileMistake) -> Double {
        try quantity("dB", limits)
    }

    /// A percentage, as a part from 0 to 1.
    func part() throws(FileMistake) -> Double { try quantity("%", 0...100) / 100 }

    /// In nanoseconds.
    func span(_ limits: ClosedRange<Int> = 0...86_400 * Span.second) throws(FileMistake) -> Int {
        let second = Double(Span.second)
        let seconds = try seconds(within: Double(limits.lowerBound) / second...Double(limits.upperBound) / second)
        return Int((seconds * second).rounded())
    }

    /// `[3 m, 4 m]`
    func position() throws(FileMistake) -> Position {
        let expected = "a position: two lengths, such as [3 m, 4.5 m]"
        guard isList else { throw fail(expecting: expected) }
        let parts = try list(of: "lengths", limit: 2)
        guard parts.count == 2 else { throw fail("expected \(expected), found \(parts.count)") }
        let (x, y) = (context.attempt(try parts[0].metres()), context.attempt(try parts[1].metres()))
        return Position(x: x ?? 0, y: y ?? 0)
    }

    /// Bytes in hexadecimal digits, with or without spaces.
    func bytes(most: Int) throws(FileMistake) -> [UInt8] {
        let expected = "bytes in hexadecimal digits, such as 0201060303AAFE"
        let digits = try text(expected).filter { $0 != " " && $0 != "_" }.map { $0.hexDigitValue }
        guard digits.count % 2 == 0, !digits.contains(nil) else { throw fail(expecting: expected) }
        guard digits.count / 2 <= most else {
            throw fail("too many bytes: \(digits.count / 2) (limit \(most))")
        }
        return stride(from: 0, to: digits.count, by: 2).map { index in
            let (high, low) = (digits[index] ?? 0, digits[index + 1] ?? 0)
            return UInt8(high << 4 | low)
        }
    }

    func uuid() throws(FileMistake) -> AttributeType {
        let expected = "a UUID of 4 or 32 hexadecimal digits, such as 180D"
        guard let type = AttributeType(try text(expected)) else { throw fail(expecting: expected) }
        return type
    }
}
