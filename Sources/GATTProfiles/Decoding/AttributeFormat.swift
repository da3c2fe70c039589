import AssignedNumbers

/// The format of an attribute's value, from the table of those that the Bluetooth SIG has assigned a number.
package struct AttributeFormat: Hashable, Swift.Sendable {
    /// The forms that devices send it in: the first that has a value's length is that of the value.
    private let forms: [[FormatField]]

    /// The format of the values of a characteristic or a descriptor; nil if none is known.
    ///
    /// - Parameter uuid: in 4 or 36 characters and upper case.
    package init?(uuid: String) {
        let base = "-0000-1000-8000-00805F9B34FB"
        let isLong = uuid.utf8.count == 36 && uuid.hasPrefix("0000") && uuid.hasSuffix(base)
        let digits = isLong ? uuid.dropFirst(4).prefix(4) : uuid[...]
        guard digits.utf8.count == 4, let number = UInt16(digits, radix: 16),
            let text = NameTable(FormatTable.text).name(of: number), let first = Self.fields(text, isSecondForm: false),
            let second = Self.fields(text, isSecondForm: true)
        else { return nil }
        forms = first == second ? [first] : [first, second]
    }

    private static func fields(_ text: String, isSecondForm: Bool) -> [FormatField]? {
        let parts = text.split(separator: ";")
        var fields = parts.compactMap { FormatField($0, isSecondForm: isSecondForm) }
        guard fields.count == parts.count else { return nil }
        let flagBits = fields.reduce(0) { $0 | $1.flagBits }
        // A size may precede them.
        let flags = fields.firstIndex { $0.name == "flags" } ?? fields.startIndex
        if !fields.isEmpty { fields[flags].silentBits = flagBits }
        return fields
    }

    /// All formats, by the number of the characteristic or descriptor.
    package static var all: [(number: UInt16, format: AttributeFormat?)] {
        var numbers: [UInt16] = []
        NameTable(FormatTable.text).forEach { number, _ in numbers.append(number) }
        return numbers.map { ($0, AttributeFormat(uuid: AssignedName.digits(of: $0))) }
    }

    /// The number that a value is, if it is nothing but one.
    package var scaledNumber: ScaledNumber? {
        guard forms.count == 1, let fields = forms.first, fields.count == 1 else { return nil }
        return fields[0].scaledNumber
    }

    /// Decodes a value; nil if it does not fit the format.
    package func decode(_ bytes: some Collection<UInt8>) -> DecodedValue? {
        forms.lazy.compactMap { Self.decode(bytes, $0) }.first
    }

    private static func decode(_ bytes: some Collection<UInt8>, _ fields: [FormatField]) -> DecodedValue? {
        var reader = FormatReader(bytes)
        var flags: UInt64?
        var decoded: [DecodedValue.Field] = []
        for field in fields {
            // A size may precede them.
            if flags == nil || field.name == "flags" { flags = reader.leadingNumber(width: field.type.width ?? 0) }
            guard field.isThere(flags: flags ?? 0, bytesLeft: reader.bytesLeft) else { continue }
            guard let content = field.read(from: &reader) else { return nil }
            decoded.append(.init(name: field.name, content: content, isAuxiliary: field.isAuxiliary(content)))
        }
        // A value that is longer than the format has another format.
        guard reader.bytesLeft == 0 else { return nil }
        return DecodedValue(fields: decoded)
    }
}
