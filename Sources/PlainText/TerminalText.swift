/// Text from outside, such as a device's name, on its way to a terminal. It may only be shown there: not move the
/// cursor, ring, set colours, begin another line or turn the direction of writing.
package enum TerminalText {
    /// The text, with each character that would do more than be shown written as an escape: `\n`, `\u{1B}`.
    ///
    /// These are the controls (C0, DEL, C1), the line and paragraph separators and the controls of bidirectional text
    /// (Unicode's properties `Cc`, `Zl`, `Zp` and `Bidi_Control`).
    package static func escaped(_ text: some StringProtocol) -> String {
        guard mayAct(text) else { return String(text) }
        var bytes: [UInt8] = []
        bytes.appendEscaped(text)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a character does more than be shown.
    static func acts(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: true
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Whether a text may have such a character. Looks at the bytes alone, so that most lines cost little.
    static func mayAct(_ text: some StringProtocol) -> Bool {
        text.utf8.contains { byte in
            switch byte {
            // How the others begin in UTF-8: C1, U+061C, and U+2000 to U+2FFF.
            case 0..<0x20, 0x7F, 0xC2, 0xD8, 0xE2: true
            default: false
            }
        }
    }
}

extension [UInt8] {
    /// Appends a text as ``TerminalText/escaped(_:)`` has it.
    package mutating func appendEscaped(_ text: some StringProtocol) {
        guard TerminalText.mayAct(text) else { return append(contentsOf: text.utf8) }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": append(contentsOf: #"\n"#.utf8)
            case "\r": append(contentsOf: #"\r"#.utf8)
            case "\t": append(contentsOf: #"\t"#.utf8)
            case let scalar where TerminalText.acts(scalar):
                append(contentsOf: #"\u{"#.utf8)
                append(contentsOf: String(scalar.value, radix: 16, uppercase: true).utf8)
                append(UInt8(ascii: "}"))
            default: append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }
}
