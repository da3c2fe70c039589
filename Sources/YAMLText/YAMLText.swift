import Foundation
package import Yams

/// Texts in YAML from outside, made into nodes within bounds (``YAMLBounds``). JSON is a subset of YAML.
package enum YAMLText {
    /// The largest file that is read, in bytes.
    package static let maximumLength = 8 << 20

    /// Why a text is none, and where; both numbers are counted from 1.
    package struct Mistake: Error, Sendable {
        package let message: String
        package var line: Int?
        package var column: Int?
    }

    /// The content of a file.
    package static func contents(of path: String) throws(Mistake) -> String {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw Mistake(message: "cannot be read: \(String(cString: strerror(errno)))")
        }
        let data: Data?
        do {
            data = try handle.read(upToCount: maximumLength + 1)
        } catch {
            throw Mistake(message: "cannot be read: \(error.localizedDescription)")
        }
        guard let data, data.count <= maximumLength else {
            throw Mistake(
                message: data == nil ? "the file is empty" : "the file is too long (limit \(maximumLength) bytes)")
        }
        // Editors on Windows begin files with a byte-order mark.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        guard let text = String(validating: data.starts(with: mark) ? data.dropFirst(mark.count) : data, as: UTF8.self)
        else {
            throw Mistake(message: "not UTF-8 text")
        }
        return text
    }

    /// The root node of a text.
    package static func root(of text: String) throws(Mistake) -> Yams.Node {
        func fail(_ message: String, _ mark: Mark? = nil) -> Mistake {
            Mistake(message: message, line: mark?.line, column: mark?.column)
        }
        guard !text.utf8.contains(0) else { throw fail("not a text file (contains a NUL byte)") }
        do throws(YAMLBounds.Violation) {
            try YAMLBounds.check(text)
        } catch {
            throw Mistake(message: error.message, line: error.place?.line, column: error.place?.column)
        }
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
            let keys = duplicates.sorted().prefix(3).map { "\"\(shortened($0))\"" }.joined(separator: ", ")
            throw fail("duplicate key: \(keys)\(duplicates.count > 3 ? ", …" : "")", context.mark)
        } catch YamlError.reader(let problem, _, _, _) {
            throw fail("not valid YAML: \(problem)")
        } catch {
            throw fail("not valid YAML: \("\(error)".split(whereSeparator: \.isNewline).first ?? "")")
        }
        guard let node else { throw fail("the file is empty") }
        return node
    }

    /// A text for one line of a message.
    package static func shortened(_ text: String) -> String {
        let line = text.map { $0.isNewline ? " " : String($0) }.joined()
        return line.count <= 60 ? line : line.prefix(60) + "…"
    }
}
