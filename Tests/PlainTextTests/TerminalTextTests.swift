import PlainText
import Testing

@Suite struct TerminalTextTests {
    @Test func `what a terminal would act on is shown instead`() {
        #expect(TerminalText.escaped("a\u{1B}[31mb\u{7}c") == #"a\u{1B}[31mb\u{7}c"#)
        #expect(TerminalText.escaped("one\nforged\r\ttab") == #"one\nforged\r\ttab"#)
        #expect(TerminalText.escaped("\u{9B}2J\u{85}\u{7F}") == #"\u{9B}2J\u{85}\u{7F}"#)
        #expect(TerminalText.escaped("\u{202E}gpj\u{2066}\u{200F}\u{61C}") == #"\u{202E}gpj\u{2066}\u{200F}\u{61C}"#)
        #expect(TerminalText.escaped("\u{2028}\u{2029}") == #"\u{2028}\u{2029}"#)
        #expect(TerminalText.escaped("\r\n") == #"\r\n"#)
    }

    @Test func `everything else stays as it is`() {
        for text in ["", "Dittojay", "é ñ ± §", "日本語", "👩‍👩‍👧 🐦", "שלום", "\u{A0}\u{2027}\u{202F}\u{FFFD}", "\\u{1B}"] {
            #expect(TerminalText.escaped(text) == text)
        }
    }

    @Test func `no character with an effect of its own comes through, whichever it is`() throws {
        // All of them are below U+3000.
        let wrong = (UInt32(0)..<0x3000).compactMap(Unicode.Scalar.init).filter { scalar in
            let properties = scalar.properties
            let isDangerous: Bool =
                switch properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator: true
                default: properties.isBidiControl
                }
            let comesThrough = TerminalText.escaped(String(Character(scalar))).unicodeScalars.contains(scalar)
            return comesThrough == isDangerous
        }
        #expect(wrong == [])
    }
}
