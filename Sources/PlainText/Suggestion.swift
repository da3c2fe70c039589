/// Finds the word that a user may have meant.
package enum Suggestion {
    /// ` (did you mean "name"?)`, or nothing if no known word is near.
    package static func text(for word: String, among known: some Sequence<String>) -> String {
        nearest(to: word, among: known).map { " (did you mean \"\($0)\"?)" } ?? ""
    }

    /// The known word that takes the fewest changes, if those are few for its length.
    package static func nearest(to word: String, among known: some Sequence<String>) -> String? {
        // No known word is that long, and the time grows with the product of the lengths.
        guard word.utf8.count <= 64 else { return nil }
        let candidates = known.map { (word: $0, distance: distance(word.lowercased(), $0.lowercased())) }
        guard let best = candidates.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, best.word.utf8.count / 3) ? best.word : nil
    }

    /// How many characters have to be inserted, deleted, replaced or swapped with their neighbour.
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
