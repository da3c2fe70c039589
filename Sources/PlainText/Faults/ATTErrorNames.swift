/// The ATT errors by name.
package enum ATTErrorNames {
    /// Specification: Bluetooth Core, Vol 3, Part F, 3.4.1.1, and the Core Specification Supplement, Part B.
    package static let all: [(name: String, code: UInt8)] = [
        ("invalid-handle", 0x01), ("read-not-permitted", 0x02), ("write-not-permitted", 0x03), ("invalid-pdu", 0x04),
        ("insufficient-authentication", 0x05), ("request-not-supported", 0x06), ("invalid-offset", 0x07),
        ("insufficient-authorization", 0x08), ("prepare-queue-full", 0x09), ("attribute-not-found", 0x0A),
        ("attribute-not-long", 0x0B), ("insufficient-encryption-key-size", 0x0C),
        ("invalid-attribute-value-length", 0x0D), ("unlikely-error", 0x0E), ("insufficient-encryption", 0x0F),
        ("unsupported-group-type", 0x10), ("insufficient-resources", 0x11), ("database-out-of-sync", 0x12),
        ("value-not-allowed", 0x13), ("write-request-rejected", 0xFC),
        ("client-characteristic-configuration-improper", 0xFD), ("procedure-already-in-progress", 0xFE),
        ("out-of-range", 0xFF),
    ]

    /// The code of an error that is written as a name, or as a number in decimal or, after `0x`, in hexadecimal; nil
    /// for anything else.
    package static func code(_ text: String) -> UInt8? {
        if let known = all.first(where: { $0.name == text }) { return known.code }
        let isHex = text.hasPrefix("0x")
        let digits = isHex ? text.dropFirst(2) : text[...]
        guard digits.first?.isHexDigit == true, let code = UInt8(digits, radix: isHex ? 16 : 10), code > 0 else {
            return nil
        }
        return code
    }

    /// `0x0D invalid-attribute-value-length`.
    package static func text(_ code: UInt8) -> String {
        let digits = String(code, radix: 16, uppercase: true)
        let number = "0x" + (digits.utf8.count == 1 ? "0" : "") + digits
        return all.first { $0.code == code }.map { "\(number) \($0.name)" } ?? number
    }
}

extension FileNode {
    /// An ATT error by its name or number.
    package func attError() throws(FileMistake) -> UInt8 {
        let written = try text("an ATT error")
        guard let code = ATTErrorNames.code(written) else {
            throw fail(
                "invalid ATT error \"\(Self.shortened(written))\""
                    + Suggestion.text(for: written, among: ATTErrorNames.all.map(\.name))
                    + "; expected a number from 0x01 to 0xFF, or a name such as value-not-allowed")
        }
        return code
    }
}
