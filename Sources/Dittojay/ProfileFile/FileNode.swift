import Foundation
import GATTProfiles
import YAMLText
import Yams
import PlainText

/// A node of a YAML file, and the keys that lead to it.
struct FileNode {
    let node: Yams.Node
    let path: String
    let context: FileContext

    /// An error about this node.
    func fail(_ message: String) -> ProfileFileError {
        ProfileFileError(
            file: context.file, line: node.mark?.line, column: node.mark?.column, keyPath: path, message: message)
    }

    /// Where it is, as `uart.yaml:12`; nil if that is not known.
    var place: String? { node.mark.map { "\(context.file):\($0.line)" } }

    /// An error that says what is expected instead of what there is.
    func fail(expecting expected: String) -> ProfileFileError {
        let found =
            switch node {
            case .scalar(let scalar): scalar.string.isEmpty ? "nothing" : "\"\(Self.shortened(scalar.string))\""
            case .mapping: "a mapping"
            case .sequence: "a list"
            case .alias: "an alias"
            }
        return fail("expected \(expected), found \(found)")
    }

    /// An error that is not reported, because it follows from another mistake.
    func consequence() -> ProfileFileError {
        var error = fail("follows from another mistake")
        error.isConsequence = true
        return error
    }

    func warn(_ message: String) {
        context.warn(fail(message))
    }

    static func shortened(_ text: String) -> String { YAMLText.shortened(text) }

    // MARK: Kinds

