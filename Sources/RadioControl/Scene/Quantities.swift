import VirtualRadio

/// Numbers with their units.
extension SceneNode {
    private func quantity(_ units: [(String, Double)], _ limits: ClosedRange<Double>, _ expected: String)
        throws(SceneMistake) -> Double
    {
        let written = try text(expected)
        let digits = written.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "-" || $0 == "+") }
        var unit = written.dropFirst(digits.count)
        while unit.first == " " { unit.removeFirst() }
        guard let number = Double(digits), let factor = units.first(where: { $0.0 == unit })?.1,
            limits.contains(number * factor)
        else { throw fail(expecting: expected) }
        return number * factor
    }

    private static func shown(_ number: Double) -> String {
        number == number.rounded() ? "\(Int(number))" : "\(number)"
    }

    private func quantity(_ unit: String, _ limits: ClosedRange<Double>) throws(SceneMistake) -> Double {
        let (low, high) = (Self.shown(limits.lowerBound), Self.shown(limits.upperBound))
        let example = limits.contains(3) ? "3" : low
        let expected = "a number from \(low) to \(high) with its unit, such as \(example) \(unit)"
        return try quantity([(unit, 1)], limits, expected)
    }

    func metres(_ limits: ClosedRange<Double> = -100_000...100_000) throws(SceneMistake) -> Double {
        try quantity("m", limits)
    }

    func decibelMilliwatts() throws(SceneMistake) -> Double { try quantity("dBm", -127...20) }

    func decibels(_ limits: ClosedRange<Double> = 0...200) throws(SceneMistake) -> Double {
        try quantity("dB", limits)
    }

    /// A percentage, as a part from 0 to 1.
    func part() throws(SceneMistake) -> Double { try quantity("%", 0...100) / 100 }

    func number(_ limits: ClosedRange<Double>) throws(SceneMistake) -> Double {
        let (low, high) = (Self.shown(limits.lowerBound), Self.shown(limits.upperBound))
        return try quantity([("", 1)], limits, "a number from \(low) to \(high)")
    }

    func count(_ limits: ClosedRange<Int>) throws(SceneMistake) -> Int {
        let expected = "a whole number from \(limits.lowerBound) to \(limits.upperBound)"
        guard let number = Int(try text(expected)), limits.contains(number) else { throw fail(expecting: expected) }
        return number
    }

    /// In nanoseconds.
    func span(_ limits: ClosedRange<Int> = 0...86_400 * Span.second) throws(SceneMistake) -> Int {
        let units: [(String, Double)] = [
            ("ms", Double(Span.millisecond)), ("s", Double(Span.second)), ("min", 60 * Double(Span.second)),
            ("h", 3_600 * Double(Span.second)),
        ]
        let milliseconds = (limits.lowerBound / Span.millisecond, limits.upperBound / Span.millisecond)
        let range = "from \(milliseconds.0) ms to \(milliseconds.1) ms"
        return Int(
            try quantity(
                units, Double(limits.lowerBound)...Double(limits.upperBound),
                "a time with its unit, such as 250 ms, 1.5 s or 2 min, \(range)"
            ).rounded())
    }

    /// `[3 m, 4 m]`
    func position() throws(SceneMistake) -> Position {
        let expected = "a position: two lengths, such as [3 m, 4.5 m]"
        guard isList else { throw fail(expecting: expected) }
        let parts = try elements(of: "lengths", most: 2)
        guard parts.count == 2 else { throw fail("expected \(expected), found \(parts.count)") }
        let (x, y) = (list.attempt(try parts[0].metres()), list.attempt(try parts[1].metres()))
        return Position(x: x ?? 0, y: y ?? 0)
    }

    /// Bytes in hexadecimal digits, with or without spaces.
    func bytes(most: Int) throws(SceneMistake) -> [UInt8] {
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

    func uuid() throws(SceneMistake) -> AttributeType {
        let expected = "a UUID of 4 or 32 hexadecimal digits, such as 180D"
        guard let type = AttributeType(try text(expected)) else { throw fail(expecting: expected) }
        return type
    }
}
