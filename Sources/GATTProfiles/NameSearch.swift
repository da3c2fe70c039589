package import AssignedNumbers

/// Finds assigned names, and this package's own, by parts of them.
package struct NameSearch {
    /// A name that was found.
    package struct Match: Hashable, Swift.Sendable {
        package let kind: AssignedKind
        /// Four hexadecimal digits, or for this package's own a UUID of 36 characters.
        package let number: String
        /// As the SIG writes it.
        package let name: String
        /// As it is typed.
        package var typedName: String { TypedName.text(name) }
    }

    /// - Parameters:
    ///   - text: words that the name has, or parts of them; or the number, in hexadecimal digits, with or without `0x`
    ///     in front, or as a UUID of 8 or 36 characters. Empty for all names.
    ///   - kinds: which names.
    package static func matches(_ text: String, kinds: [AssignedKind] = AssignedKind.allCases) -> [Match] {
        let all = kinds.flatMap(all)
        let words = TypedName.text(text).split(separator: "-")
        guard !text.isEmpty else { return all }
        let number = number(text)
        return all.filter { match in
            if let number, match.number == number { return true }
            let typed = match.typedName
            return !words.isEmpty && words.allSatisfy { typed.contains($0) }
        }
    }

    /// All names of a kind.
    package static func all(_ kind: AssignedKind) -> [Match] {
        kind.all.map { Match(kind: kind, number: $0.digits, name: $0.name) }
            + OwnAttributes.all.filter { $0.kind == kind }.map { Match(kind: kind, number: $0.uuid, name: $0.name) }
    }

    /// The number in the form of ``Match``; nil if the text is not a number.
    private static func number(_ text: String) -> String? {
        let text = text.uppercased()
        let base = "-0000-1000-8000-00805F9B34FB"
        if text.utf8.count == 36 {
            return text.hasPrefix("0000") && text.hasSuffix(base) ? String(text.dropFirst(4).prefix(4)) : text
        }
        let digits = text.hasPrefix("0X") ? text.dropFirst(2) : text[...]
        guard (1...8).contains(digits.utf8.count), digits.allSatisfy({ $0.isASCII && $0.isHexDigit }),
            let number = UInt16(digits, radix: 16)
        else { return nil }
        return AssignedName.digits(of: number)
    }
}
