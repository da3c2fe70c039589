import Foundation
package import PlainText
import Yams

/// Texts in YAML from outside, read within bounds (``YAMLBounds``). JSON is a subset of YAML.
package enum YAMLText {
    /// The largest file that is read, in bytes.
    package static let maximumLength = 8 << 20

    /// The content of a file.
    package static func contents(of path: String) throws(FileMistake) -> String {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw FileMistake("cannot be read: \(String(cString: strerror(errno)))")
        }
        let data: Data?
        do {
            data = try handle.read(upToCount: maximumLength + 1)
        } catch {
            throw FileMistake("cannot be read: \(error.localizedDescription)")
        }
        guard let data, data.count <= maximumLength else {
            throw FileMistake(
                data == nil ? "the file is empty" : "the file is too long (limit \(maximumLength) bytes)")
        }
        // Editors on Windows begin files with a byte-order mark.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        guard let text = String(validating: data.starts(with: mark) ? data.dropFirst(mark.count) : data, as: UTF8.self)
        else {
            throw FileMistake("not UTF-8 text")
        }
        return text
    }

    /// The root node of a text.
    package static func root(of text: String) throws(FileMistake) -> DataNode {
        func fail(_ message: String, _ mark: Mark? = nil) -> FileMistake {
            FileMistake(message, at: mark.map(Self.place))
        }
        guard !text.utf8.contains(0) else { throw fail("not a text file (contains a NUL byte)") }
        try YAMLBounds.check(text)
        let node: Yams.Node?
        do {
            // The readers decide what a scalar means. The resolver's default rules would try regular expressions on
            // each.
            node = try Yams.compose(yaml: text, .basic, .default, .utf8)
        } catch YamlError.scanner(let context, let problem, let mark, _),
            YamlError.parser(let context, let problem, let mark, _),
            YamlError.composer(let context, let problem, let mark, _)
        {
            let place = context.map { $0.text.isEmpty ? "" : "\($0.text), " } ?? ""
            throw fail("not valid YAML: \(place)\(problem)", mark)
        } catch YamlError.duplicatedKeysInMapping(let duplicates, let context) {
            let keys = duplicates.sorted().prefix(3).map { "\"\(FileNode.shortened($0))\"" }.joined(separator: ", ")
            throw fail("duplicate key: \(keys)\(duplicates.count > 3 ? ", …" : "")", context.mark)
        } catch YamlError.reader(let problem, _, _, _) {
            throw fail("not valid YAML: \(problem)")
        } catch {
            throw fail("not valid YAML: \("\(error)".split(whereSeparator: \.isNewline).first ?? "")")
        }
        guard let node else { throw fail("the file is empty") }
        return data(node)
    }

    private static func place(_ mark: Mark) -> DataNode.Place { .init(line: mark.line, column: mark.column) }

    /// The bounds of YAML are those of the recursion.
    private static func data(_ node: Yams.Node) -> DataNode {
        let place = node.mark.map(Self.place)
        switch node {
        case .scalar(let scalar): return .scalar(scalar.string, place)
        case .sequence(let sequence): return .list(sequence.map(data), place)
        case .mapping(let mapping):
            let members = mapping.map { key, value in
                DataNode.Member(key.scalar?.string ?? "", data(value), place: key.mark.map(Self.place))
            }
            return .mapping(members, place)
        // The parser puts its target in its place.
        case .alias: return .scalar("", place)
        }
    }
}
