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

/// Finds what somebody may have meant.
enum Suggestion {
    /// ` (did you mean "name"?)`, or nothing if no known word is near.
    static func text(for word: String, among known: some Sequence<String>) -> String {
        nearest(to: word, among: known).map { " (did you mean \"\($0)\"?)" } ?? ""
    }

    /// The known word that takes the fewest changes, if those are few for its length.
    static func nearest(to word: String, among known: some Sequence<String>) -> String? {
        // No known word is that long, and the time goes with the product of the lengths.
        guard word.utf8.count <= 64 else { return nil }
        let candidates = known.map { (word: $0, distance: distance(word.lowercased(), $0.lowercased())) }
        guard let best = candidates.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, best.word.utf8.count / 3) ? best.word : nil
    }

    /// How many characters have to be put in, left out, replaced or swapped with their neighbour.
    private static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first), Array(second))
        var beforeLast: [Int] = []
        var last = Array(0...second.count)
        for row in first.indices {
            var current = [row + 1]
            for column in second.indices {
                var best = min(last[column + 1] + 1, current[column] + 1)
                best = min(best, last[column] + (first[row] == second[column] ? 0 : 1))
                if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[second.count]
    }
}
