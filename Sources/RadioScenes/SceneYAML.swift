import PlainText
import RadioControl
import YAMLText

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
            throw failure([error], path)
        }
        return try json(text, file: path)
    }

    package static func json(_ text: String, file: String) throws(SceneFileError) -> String {
        let data: DataNode
        do {
            data = try YAMLText.root(of: text)
        } catch {
            throw failure([error], file)
        }
        do {
            _ = try SceneReader.scene(data)
        } catch {
            throw failure(error.all, file)
        }
        // All of it is part of a scene, so it is not deeper than the JSON that the radio reads.
        return data.json
    }

    private static func failure(_ mistakes: [FileMistake], _ file: String) -> SceneFileError {
        SceneFileError(lines: mistakes.map { "\(file):" + ($0.place == nil ? " " : "") + $0.description })
    }
}
