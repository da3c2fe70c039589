/// A node of a file, or of a request in JSON, that is being read, and the keys that lead to it.
package struct FileNode {
    package let data: DataNode
    package let path: String
    package let context: FileContext

    package init(_ data: DataNode, path: String = "", context: FileContext) {
        (self.data, self.path, self.context) = (data, path, context)
    }

    /// A mistake in this node.
    package func fail(_ message: String) -> FileMistake {
        FileMistake(message, at: data.place, path: path)
    }

    /// A mistake that says what is expected instead of what there is.
    package func fail(expecting expected: String) -> FileMistake {
        let found =
            switch data {
            case .scalar(let text, _): text.isEmpty ? "nothing" : "\"\(Self.shortened(text))\""
            case .mapping: "a mapping"
            case .list: "a list"
            }
        return fail("expected \(expected), found \(found)")
    }

    /// A mistake that is not reported, because it follows from another one.
    package func consequence() -> FileMistake {
        var mistake = fail("follows from another mistake")
        mistake.isConsequence = true
        return mistake
    }

    package func warn(_ message: String) {
        context.warn(fail(message))
    }

    /// A text for one line of a message.
    package static func shortened(_ text: String) -> String {
        let line = text.map { $0.isNewline ? " " : String($0) }.joined()
        return line.count <= 60 ? line : line.prefix(60) + "…"
    }

    // MARK: Kinds

    /// The members of a mapping whose keys are among these.
    package func mapping(of what: String, keys: [String]) throws(FileMistake) -> FileMapping {
        var mapping = try anyMapping(of: what)
        for member in mapping.members where !keys.contains(member.key) {
            let meant = Suggestion.nearest(to: member.key, among: keys)
            if let meant { mapping.misspelt.insert(meant) }
            context.note(
                member.keyNode.fail(
                    "unknown key \"\(Self.shortened(member.key))\" in \(what)"
                        + (meant.map { " (did you mean \"\($0)\"?)" } ?? "")
                        + "; valid: \(keys.joined(separator: ", "))"))
        }
        return mapping
    }

    /// The members of a mapping with any keys.
    package func anyMapping(of what: String) throws(FileMistake) -> FileMapping {
        guard case .mapping(let members, _) = data else {
            throw fail(expecting: "\(what): a mapping of keys to values")
        }
        return FileMapping(
            node: self,
            members: members.map { member in
                FileMapping.Member(
                    key: member.key,
                    keyNode: FileNode(.scalar(member.key, member.place), path: path, context: context),
                    value: FileNode(
                        member.value, path: path.isEmpty ? member.key : "\(path).\(member.key)", context: context))
            })
    }

    /// The elements of a list.
    ///
    /// - Parameter limit: how many there may be.
    package func list(of what: String, limit: Int = .max) throws(FileMistake) -> [FileNode] {
        guard case .list(let elements, _) = data else { throw fail(expecting: "a list of \(what)") }
        guard elements.count <= limit else { throw fail("too many \(what): \(elements.count) (limit \(limit))") }
        return elements.enumerated().map { FileNode($1, path: "\(path)[\($0)]", context: context) }
    }

    package var isList: Bool {
        if case .list = data { true } else { false }
    }

    package var isMapping: Bool {
        if case .mapping = data { true } else { false }
    }

    /// A scalar as written.
    package func text(_ what: String) throws(FileMistake) -> String {
        guard case .scalar(let text, _) = data, !text.isEmpty else { throw fail(expecting: what) }
        return text
    }

    // MARK: Types

    package func flag() throws(FileMistake) -> Bool {
        let expected = "true or false (or yes, no, on, off)"
        switch try text(expected).lowercased() {
        case "true", "yes", "on": return true
        case "false", "no", "off": return false
        default: throw fail(expecting: expected)
        }
    }

    /// The value of a key that means something only if it is true.
    package func requireTrue() throws(FileMistake) {
        guard try flag() else { throw fail(expecting: "true") }
    }

    package func integer(in range: ClosedRange<Int64>) throws(FileMistake) -> Int64 {
        let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        let written = try text(expected)
        let isNegative = written.hasPrefix("-")
        let magnitude = isNegative ? written.dropFirst() : written[...]
        let isHex = magnitude.hasPrefix("0x")
        let digits = isHex ? magnitude.dropFirst(2) : magnitude
        // Swift's initializer accepts a sign here, too, which would allow "--1".
        guard digits.first?.isHexDigit == true,
            let number = Int64((isNegative ? "-" : "") + digits, radix: isHex ? 16 : 10), range.contains(number)
        else { throw fail(expecting: expected) }
        return number
    }

    package func integer(in range: ClosedRange<Int>) throws(FileMistake) -> Int {
        Int(try integer(in: Int64(range.lowerBound)...Int64(range.upperBound)))
    }

    /// A number, perhaps with decimal places.
    package func number(in range: ClosedRange<Double>) throws(FileMistake) -> Double {
        let expected = "a number from \(decimal(range.lowerBound)) to \(decimal(range.upperBound))"
        guard let (number, unit) = try quantity(expected), unit.isEmpty, range.contains(number) else {
            throw fail(expecting: expected)
        }
        return number
    }

    /// `5`, or `1-20`.
    package func range(within limits: ClosedRange<Int>) throws(FileMistake) -> ClosedRange<Int> {
        let expected = "a number, or two with a hyphen between them, from \(limits.lowerBound) to \(limits.upperBound)"
        let parts = try text(expected).split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard let low = parts.first ?? nil, let high = parts.last ?? nil, parts.count <= 2, low <= high,
            limits.contains(low), limits.contains(high)
        else { throw fail(expecting: expected) }
        return low...high
    }

    /// A number and its unit; nil if it begins with none.
    ///
    /// - Parameter isSigned: whether it may begin with a sign.
    package func quantity(
        _ expected: String, isSigned: Bool = false
    ) throws(FileMistake) -> (Double, unit: Substring)? {
        let written = try text(expected)
        let sign = isSigned ? written.prefix { $0 == "-" || $0 == "+" } : ""
        let digits = written.dropFirst(sign.count).prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let number = Double(sign + digits) else { return nil }
        let rest = written.dropFirst(sign.count + digits.count).drop { $0 == " " || $0 == "\t" }
        return (number, rest)
    }

    private static let partsOfSeconds: [Substring: Double] = ["ms": 1000, "s": 1]
    private static let seconds: [Substring: Double] = ["min": 60, "h": 3600]

    /// A time with its unit, in seconds: `250 ms`, `1.5 s`, `2 min`, `1 h`.
    package func seconds(within limits: ClosedRange<Double>) throws(FileMistake) -> Double {
        let expected = "a time such as 250 ms, 1.5 s or 2 min"
        guard let (number, unit) = try quantity(expected),
            let seconds = Self.partsOfSeconds[unit].map({ number / $0 }) ?? Self.seconds[unit].map({ number * $0 })
        else { throw fail(expecting: expected) }
        guard limits.contains(seconds) else {
            let low = Duration.text(seconds: limits.lowerBound)
            throw fail(expecting: "a time from \(low) to \(Duration.text(seconds: limits.upperBound))")
        }
        return seconds
    }

    /// One of a few words.
    package func choice<Value>(of what: String, among choices: [(String, Value)]) throws(FileMistake) -> Value {
        let names = choices.map(\.0)
        let written = try text("\(what): " + names.joined(separator: ", "))
        guard let found = choices.first(where: { $0.0 == written }) else {
            throw fail(
                "invalid \(what) \"\(Self.shortened(written))\"\(Suggestion.text(for: written, among: names)); "
                    + "expected one of \(names.joined(separator: ", "))")
        }
        return found.1
    }
}
