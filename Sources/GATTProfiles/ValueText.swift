/// Attribute values as people write them: `hex:0A 0b`, `text:hello`, `u8:1`, `u16:0x1234`, `i32:-5`, `u16be:1`,
/// `u8:1 2 3`, `empty`.
///
/// Numbers are little-endian, as everywhere in GATT, unless `be` is appended to their width.
package enum ValueText {
    /// Why a text is not a value.
    package struct ParsingError: Error, Hashable, CustomStringConvertible {
        /// What is wrong and what would be right, for people.
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    /// The meaning of a text without a prefix.
    package enum Bare: Swift.Sendable {
        /// The value's UTF-8.
        case text
        /// A mistake.
        case refused
    }

    /// The bytes that a text means.
    ///
    /// - Throws: ``ParsingError`` if the text is malformed or a number is out of the range of its type.
    package static func parse(_ text: String, bare: Bare = .refused) throws(ParsingError) -> [UInt8] {
        if text == "empty" { return [] }
        // By bytes: a text may begin with a combining character, which makes one character of the colon and itself.
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return try parseBare(text, bare) }
        let content = text[text.utf8.index(after: colon)...]
        switch text[..<colon] {
        case "text": return Array(content.utf8)
        case "hex": return try parseHex(content)
        case let prefix:
            guard let type = NumberType(name: prefix) else { return try parseBare(text, bare) }
            // Several numbers, with spaces between them.
            let numbers = content.split(separator: " ")
            guard numbers.count > 1 else { return try type.parse(content) }
            var bytes: [UInt8] = []
            for number in numbers { bytes += try type.parse(number) }
            return bytes
        }
    }

    private static func parseBare(_ text: String, _ bare: Bare) throws(ParsingError) -> [UInt8] {
        switch bare {
        case .text: return Array(text.utf8)
        case .refused:
            throw ParsingError(
                description:
                    "invalid value \"\(text)\"; expected hex:0A0B, text:hello, u8:1, u16:1, i32:-1, u16be:1 or empty")
        }
    }

    /// Bytes in hexadecimal digits, with or without spaces, colons or hyphens between the bytes.
    package static func parseHex(_ text: some StringProtocol) throws(ParsingError) -> [UInt8] {
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in text.utf8 {
            let digit: UInt8
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = character - UInt8(ascii: "A") + 10
            case UInt8(ascii: " "), UInt8(ascii: ":"), UInt8(ascii: "-"):
                // A separator is between bytes, not within one.
                if high == nil { continue }
                throw ParsingError(description: "\"\(text)\" has a byte with only one hexadecimal digit")
            default: throw ParsingError(description: "\"\(text)\" is not hexadecimal")
            }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil else {
            throw ParsingError(description: "\"\(text)\" has an odd number of hexadecimal digits")
        }
        return bytes
    }

    /// Bytes as hexadecimal digits in lower case, two for each byte, without separators.
    package static func hex(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.underestimatedCount)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 0xF)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The value as a text; nil if it is empty, is not UTF-8, or has control characters.
    package static func printable(_ bytes: some Collection<UInt8>) -> String? {
        guard !bytes.isEmpty, let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let hasControls = text.unicodeScalars.contains { scalar in
            scalar.properties.generalCategory == .control
        }
        return hasControls ? nil : text
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
