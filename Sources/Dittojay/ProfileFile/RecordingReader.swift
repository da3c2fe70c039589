import GATTProfiles
import PlainText

/// Reads a recording. A file can have a hundred thousand of its values, so each of them is one scalar.
struct RecordingReader {
    private let index: AttributeIndex
    /// The characteristics by their names, as they are written.
    private var paths: [Substring: CharacteristicPath] = [:]

    private static let form = "a time, a characteristic and a value, as 1.5 s heart-rate-measurement hex:0648"

    init(_ index: AttributeIndex) {
        self.index = index
    }

    mutating func recording(_ node: FileNode) throws(FileMistake) -> Recording {
        let members = try node.mapping(of: "a recording", keys: ProfileKeys.recording)
        let context = node.context
        let pace = context.attempt(try members["pace"]?.number(in: Recording.possiblePaces)) ?? 1
        let repeats = context.attempt(try members["repeat"]?.flag()) ?? false
        let values = try members.required("values")
        return Recording(values: try self.values(values), pace: pace, repeats: repeats)
    }

    private mutating func values(_ node: FileNode) throws(FileMistake) -> [Recording.Value] {
        let nodes = try node.list(of: "values")
        guard Recording.possibleCounts.contains(nodes.count) else {
            throw node.fail("expected \(Recording.possibleCounts) values in a recording, found \(nodes.count)")
        }
        var values: [Recording.Value] = []
        values.reserveCapacity(nodes.count)
        for node in nodes {
            guard let value = node.context.attempt(try value(node)) else { continue }
            if let last = values.last, value.time < last.time {
                node.context.note(
                    node.fail(
                        "the time is earlier than that of the previous value, \(Duration.text(seconds: last.time))"))
            }
            values.append(value)
        }
        return values
    }

    private mutating func value(_ node: FileNode) throws(FileMistake) -> Recording.Value {
        var rest = try node.text(Self.form)[...]
        func word() -> Substring {
            let word = rest.prefix { $0 != " " }
            rest = rest.dropFirst(word.count).drop { $0 == " " }
            return word
        }
        var time = String(word())
        // "1.5 s" as well as "1.5s".
        if time.last?.isLetter == false { time += " " + word() }
        let name = word()
        guard !rest.isEmpty else { throw node.fail(expecting: Self.form) }
        let seconds = try node.with(time).seconds(within: Recording.possibleTimes)
        return Recording.Value(
            time: seconds, characteristic: try path(name, node), bytes: try node.with(String(rest)).value())
    }

    private mutating func path(_ name: Substring, _ node: FileNode) throws(FileMistake) -> CharacteristicPath {
        if let known = paths[name] { return known }
        let path = try index.sender(node.with(String(name)), near: nil)
        paths[name] = path
        return path
    }
}

extension FileNode {
    /// A part of a scalar's text, at the same place.
    fileprivate func with(_ part: String) -> FileNode {
        FileNode(.scalar(part, data.place), path: path, context: context)
    }
}
