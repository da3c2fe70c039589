/// The type of a field, as written in the table: `u16`, `sfloat`, `text`, …
struct FieldType: Hashable, Swift.Sendable {
    enum Kind: Hashable, Swift.Sendable {
        case unsigned, signed, hexNumber, bits
        /// IEEE 11073 numbers of 16 and of 32 bits, and an IEEE 754 number.
        case shortFloat, float, binaryFloat
        case text, zeroTerminated, hex
        case dateAndTime, date, days
        case version, vendor, appearance, unit, format
    }

    let kind: Kind
    /// In bytes; nil for all remaining ones.
    let width: Int?
    /// Whether there are as many as fit.
    let isRepeated: Bool

    init?(_ text: String) {
        isRepeated = text.hasSuffix("*")
        let name = isRepeated ? String(text.dropLast()) : text
        if let (kind, width) = Self.named[name] {
            self.kind = kind
            self.width = width
            return
        }
        let digits = String(name.reversed().prefix { $0.isNumber }.reversed())
        guard let number = Int(digits), number > 0 else { return nil }
        switch name.dropLast(digits.count) {
        case "u": kind = .unsigned
        case "s": kind = .signed
        case "x": kind = .hexNumber
        case "b": kind = .bits
        case "text":
            kind = .text
            width = number
            return
        case "hex":
            kind = .hex
            width = number
            return
        default: return nil
        }
        guard number % 8 == 0, number <= 64 else { return nil }
        width = number / 8
    }

    private static let named: [String: (Kind, Int?)] = [
        "sfloat": (.shortFloat, 2), "float": (.float, 4), "float32": (.binaryFloat, 4), "text": (.text, nil),
        "textz": (.zeroTerminated, nil), "hex": (.hex, nil), "date7": (.dateAndTime, 7), "date4": (.date, 4),
        "days": (.days, 3), "bcd": (.version, 2), "pnp": (.vendor, 3), "appearance": (.appearance, 2),
        "unit": (.unit, 2), "format": (.format, 1),
    ]
}
