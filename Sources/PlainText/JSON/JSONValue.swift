/// A value in JSON that is written, with the members of objects in their order.
package indirect enum JSONValue: Sendable {
    case text(String)
    case number(Int)
    /// With three digits after the point at most. It is finite.
    case decimal(Double)
    case flag(Bool)
    case list([JSONValue])
    case object([(String, JSONValue)])

    package static func texts(_ texts: some Sequence<String>) -> JSONValue { .list(texts.map(JSONValue.text)) }

    /// On one line.
    package var line: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func append(to bytes: inout [UInt8]) {
        switch self {
        case .text(let text): bytes.appendJSONString(text)
        case .number(let number): bytes += "\(number)".utf8
        case .decimal(let number): bytes += "\((number * 1_000).rounded() / 1_000)".utf8
        case .flag(let flag): bytes += "\(flag)".utf8
        case .list(let elements):
            bytes.appendSeparated("[", elements, "]") { $1.append(to: &$0) }
        case .object(let members):
            bytes.appendSeparated("{", members, "}") { bytes, member in
                bytes.appendJSONString(member.0)
                bytes += ":".utf8
                member.1.append(to: &bytes)
            }
        }
    }

    // MARK: For people

    /// Over several lines, indented.
    package var indented: String {
        var text = ""
        write(to: &text, indentation: "")
        return text
    }

    private func write(to text: inout String, indentation: String) {
        let inner = indentation + "  "
        switch self {
        case .text, .number, .decimal, .flag: text += line
        case .list(let elements):
            let isFlat = elements.allSatisfy { if case .object = $0 { false } else { true } }
            guard !isFlat else {
                text += Self.lines(of: elements.map(\.indented), inner, indentation)
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
                text += inner + JSONValue.text(member.0).line + ": "
                member.1.write(to: &text, indentation: inner)
                text += index < members.count - 1 ? ",\n" : "\n"
            }
            text += indentation + "}"
        }
    }

    /// Texts of a list, as many in a line as fit.
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
}

extension JSONValue: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) { self = .text(value) }
}

extension JSONValue: ExpressibleByBooleanLiteral {
    package init(booleanLiteral value: Bool) { self = .flag(value) }
}

extension [UInt8] {
    fileprivate mutating func appendSeparated<Part>(
        _ begin: String, _ parts: [Part], _ end: String, _ append: (inout [UInt8], Part) -> Void
    ) {
        self += begin.utf8
        for (index, part) in parts.enumerated() {
            if index > 0 { self += ",".utf8 }
            append(&self, part)
        }
        self += end.utf8
    }
}