    /// The members of a mapping whose keys are among these.
    func mapping(of what: String, keys: [String]) throws(ProfileFileError) -> FileMapping {
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
    func anyMapping(of what: String) throws(ProfileFileError) -> FileMapping {
        guard case .mapping(let mapping) = node else { throw fail(expecting: "\(what): a mapping of keys to values") }
        var members: [FileMapping.Member] = []
        for (key, value) in mapping {
            guard case .scalar(let scalar) = key else {
                throw FileNode(node: key, path: path, context: context).fail(expecting: "a key: plain text")
            }
            let childPath = path.isEmpty ? scalar.string : "\(path).\(scalar.string)"
            members.append(
                .init(
                    key: scalar.string, keyNode: FileNode(node: key, path: path, context: context),
                    value: FileNode(node: value, path: childPath, context: context)))
        }
        return FileMapping(node: self, members: members)
    }

    /// The elements of a list.
    func list(of what: String) throws(ProfileFileError) -> [FileNode] {
        guard case .sequence(let sequence) = node else { throw fail(expecting: "a list of \(what)") }
        return sequence.enumerated().map { index, element in
            FileNode(node: element, path: "\(path)[\(index)]", context: context)
        }
    }

    var isList: Bool {
        if case .sequence = node { true } else { false }
    }

    var isMapping: Bool {
        if case .mapping = node { true } else { false }
    }

    /// A scalar as written.
    func text(_ what: String) throws(ProfileFileError) -> String {
        guard case .scalar(let scalar) = node, !scalar.string.isEmpty else { throw fail(expecting: what) }
        return scalar.string
    }

    // MARK: Types

    func flag() throws(ProfileFileError) -> Bool {
        let expected = "true or false (or yes, no, on, off)"
        switch try text(expected).lowercased() {
        case "true", "yes", "on": return true
        case "false", "no", "off": return false
        default: throw fail(expecting: expected)
        }
    }

    func integer(in range: ClosedRange<Int64>) throws(ProfileFileError) -> Int64 {
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

    func integer(in range: ClosedRange<Int>) throws(ProfileFileError) -> Int {
        Int(try integer(in: Int64(range.lowerBound)...Int64(range.upperBound)))
    }

    /// A number, perhaps with decimal places.
    func number(in range: ClosedRange<Double>) throws(ProfileFileError) -> Double {
        let expected = "a number from \(decimal(range.lowerBound)) to \(decimal(range.upperBound))"
        let written = try text(expected)
        guard written.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let number = Double(written),
            range.contains(number)
        else { throw fail(expecting: expected) }
        return number
    }

    /// `5`, or `1-20`.
    func range(within limits: ClosedRange<Int>) throws(ProfileFileError) -> ClosedRange<Int> {
        let expected = "a number, or two with a hyphen between them, from \(limits.lowerBound) to \(limits.upperBound)"
        let parts = try text(expected).split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard let low = parts.first ?? nil, let high = parts.last ?? nil, parts.count <= 2, low <= high,
            limits.contains(low), limits.contains(high)
        else { throw fail(expecting: expected) }
        return low...high
    }

    /// A time with its unit, in seconds: `250 ms`, `1.5 s`, `2 min`.
    func seconds(within limits: ClosedRange<Double>) throws(ProfileFileError) -> Double {
        let expected = "a time such as 250 ms, 1.5 s or 2 min"
        let written = try text(expected)
        let number = written.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let factors: [String: Double] = ["ms": 0.001, "s": 1, "min": 60]
        guard let amount = Double(number),
            let factor = factors[written.dropFirst(number.count).trimmingCharacters(in: .whitespaces)]
        else { throw fail(expecting: expected) }
        let seconds = amount * factor
        guard limits.contains(seconds) else {
            let low = Duration.text(seconds: limits.lowerBound)
            throw fail(expecting: "a time from \(low) to \(Duration.text(seconds: limits.upperBound))")
        }
        return seconds
    }

    /// A probability: `20 %`, above the lower limit.
    func percent(in limits: ClosedRange<Double>) throws(ProfileFileError) -> Double {
        let expected = "a probability such as 20 %, above 0 and at most 100 %"
        let written = try text(expected)
        let number = written.hasSuffix("%") ? written.dropLast().trimmingCharacters(in: .whitespaces) : ""
        guard number.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let percent = Double(number),
            percent > limits.lowerBound, percent <= limits.upperBound
        else { throw fail(expecting: expected) }
        return percent
    }

    /// The bytes of a value: in one of the forms of ``ValueText``, or a list of them, concatenated.
    func value(maximumLength: Int = LabService.maximumValueLength) throws(ProfileFileError) -> [UInt8] {
        var bytes: [UInt8] = []
        if isList {
            for part in try list(of: "values") {
                bytes += context.attempt(try part.value(maximumLength: maximumLength)) ?? []
            }
        } else {
            do throws(ValueText.ParsingError) {
                bytes = try ValueText.parse(try textOfValue())
            } catch {
                throw fail(error.description)
            }
        }
        guard bytes.count <= maximumLength else {
            throw fail("value too long: \(bytes.count) bytes (limit \(maximumLength))")
        }
        return bytes
    }

    private func textOfValue() throws(ValueText.ParsingError) -> String {
        do throws(ProfileFileError) {
            return try text("a value")
        } catch {
            throw ValueText.ParsingError(
                description: "expected a value such as hex:0A0B, text:hello, u16:1 or empty, or a list of such values")
        }
    }

    /// One of a few words.
    func choice<Value>(of what: String, among choices: [(String, Value)]) throws(ProfileFileError) -> Value {
        let names = choices.map(\.0)
        let expected = "\(what): " + names.joined(separator: ", ")
        let written = try text(expected)
        guard let found = choices.first(where: { $0.0 == written }) else {
            throw fail(
                "invalid \(what) \"\(Self.shortened(written))\"\(Suggestion.text(for: written, among: names)); "
                    + "expected one of \(names.joined(separator: ", "))")
        }
        return found.1
    }

    /// An ATT error by its name or number.
    func attError() throws(ProfileFileError) -> UInt8 {
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

/// A mapping of a YAML file.
struct FileMapping {
    struct Member {
        let key: String
        let keyNode: FileNode
        let value: FileNode
    }

    let node: FileNode
    let members: [Member]
    /// The keys that were probably meant by unknown ones, which are noted as mistakes.
    var misspelt: Set<String> = []

    subscript(key: String) -> FileNode? {
        members.first { $0.key == key }?.value
    }

    /// The place of a key.
    func place(of key: String) -> FileNode? {
        members.first { $0.key == key }.map {
            FileNode(node: $0.keyNode.node, path: $0.value.path, context: node.context)
        }
    }

    func required(_ key: String) throws(ProfileFileError) -> FileNode {
        if let value = self[key] { return value }
        throw misspelt.contains(key) ? node.consequence() : node.fail("\"\(key)\" is missing")
    }

    /// The one key of these that is present.
    func exactlyOne(of keys: [String]) throws(ProfileFileError) -> Member {
        let found = members.filter { keys.contains($0.key) }
        guard found.count == 1, let only = found.first else {
            if found.isEmpty, !misspelt.isDisjoint(with: keys) { throw node.consequence() }
            throw (found.last?.keyNode ?? node).fail("exactly one of \(keys.joined(separator: ", ")) is required")
        }
        return only
    }
}
