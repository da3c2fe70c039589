extension [UInt8] {
    /// Appends a JSON string with its quotes. Specification: RFC 8259, 7.
    ///
    /// Escapes more than it must: what a terminal would act on (see ``TerminalText``), which keeps the value as it is.
    mutating func appendJSONString(_ text: some StringProtocol) {
        append(UInt8(ascii: "\""))
        if TerminalText.mayAct(text) {
            for scalar in text.unicodeScalars { appendJSON(scalar) }
        } else {
            for byte in text.utf8 {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { append(UInt8(ascii: "\\")) }
                append(byte)
            }
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func appendJSON(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": append(contentsOf: #"\""#.utf8)
        case "\\": append(contentsOf: #"\\"#.utf8)
        case "\n": append(contentsOf: #"\n"#.utf8)
        case "\r": append(contentsOf: #"\r"#.utf8)
        case "\t": append(contentsOf: #"\t"#.utf8)
        case let scalar where TerminalText.acts(scalar):
            // All of them are in the first plane: four digits.
            let digits = String(scalar.value, radix: 16)
            append(contentsOf: (#"\u"# + String(repeating: "0", count: 4 - digits.utf8.count) + digits).utf8)
        default: append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
    }
}
