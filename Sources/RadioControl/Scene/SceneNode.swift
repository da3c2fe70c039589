import VirtualRadio
import PlainText

/// A node of a scene or a command that is being read, and the keys that lead to it.
struct SceneNode {
    let data: DataNode
    let path: String
    let list: MistakeList

    func fail(_ message: String) -> SceneMistake {
        SceneMistake(place: data.place, path: path, message: message)
    }

    func fail(expecting expected: String) -> SceneMistake {
        let found =
            switch data {
            case .scalar(let text, _): text.isEmpty ? "nothing" : "\"\(Self.shortened(text))\""
            case .list: "a list"
            case .mapping: "a mapping"
            }
        return fail("expected \(expected), found \(found)")
    }

    static func shortened(_ text: String) -> String {
        let line = text.map { $0.isNewline ? " " : String($0) }.joined()
        return line.count <= 60 ? line : line.prefix(60) + "…"
    }

    var isList: Bool {
        if case .list = data { true } else { false }
    }

    /// The members of a mapping. Keys that are not among these are mistakes.
    func mapping(of what: String, keys: [String]) throws(SceneMistake) -> SceneMapping {
        var mapping = try anyMapping(of: what)
        guard case .mapping(let members, _) = data else { return mapping }
        for member in members where !keys.contains(member.key) {
            let meant = Suggestion.nearest(to: member.key, among: keys)
            if let meant { mapping.misspelt.insert(meant) }
            let suggestion = meant.map { " (did you mean \"\($0)\"?)" } ?? ""
            list.note(
                SceneMistake(
                    place: member.place, path: path,
                    message: "unknown key \"\(Self.shortened(member.key))\" in \(what)\(suggestion); valid: "
                        + keys.joined(separator: ", ")))
        }
        return mapping
    }

    /// The members of a mapping with any keys.
    func anyMapping(of what: String) throws(SceneMistake) -> SceneMapping {
        guard case .mapping(let members, _) = data else {
            throw fail(expecting: "\(what): a mapping of keys to values")
        }
        let nodes = members.map { member in
            let path = path.isEmpty ? member.key : "\(path).\(member.key)"
            return (member.key, SceneNode(data: member.value, path: path, list: list))
        }
        return SceneMapping(node: self, members: nodes)
    }

    func elements(of what: String, most: Int) throws(SceneMistake) -> [SceneNode] {
        guard case .list(let elements, _) = data else { throw fail(expecting: "a list of \(what)") }
        guard elements.count <= most else { throw fail("too many \(what): \(elements.count) (limit \(most))") }
        return elements.enumerated().map { SceneNode(data: $1, path: "\(path)[\($0)]", list: list) }
    }

    func text(_ what: String) throws(SceneMistake) -> String {
        guard case .scalar(let text, _) = data, !text.isEmpty else { throw fail(expecting: what) }
        return text
    }

    func choice<Value>(_ what: String, among choices: [(String, Value)]) throws(SceneMistake) -> Value {
        let names = choices.map(\.0)
        let written = try text("\(what): \(names.joined(separator: ", "))")
        guard let found = choices.first(where: { $0.0 == written }) else {
            throw fail(
                "invalid \(what) \"\(Self.shortened(written))\"\(Suggestion.text(for: written, among: names)); expected one of "
                    + names.joined(separator: ", "))
        }
        return found.1
    }

    func flag() throws(SceneMistake) -> Bool {
        try choice("boolean", among: [("true", true), ("false", false), ("yes", true), ("no", false)])
    }
}

/// A mapping that is being read.
struct SceneMapping {
    let node: SceneNode
    let members: [(key: String, value: SceneNode)]
    /// The keys that were probably meant by unknown ones.
    var misspelt: Set<String> = []

    subscript(key: String) -> SceneNode? {
        members.first { $0.key == key }?.value
    }

    func required(_ key: String) throws(SceneMistake) -> SceneNode {
        if let value = self[key] { return value }
        var mistake = node.fail("\"\(key)\" is missing")
        mistake.isConsequence = misspelt.contains(key)
        throw mistake
    }

    /// The one member of these that is there.
    func exactlyOne(of keys: [String]) throws(SceneMistake) -> (key: String, value: SceneNode) {
        let found = members.filter { keys.contains($0.key) }
        guard found.count == 1, let only = found.first else {
            var mistake = node.fail("exactly one of \(keys.joined(separator: ", ")) is required")
            mistake.isConsequence = found.isEmpty && !misspelt.isDisjoint(with: keys)
            throw mistake
        }
        return only
    }
}
