/// What the answers to writes of the same value have in common.
struct AnswerAgreement {
    let answers: [WriteAnswers.Answer]
    /// The writes that were answered so.
    let occurrences: [WriteAnswers.Occurrence]
    let certainty: ObservedReactions.Certainty
    /// The packets that it explains.
    let packets: [Int]

    /// Nil without enough in common.
    init?(_ occurrences: [WriteAnswers.Occurrence]) {
        let prefix = Self.commonPrefix(occurrences)
        guard prefix.isEmpty else {
            answers = prefix
            self.occurrences = occurrences
            certainty = .certain
            packets = occurrences.flatMap { $0.packets.prefix(prefix.count) }
            return
        }
        let answered = occurrences.filter { !$0.answers.isEmpty }
        let groups = Self.grouped(answered)
        guard let largest = groups.max(by: { $0.count < $1.count }), let first = largest.first else { return nil }
        if Self.isMost(largest.count, of: occurrences.count) {
            certainty = .usual(writes: occurrences.count)
            packets = largest.flatMap(\.packets)
        } else if occurrences.count >= Self.minimumWrites, Self.isMost(answered.count, of: occurrences.count) {
            certainty = .oneOf(groups.count)
            packets = answered.flatMap(\.packets)
        } else {
            return nil
        }
        answers = first.answers
        self.occurrences = largest
    }

    /// How often the value was written.
    var writes: Int {
        if case .usual(let writes) = certainty { writes } else { occurrences.count }
    }

    /// For an answer that is one of several.
    private static let minimumWrites = 3

    private static func isMost(_ count: Int, of all: Int) -> Bool { 4 * count >= 3 * all }

    private static func commonPrefix(_ occurrences: [WriteAnswers.Occurrence]) -> [WriteAnswers.Answer] {
        guard var prefix = occurrences.first?.answers[...] else { return [] }
        for occurrence in occurrences.dropFirst() {
            prefix = prefix.prefix(zip(prefix, occurrence.answers).prefix { $0 == $1 }.count)
        }
        return Array(prefix)
    }

    /// By their answers, in the order in which these came first.
    private static func grouped(_ occurrences: [WriteAnswers.Occurrence]) -> [[WriteAnswers.Occurrence]] {
        Dictionary(grouping: occurrences, by: \.answers).values.sorted { left, right in
            (left.first?.mark.number ?? 0) < (right.first?.mark.number ?? 0)
        }
    }
}
