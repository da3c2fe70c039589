import AssignedNumbers

/// One field of a format, as written in the table: `name~type~factor~unit~names~condition`.
struct FormatField: Hashable, Swift.Sendable {
    let name: String
    let type: FieldType
    private let factor: Factor
    private let unit: String
    /// What single numbers mean.
    private var meanings: [UInt64: String] = [:]
    /// Numbers that stand for something else: `not known`.
    private var specials: [UInt64: String] = [:]
    private let bitNames: BitNames
    private let condition: FieldCondition
    /// Bits that need no mention: they only say which other fields are present.
    var silentBits: UInt64 = 0

    /// - Parameter isSecondForm: whether the second of two forms counts, where there are two.
    init?(_ text: Substring, isSecondForm: Bool = false) {
        let parts = text.split(separator: "~", omittingEmptySubsequences: false).map(String.init)
        func part(_ index: Int) -> String { index < parts.count ? parts[index] : "" }
        func form(_ index: Int) -> String {
            guard let separator = part(index).firstRange(of: " or ") else { return part(index) }
            return String(isSecondForm ? part(index)[separator.upperBound...] : part(index)[..<separator.lowerBound])
        }
        guard !part(0).isEmpty, let type = FieldType(form(1)), let factor = Factor(form(2)),
            let condition = FieldCondition(part(5)), let bitNames = BitNames(type.kind == .bits ? part(4) : "")
        else { return nil }
        name = part(0)
        self.type = type
        self.factor = factor
        unit = form(3)
        self.condition = condition
        self.bitNames = bitNames
        for entry in type.kind == .bits ? [] : part(4).split(separator: "|") {
            guard let mark = entry.firstIndex(where: { $0 == "=" || $0 == "!" }),
                let number = UInt64(entry[..<mark], radix: 16)
            else { return nil }
            let meaning = String(entry[entry.index(after: mark)...])
            if entry[mark] == "!" { specials[number] = meaning } else { meanings[number] = meaning }
        }
    }

    /// The bits of the flags that say whether this field is present.
    var flagBits: UInt64 { condition.bits }

    func isThere(flags: UInt64, bytesLeft: Int) -> Bool { condition.holds(flags: flags, bytesLeft: bytesLeft) }

    /// Flags without a meaning of their own say which fields follow.
    func isAuxiliary(_ content: DecodedValue.Content) -> Bool {
        if ["size", "unused"].contains(name) { return true }
        guard name.hasSuffix("flags"), case .bits(let names, _) = content else { return false }
        return names.isEmpty
    }

    /// The number that is the whole field; nil if it is no integer.
    var scaledNumber: ScaledNumber? {
        guard !type.isRepeated, type.kind == .unsigned || type.kind == .signed, let width = type.width,
            case .always = condition, let scale = factor.number
        else { return nil }
        var number = ScaledNumber(width: width, isSigned: type.kind == .signed, scale: scale, unit: unit)
        if factor.isOne, unit.isEmpty { number.meanings = meanings }
        number.specials = Set(specials.keys)
        return number
    }

    // MARK: Reading

    /// Nil if there are too few bytes, or if they do not fit the type.
    func read(from reader: inout FormatReader) -> DecodedValue.Content? {
        guard type.isRepeated else { return readOne(from: &reader) }
        guard let width = type.width, width > 0, reader.bytesLeft % width == 0 else { return nil }
        var numbers: [String] = []
        while reader.bytesLeft > 0 {
            guard case .number(let digits, _)? = readOne(from: &reader) else { return nil }
            numbers.append(digits)
        }
        return .numbers(numbers, unit: unit)
    }

    private func readOne(from reader: inout FormatReader) -> DecodedValue.Content? {
        switch type.kind {
        case .text: return reader.text(length: type.width).map { .text($0) }
        case .zeroTerminated: return reader.zeroTerminatedText().map { .text($0) }
        case .hex: return reader.bytes(type.width ?? reader.bytesLeft).map { .text(ValueText.hex($0)) }
        case .dateAndTime, .date: return reader.date(hasTime: type.kind == .dateAndTime).map { .text($0) }
        case .vendor: return reader.vendor().map { .text($0) }
        default: return reader.number(width: type.width ?? 0).flatMap(content)
        }
    }

    /// What a number means.
    private func content(_ raw: UInt64) -> DecodedValue.Content? {
        let hex = "0x" + String(raw, radix: 16, uppercase: true)
        if type.kind == .bits { return .bits(bitNames.names(of: raw, silent: silentBits), number: hex) }
        if let special = specials[raw] { return .special(special, raw: hex) }
        if let meaning = meanings[raw] {
            return .meaning(meaning, number: factor.isOne && unit.isEmpty ? String(raw) : hex)
        }
        switch type.kind {
        case .unsigned: return factor.apply(toMagnitude: raw, isNegative: false).map { .number($0, unit: unit) }
        case .signed:
            let unused = UInt64(64 - 8 * (type.width ?? 8))
            let number = Int64(bitPattern: raw << unused) >> Int64(unused)
            return factor.apply(toMagnitude: number.magnitude, isNegative: number < 0).map { .number($0, unit: unit) }
        case .hexNumber: return .text(hex)
        case .shortFloat: return MedicalFloat(short: UInt16(truncatingIfNeeded: raw)).content(unit: unit)
        case .float: return MedicalFloat(UInt32(truncatingIfNeeded: raw)).content(unit: unit)
        case .binaryFloat:
            let number = Float(bitPattern: UInt32(truncatingIfNeeded: raw))
            return number.isFinite ? .number("\(number)", unit: unit) : .special("\(number)", raw: hex)
        case .days: return .text(CalendarDate(daysSince1970: Int(truncatingIfNeeded: raw)).text)
        case .version: return .text("\(raw >> 8).\(raw >> 4 & 0xF).\(raw & 0xF)")
        case .appearance: return assigned(.appearance, raw)
        case .unit: return assigned(.unit, raw)
        case .format: return .meaning(Self.presentationFormats[raw] ?? "reserved", number: String(raw))
        default: return nil
        }
    }

    private func assigned(_ kind: AssignedKind, _ raw: UInt64) -> DecodedValue.Content {
        let number = UInt16(truncatingIfNeeded: raw)
        return .meaning(kind.name(of: number) ?? "unknown", number: String(number))
    }

    /// Specification: Assigned Numbers, 2.4.1.
    private static let presentationFormats: [UInt64: String] = [
        1: "boolean", 2: "uint2", 3: "uint4", 4: "uint8", 5: "uint12", 6: "uint16", 7: "uint24", 8: "uint32",
        9: "uint48", 10: "uint64", 11: "uint128", 12: "sint8", 13: "sint12", 14: "sint16", 15: "sint24", 16: "sint32",
        17: "sint48", 18: "sint64", 19: "sint128", 20: "float32", 21: "float64", 22: "medfloat16", 23: "medfloat32",
        24: "uint16[2]", 25: "utf8", 26: "utf16", 27: "struct", 28: "medical ASN.1",
    ]
}
