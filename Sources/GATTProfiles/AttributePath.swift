import AssignedNumbers

/// How a user names a characteristic: `180D/2A38`, `2A38`, `heart-rate/body-sensor-location`, a UUID of 36 characters,
/// or a mixture.
package struct AttributePath: Hashable, Swift.Sendable {
    /// One of the parts: a UUID or a name.
    package struct Part: Hashable, Swift.Sendable {
        /// As typed.
        package let text: String

        /// The UUID in 36 characters and upper case; nil if it is not a UUID.
        package var uuid: String? { Self.canonical(text) }
        /// As `TypedName` writes it.
        package var name: String { TypedName.text(text) }

        /// Whether it names an attribute with this UUID and this name.
        ///
        /// - Parameters:
        ///   - uuid: in 4, 8 or 36 characters, in any letter case.
        ///   - name: as the specification writes it, such as `Body Sensor Location`; nil if there is none.
        package func matches(uuid: String, name: String?) -> Bool {
            if let own = Self.canonical(text), own == Self.canonical(uuid) { return true }
            guard let name else { return false }
            return TypedName.text(name) == TypedName.text(text)
        }

        /// The UUID in 36 characters and upper case; nil if the text is not a UUID.
        package static func canonical(_ text: String) -> String? {
            // As `info` shows them, in C, and in files of other tools.
            let upper = (text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text[...]).uppercased()
            let isHex = upper.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte) || byte == UInt8(ascii: "-")
            }
            guard isHex else { return nil }
            switch upper.utf8.count {
            case 4: return "0000\(upper)-0000-1000-8000-00805F9B34FB"
            case 8: return "\(upper)-0000-1000-8000-00805F9B34FB"
            case 32 where !upper.contains("-"):
                let digits = Array(upper)
                return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
            case 36: return upper
            default: return nil
            }
        }
    }

    /// Nil if the service is not named; then only one characteristic may match.
    package let service: Part?
    package let characteristic: Part
    /// As typed.
    package let text: String

    /// Nil if the text is empty, or has an empty part or more than two parts.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }), let last = parts.last else {
            return nil
        }
        self.text = text
        service = parts.count == 2 ? Part(text: parts[0]) : nil
        characteristic = Part(text: last)
    }
}
