/// What was probably meant by a mistyped word.
package enum Nearest {
    /// ` (did you mean "name"?)`, or nothing.
    package static func text(_ word: String, among known: some Sequence<String>) -> String {
        self.word(word, among: known).map { " (did you mean \"\($0)\"?)" } ?? ""
    }

    package static func word(_ word: String, among known: some Sequence<String>) -> String? {
        guard 1...40 ~= word.utf8.count else { return nil }
        let letters = Array(word.lowercased())
        var best: (word: String, distance: Int)?
        for candidate in known.prefix(500) {
            let distance = distance(letters, Array(candidate.lowercased()))
            if distance <= max(1, candidate.utf8.count / 3), distance < best?.distance ?? .max {
                best = (candidate, distance)
            }
        }
        return best?.word
    }

    /// How many letters have to be inserted, deleted, replaced or swapped with their neighbour.
    private static func distance(_ first: [Character], _ second: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...second.count)
        for (row, letter) in first.enumerated() {
            var current = [row + 1]
            for (column, other) in second.enumerated() {
                let changed = last[column] + (letter == other ? 0 : 1)
                var best = min(changed, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[second.count]
    }
}
