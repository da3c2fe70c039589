import GATTProfiles

/// Values that look alike, as people write them: `hex:01 ?? 03 *`, `text:SET *`.
///
/// A question mark (two between hexadecimal digits) is any byte, an asterisk any number of bytes. In a text a backslash
/// takes its meaning from the character that follows.
public struct BytePattern: Hashable, Swift.Sendable {
    private enum Element: Hashable {
        case byte(UInt8)
        case anyByte
        case anyBytes
    }

    private let elements: [Element]
    /// As it was written.
    private let written: String

    /// Why a text is no pattern.
    public struct ParsingError: Error, Hashable, CustomStringConvertible {
        /// For people.
        public let description: String
    }

    /// How many bytes and placeholders a pattern may have.
    private static let maximumLength = 2 * LabService.maximumValueLength

    /// Parses `hex:…` or `text:…`.
    public init(_ text: String) throws(ParsingError) {
        if text.hasPrefix("hex:") {
            elements = try Self.hex(text.dropFirst(4))
        } else if text.hasPrefix("text:") {
            elements = Self.text(text.dropFirst(5).utf8)
        } else {
            throw ParsingError(
                description:
                    "invalid pattern \"\(text.prefix(40))\"; expected hex:01 ?? 03 * or text:SET *, where ? is any "
                    + "byte and * any number of bytes")
        }
        guard elements.count <= Self.maximumLength else {
            throw ParsingError(description: "pattern too long (limit \(Self.maximumLength) bytes and placeholders)")
        }
        written = text
    }

    private static func hex(_ text: Substring) throws(ParsingError) -> [Element] {
        var elements: [Element] = []
        for word in text.split(whereSeparator: { $0 == " " || $0 == ":" || $0 == "-" }) {
            switch word {
            case "*": elements.append(.anyBytes)
            case "??": elements.append(.anyByte)
            default:
                do throws(ValueText.ParsingError) {
                    elements += try ValueText.parseHex(word).map { .byte($0) }
                } catch {
                    throw ParsingError(
                        description:
                            "invalid byte \"\(word.prefix(40))\" in a pattern; expected two hexadecimal digits, ?? for "
                            + "any byte, or * for any number of bytes, with spaces between them")
                }
            }
        }
        return elements
    }

    private static func text(_ bytes: Substring.UTF8View) -> [Element] {
        var elements: [Element] = []
        var isEscaped = false
        for byte in bytes {
            if isEscaped {
                elements.append(.byte(byte))
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                elements.append(
                    byte == UInt8(ascii: "?") ? .anyByte : byte == UInt8(ascii: "*") ? .anyBytes : .byte(byte))
            }
        }
        if isEscaped { elements.append(.byte(UInt8(ascii: "\\"))) }
        return elements
    }

    /// Whether a value looks like this.
    public func matches(_ value: some Collection<UInt8>) -> Bool {
        let bytes = Array(value)
        var (byte, element) = (0, 0)
        // Where to go on when the rest does not fit: behind the last asterisk, which then takes one byte more.
        var retry: (byte: Int, element: Int)?
        while byte < bytes.count {
            if element < elements.count, elements[element] == .anyBytes {
                element += 1
                retry = (byte, element)
            } else if element < elements.count,
                elements[element] == .anyByte || elements[element] == .byte(bytes[byte])
            {
                byte += 1
                element += 1
            } else if let last = retry {
                retry = (last.byte + 1, last.element)
                (byte, element) = (last.byte + 1, last.element)
            } else {
                return false
            }
        }
        return elements[element...].allSatisfy { $0 == .anyBytes }
    }
}

extension BytePattern: CustomStringConvertible {
    /// As it was written.
    public var description: String { written }
}
