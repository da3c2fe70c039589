/// A mistake in a file or a request, or a warning about it, and its place.
package struct FileMistake: Error, Equatable, Sendable, CustomStringConvertible {
    /// Nil if it has no certain one, as in JSON.
    package let place: DataNode.Place?
    /// The keys that lead there, such as `phantoms.beacon.interval`; empty for the whole file.
    package let path: String
    /// What is wrong, and what would be right.
    package let message: String
    /// Whether it follows from another mistake, so that it is not reported.
    var isConsequence = false

    package init(_ message: String, at place: DataNode.Place? = nil, path: String = "") {
        (self.place, self.path, self.message) = (place, path, message)
    }

    /// `7:15: walls[0].loss: expected …`, on one line.
    package var description: String {
        let begin = place.map { "\($0.line):\($0.column): " } ?? ""
        return begin + (path.isEmpty ? "" : path + ": ") + message
    }
}

/// All mistakes of a file, in its order, at most ``FileContext/maximumMistakes``.
package struct FileMistakes: Error, Equatable, Sendable, CustomStringConvertible {
    package let first: FileMistake
    package let others: [FileMistake]

    package var all: [FileMistake] { [first] + others }

    package var description: String { all.map(\.description).joined(separator: "\n") }
}
