import PlainText

/// A mistake in a profile file, or a warning about it, and its place.
public struct ProfileFileError: Error, Hashable, CustomStringConvertible, Swift.Sendable {
    /// The file's path, as it was given.
    public var file: String
    /// Counted from 1; nil if it has no certain place.
    public var line: Int?
    public var column: Int?
    /// The keys that lead there, such as `services[0].characteristics[1].uuid`; empty for the whole file.
    public var keyPath: String
    /// What is wrong, and what would be right.
    public var message: String
    /// The other mistakes, in the order of the file, at most a hundred in all.
    public var others: [ProfileFileError]

    init(_ mistake: FileMistake, file: String) {
        self.file = file
        line = mistake.place?.line
        column = mistake.place?.column
        keyPath = mistake.path
        message = mistake.message
        others = []
    }

    /// This mistake and the others.
    public var all: [ProfileFileError] {
        var first = self
        first.others = []
        return [first] + others
    }

    /// `thermometer.yaml:7:15: services[0].uuid: "18" is neither a UUID nor …`, on one line.
    public var description: String {
        var text = file
        if let line, let column { text += ":\(line):\(column)" }
        text += ": "
        if !keyPath.isEmpty { text += keyPath + ": " }
        return text + message
    }
}
