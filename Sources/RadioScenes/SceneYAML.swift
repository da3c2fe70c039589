import RadioControl
import YAMLText
import Yams
import PlainText

/// All mistakes of a scene's file, each with the file's name, its place and what would be right.
package struct SceneFileError: Error, CustomStringConvertible {
    package let lines: [String]

    package var description: String { lines.joined(separator: "\n") }
}

/// Scenes as YAML files. `docs/radio.md` describes them.
package enum SceneYAML {
    /// Reads a file and returns the scene in JSON, on one line, as `virtual-radio` takes it.
    package static func json(ofFile path: String) throws(SceneFileError) -> String {
        let text: String
        do {
            text = try YAMLText.contents(of: path)
        } catch {
            throw SceneFileError(lines: ["\(path): \(error.message)"])
        }
        return try json(text, file: path)
    }

    package static func json(_ text: String, file: String) throws(SceneFileError) -> String {
        let node: Yams.Node
        do {
            node = try YAMLText.root(of: text)
        } catch {
            let place = error.line.map { ":\($0):\(error.column ?? 1)" } ?? ""
            throw SceneFileError(lines: ["\(file)\(place): \(error.message)"])
        }
        do throws(SceneError) {
            let data = try data(node, depth: 0)
            _ = try SceneReader.scene(data)
            return data.json
        } catch {
            throw SceneFileError(
                lines: error.mistakes.map { mistake in
                    "\(file):" + (mistake.place == nil ? " " : "") + mistake.description
                })
        }
    }

    /// The bounds of YAML are wider than those of the JSON that comes of it, which the radio reads.
    private static func data(_ node: Yams.Node, depth: Int) throws(SceneError) -> DataNode {
        let place = node.mark.map { DataNode.Place(line: $0.line, column: $0.column) }
        guard depth < JSONReader.maximumDepth else {
            throw SceneError(
                mistakes: [SceneMistake("nesting too deep", at: place)])
        }
        switch node {
        case .scalar(let scalar): return .scalar(scalar.string, place)
        case .sequence(let sequence):
            var elements: [DataNode] = []
            for element in sequence { elements.append(try data(element, depth: depth + 1)) }
            return .list(elements, place)
        case .mapping(let mapping):
            var members: [DataNode.Member] = []
            for (key, value) in mapping {
                let keyPlace = key.mark.map { DataNode.Place(line: $0.line, column: $0.column) }
                members.append(.init(key.string ?? "", try data(value, depth: depth + 1), place: keyPlace))
            }
            return .mapping(members, place)
        case .alias: return .scalar("", place)
        }
    }
}
