/// What is wrong with a profile file, or doubtful, and where.
public struct ProfileFileError: Error, Hashable, CustomStringConvertible, Swift.Sendable {
    /// As it was named.
    public var file: String
    /// Counted from 1; nil if it is not in a certain place.
    public var line: Int?
    public var column: Int?
    /// The keys that lead there, such as `services[0].characteristics[1].uuid`; empty for the whole file.
    public var keyPath: String
    /// What is wrong, and what would be right.
    public var message: String
    /// What else is wrong, in the order of the file; at most a hundred mistakes are looked for.
    public var others: [ProfileFileError]
    /// Whether it would not be there without another mistake, so that it need not be reported.
    var isConsequence = false

    init(
        file: String, line: Int? = nil, column: Int? = nil, keyPath: String, message: String,
        others: [ProfileFileError] = []
    ) {
        self.file = file
        self.line = line
        self.column = column
        self.keyPath = keyPath
        self.message = message
        self.others = others
    }

    /// It and the others.
    public var all: [ProfileFileError] {
        var first = self
        first.others = []
        return [first] + others
    }

    /// `thermometer.yaml:7:15: services[0].uuid: "18" is no UUID: …`, on one line.
    public var description: String {
        var text = file
        if let line, let column { text += ":\(line):\(column)" }
        text += ": "
        if !keyPath.isEmpty { text += keyPath + ": " }
        return text + message
    }
}
