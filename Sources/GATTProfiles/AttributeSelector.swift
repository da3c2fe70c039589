/// How a user names an attribute of a device that may have several alike: a path such as `180D/2A38`, with a number
/// where the device has several of the kind (`180F#2/2A19`, `180F/2A19#2`), with a descriptor behind it
/// (`180D/2A37/2901`), or the handle (`@002a`).
package struct AttributeSelector: Hashable, Swift.Sendable {
    /// One part of a path: what kind of attribute, and perhaps which of them.
    package struct Step: Hashable, Swift.Sendable {
        /// The UUID or the name.
        package let part: AttributePath.Part
        /// Which of those that match, from 1, in the order of their handles; nil for all of them.
        package let number: Int?

        fileprivate init?(_ text: Substring) {
            guard !text.isEmpty, !text.hasPrefix("@") else { return nil }
            guard let sign = text.lastIndex(of: "#") else {
                part = AttributePath.Part(text: String(text))
                number = nil
                return
            }
            let digits = text[text.index(after: sign)...]
            guard sign > text.startIndex, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(digits), number > 0
            else { return nil }
            part = AttributePath.Part(text: String(text[..<sign]))
            self.number = number
        }

        /// Those that the step names.
        ///
        /// - Parameters:
        ///   - candidates: in the order of their handles.
        ///   - uuid: a candidate's UUID in 4, 8 or 36 characters.
        ///   - name: a candidate's name as the specification writes it; nil if there is none.
        package func choose<T>(from candidates: [T], uuid: (T) -> String, name: (T) -> String?) -> [T] {
            let matching = candidates.filter { part.matches(uuid: uuid($0), name: name($0)) }
            guard let number else { return matching }
            return number <= matching.count ? [matching[number - 1]] : []
        }
    }

    /// The two ways to name an attribute.
    package enum Kind: Hashable, Swift.Sendable {
        /// The handle, as `info` shows it: for a characteristic that of its declaration.
        case handle(UInt16)
        /// The way from the service to the attribute. Without a service, any will do.
        case path(service: Step?, characteristic: Step, descriptor: Step?)
    }

    /// As typed.
    package let text: String
    package let kind: Kind

    /// Nil if the text is malformed: an empty part, more than three parts, or an invalid number or handle.
    package init?(_ text: String) {
        self.text = text
        if text.hasPrefix("@") {
            let digits = text.dropFirst()
            guard (1...4).contains(digits.utf8.count), digits.allSatisfy({ $0.isASCII && $0.isHexDigit }),
                let handle = UInt16(digits, radix: 16), handle > 0
            else { return nil }
            kind = .handle(handle)
            return
        }
        let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        let steps = parts.compactMap(Step.init)
        guard steps.count == parts.count else { return nil }
        switch steps.count {
        case 1: kind = .path(service: nil, characteristic: steps[0], descriptor: nil)
        case 2: kind = .path(service: steps[0], characteristic: steps[1], descriptor: nil)
        case 3: kind = .path(service: steps[0], characteristic: steps[1], descriptor: steps[2])
        default: return nil
        }
    }

    /// A handle as it is typed: `@002a`.
    package static func text(ofHandle handle: UInt16) -> String { "@" + digits(ofHandle: handle) }

    /// A handle in four hexadecimal digits.
    package static func digits(ofHandle handle: UInt16) -> String {
        let digits = String(handle, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
