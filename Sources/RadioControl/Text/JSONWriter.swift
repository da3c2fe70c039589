/// Writes JSON on one line.
package struct JSONWriter {
    package private(set) var text = ""

    package init() {}

    /// Makes an object from its members, in their order.
    package static func object(_ members: [(String, JSONPart)]) -> String {
        var writer = JSONWriter()
        writer.add(members)
        return writer.text
    }

    mutating func add(_ node: DataNode) {
        switch node {
        case .scalar(let string, _): quote(string)
        case .list(let elements, _):
            separate("[", elements, "]") { $0.add($1) }
        case .mapping(let members, _):
            separate("{", members, "}") { writer, member in
                writer.quote(member.key)
                writer.text += ":"
                writer.add(member.value)
            }
        }
    }

    private mutating func add(_ members: [(String, JSONPart)]) {
        separate("{", members, "}") { writer, member in
            writer.quote(member.0)
            writer.text += ":"
            writer.add(member.1)
        }
    }

    private mutating func add(_ part: JSONPart) {
        switch part {
        case .text(let string): quote(string)
        case .number(let number): text += "\(number)"
        case .decimal(let number): text += "\((number * 1_000).rounded() / 1_000)"
        case .flag(let flag): text += "\(flag)"
        case .list(let parts): separate("[", parts, "]") { $0.add($1) }
        case .object(let members): add(members)
        }
    }

    private mutating func separate<Element>(
        _ begin: String, _ elements: [Element], _ end: String, _ body: (inout JSONWriter, Element) -> Void
    ) {
        text += begin
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            body(&self, element)
        }
        text += end
    }

    private mutating func quote(_ string: String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\0"..<" ":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

/// A value in JSON that is written.
package indirect enum JSONPart {
    case text(String)
    case number(Int)
    /// With three digits after the point at most. It is finite.
    case decimal(Double)
    case flag(Bool)
    case list([JSONPart])
    case object([(String, JSONPart)])
}
