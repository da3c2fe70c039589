/// JSON with ordered members, for texts that people read.
indirect enum JSONValue: Hashable, Swift.Sendable {
    case string(String)
    case number(Int64)
    case bool(Bool)
    case array([JSONValue])
    case object([Member])

    struct Member: Hashable, Swift.Sendable {
        let key: String
        let value: JSONValue

        init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    static func strings(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map(JSONValue.string)) }

    /// Over several lines, indented.
    var text: String {
        var text = ""
        write(to: &text, indentation: "")
        return text
    }

    private func write(to text: inout String, indentation: String) {
        let inner = indentation + "  "
        switch self {
        case .string(let string): text += Self.quoted(string)
        case .number(let number): text += "\(number)"
        case .bool(let bool): text += "\(bool)"
        case .array(let elements):
            let isFlat = elements.allSatisfy { if case .object = $0 { false } else { true } }
            guard !isFlat else {
                text += Self.lines(of: elements.map(\.text), inner, indentation)
                return
            }
            text += "[\n"
            for (index, element) in elements.enumerated() {
                text += inner
                element.write(to: &text, indentation: inner)
                text += index < elements.count - 1 ? ",\n" : "\n"
            }
            text += indentation + "]"
        case .object(let members):
            guard !members.isEmpty else { return text += "{}" }
            text += "{\n"
            for (index, member) in members.enumerated() {
                text += inner + Self.quoted(member.key) + ": "
                member.value.write(to: &text, indentation: inner)
                text += index < members.count - 1 ? ",\n" : "\n"
            }
            text += indentation + "}"
        }
    }

    /// Texts of an array, as many in a line as fit.
    private static func lines(of texts: [String], _ inner: String, _ indentation: String) -> String {
        let line = "[" + texts.joined(separator: ", ") + "]"
        guard line.utf8.count > 100 else { return line }
        var lines: [String] = []
        for text in texts {
            if let last = lines.last, last.utf8.count + text.utf8.count < 100 {
                lines[lines.count - 1] = last + ", " + text
            } else {
                lines.append(text)
            }
        }
        return "[\n" + lines.map { inner + $0 }.joined(separator: ",\n") + "\n" + indentation + "]"
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension JSONValue: ExpressibleByStringLiteral {
    init(stringLiteral value: String) { self = .string(value) }
}

extension JSONValue: ExpressibleByBooleanLiteral {
    init(booleanLiteral value: Bool) { self = .bool(value) }
}
