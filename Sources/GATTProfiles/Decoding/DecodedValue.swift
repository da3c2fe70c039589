import AssignedNumbers

/// The meaning of an attribute's value, by the format that the Bluetooth SIG has assigned.
package struct DecodedValue: Hashable, Swift.Sendable {
    /// One field of the value.
    package struct Field: Hashable, Swift.Sendable {
        /// Lower case, as within a line: `heart rate`.
        package let name: String
        package let content: Content
        /// Whether people need not see it: it only says which other fields are present.
        let isAuxiliary: Bool
    }

    /// The content of a field.
    package enum Content: Hashable, Swift.Sendable {
        /// A number in decimal digits, as in JSON, and its unit, empty if there is none.
        case number(String, unit: String)
        /// Several of them.
        case numbers([String], unit: String)
        /// A number with a meaning: `1` for `Chest`.
        case meaning(String, number: String)
        /// What takes the place of a number, and why: `not known` for `0xFFFF`.
        case special(String, raw: String)
        /// Which bits are set, by their names or numbers, and all of them as a number.
        case bits([String], number: String)
        /// A text, or what is written like one: a date, a version.
        case text(String)
    }

    package let fields: [Field]

    /// One line for people: `21.50 °C`, with the fields' names if there are several.
    package var text: String {
        let shown = fields.filter { !$0.isAuxiliary }
        if let only = shown.first, shown.count == 1 { return only.content.text }
        return shown.map { "\($0.name) \($0.content.text)" }.joined(separator: ", ")
    }

    /// Whether it is nothing but a text.
    package var isText: Bool {
        if case .text? = fields.first?.content { fields.count == 1 } else { false }
    }
}

extension DecodedValue.Content {
    /// For people.
    package var text: String {
        switch self {
        case .number(let digits, let unit): unit.isEmpty ? digits : "\(digits) \(unit)"
        case .numbers(let all, let unit): all.joined(separator: " ") + (unit.isEmpty || all.isEmpty ? "" : " \(unit)")
        case .meaning(let meaning, _), .special(let meaning, _): meaning
        case .bits(let names, let number):
            names.isEmpty ? (number == "0x0" ? "none" : number) : names.joined(separator: " + ")
        case .text(let text): text
        }
    }
}
