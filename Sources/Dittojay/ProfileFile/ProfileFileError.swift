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

    /// `thermometer.yaml:7:15: services[0].uuid: "18" is no UUID: …`, on one line.
    public var description: String {
        var text = file
        if let line, let column { text += ":\(line):\(column)" }
        text += ": "
        if !keyPath.isEmpty { text += keyPath + ": " }
        return text + message
    }
}
