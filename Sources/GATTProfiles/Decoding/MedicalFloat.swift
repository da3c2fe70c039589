/// A number of IEEE 11073-20601: a mantissa and a power of ten, in 16 bits (SFLOAT, medfloat16) or 32 (FLOAT,
/// medfloat32).
enum MedicalFloat: Hashable {
    case number(mantissa: Int32, exponent: Int)
    /// Values that are not numbers.
    case special(String, raw: UInt32)

    /// 12 bits of mantissa, above them 4 of the exponent.
    init(short raw: UInt16) {
        let special: [UInt16: String] = [
            0x07FE: "above the range", 0x07FF: "no number", 0x0800: "not at this resolution", 0x0801: "reserved",
            0x0802: "below the range",
        ]
        if let meaning = special[raw & 0x0FFF], raw >> 12 == 0 {
            self = .special(meaning, raw: UInt32(raw))
            return
        }
        let mantissa = Int32(Int16(bitPattern: raw << 4) >> 4)
        self = .number(mantissa: mantissa, exponent: Int(Int16(bitPattern: raw) >> 12))
    }

    /// 24 bits of mantissa, above them 8 of the exponent.
    init(_ raw: UInt32) {
        let special: [UInt32: String] = [
            0x7F_FFFE: "above the range", 0x7F_FFFF: "no number", 0x80_0000: "not at this resolution",
            0x80_0001: "reserved", 0x80_0002: "below the range",
        ]
        if let meaning = special[raw & 0xFF_FFFF], raw >> 24 == 0 {
            self = .special(meaning, raw: raw)
            return
        }
        let mantissa = Int32(bitPattern: raw << 8) >> 8
        self = .number(mantissa: mantissa, exponent: Int(Int8(truncatingIfNeeded: raw >> 24)))
    }

    func content(unit: String) -> DecodedValue.Content {
        switch self {
        case .special(let meaning, let raw): .special(meaning, raw: "0x" + String(raw, radix: 16, uppercase: true))
        // Written out, it would be hard to read.
        case .number(let mantissa, let exponent) where abs(exponent) > 12:
            .number("\(mantissa)e\(exponent)", unit: unit)
        case .number(let mantissa, let exponent):
            .number(
                Decimals.text(UInt64(mantissa.magnitude), exponent: exponent, isNegative: mantissa < 0), unit: unit)
        }
    }
}
