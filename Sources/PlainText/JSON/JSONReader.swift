/// Why a text is not valid JSON.
package struct JSONError: Error, Equatable, CustomStringConvertible {
    /// Counted from 0, in bytes.
    package let offset: Int
    package let description: String
}

/// Reads JSON (RFC 8259). Numbers, `true`, `false` and `null` are scalars like strings.
package struct JSONReader {
    private let bytes: [UInt8]
    private var place = 0
    private var nodes = 0

    package static let maximumDepth = 32
    package static let maximumNodes = 200_000

    /// Reads a whole text.
    package static func read(_ text: some Sequence<UInt8>) throws(JSONError) -> DataNode {
        var reader = JSONReader(bytes: Array(text))
        let node = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.place == reader.bytes.count else { throw reader.fail("unexpected text after the end") }
        return node
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private func fail(_ text: String) -> JSONError { JSONError(offset: place, description: text) }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { place += 1 }
    }

    private mutating func take(_ character: Character) -> Bool {
        guard next == character.asciiValue else { return false }
        place += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONError) -> DataNode {
        skipSpace()
        nodes += 1
        guard depth < Self.maximumDepth, nodes <= Self.maximumNodes else {
            throw fail("nesting too deep, or too many values")
        }
        switch next {
        case UInt8(ascii: "{"): return try mapping(depth)
        case UInt8(ascii: "["): return try list(depth)
        case UInt8(ascii: "\""): return .scalar(try string())
        default: return .scalar(try word())
        }
    }

    private mutating func mapping(_ depth: Int) throws(JSONError) -> DataNode {
        place += 1
        var members: [DataNode.Member] = []
        var keys: Set<String> = []
        skipSpace()
        guard !take("}") else { return .mapping([]) }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw fail("expected a key in quotation marks") }
            let key = try string()
            guard keys.insert(key).inserted else { throw fail("duplicate key") }
            skipSpace()
            guard take(":") else { throw fail("expected a colon") }
            members.append(.init(key, try value(depth: depth + 1)))
            skipSpace()
        } while take(",")
        guard take("}") else { throw fail("expected a comma or }") }
        return .mapping(members)
    }

    private mutating func list(_ depth: Int) throws(JSONError) -> DataNode {
        place += 1
        var elements: [DataNode] = []
        skipSpace()
        guard !take("]") else { return .list([]) }
        repeat {
            elements.append(try value(depth: depth + 1))
            skipSpace()
        } while take(",")
        guard take("]") else { throw fail("expected a comma or ]") }
        return .list(elements)
    }

    /// A number, or one of three words.
    private mutating func word() throws(JSONError) -> String {
        let begin = place
        while let byte = next, Self.isOfWord(byte) { place += 1 }
        let word = String(decoding: bytes[begin..<place], as: UTF8.self)
        if word == "null" { return "" }
        guard ["true", "false"].contains(word) || isNumber(word) else {
            place = begin
            throw fail("expected a value")
        }
        return word
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "E"),
            UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private func isNumber(_ word: String) -> Bool {
        let isPlain = word.utf8.allSatisfy { $0 < UInt8(ascii: ":") || $0 | 0x20 == UInt8(ascii: "e") }
        return isPlain && Double(word)?.isFinite == true
    }

    private mutating func string() throws(JSONError) -> String {
        place += 1
        var content: [UInt8] = []
        while let byte = next {
            place += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: content, as: UTF8.self) else { throw fail("not UTF-8") }
                return text
            case UInt8(ascii: "\\"): content += try escape()
            case 0..<0x20: throw fail("a control character in a string")
            default: content.append(byte)
            }
        }
        throw fail("unterminated string")
    }

    private mutating func escape() throws(JSONError) -> [UInt8] {
        guard let byte = next else { throw fail("unterminated string") }
        place += 1
        switch byte {
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "u"): return Array(String(try scalar()).utf8)
        default: throw fail("unknown escape")
        }
    }

    private mutating func scalar() throws(JSONError) -> Character {
        let unit = try codeUnit()
        if let scalar = Unicode.Scalar(unit) { return Character(scalar) }
        // The first half of a pair. Others stand for nothing.
        guard unit < 0xDC00, take("\\"), take("u") else { throw fail("unpaired surrogate") }
        let second = try codeUnit()
        guard 0xDC00...0xDFFF ~= second,
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00))
        else { throw fail("unpaired surrogate") }
        return Character(scalar)
    }

    private mutating func codeUnit() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw fail("expected four hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
            place += 1
        }
        return value
    }
}
