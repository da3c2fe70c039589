/// What the answers to writes of the same value have in common.
struct AnswerAgreement {
    let answers: [WriteAnswers.Answer]
    /// The writes that were answered so.
    let occurrences: [WriteAnswers.Occurrence]
    let certainty: ObservedReactions.Certainty
    /// The packets that it explains.
    let packets: [Int]

    /// The usual answer, or else what all of them begin with, or else one of them. Nil without enough in common.
    init?(_ occurrences: [WriteAnswers.Occurrence]) {
        let answered = occurrences.filter { !$0.answers.isEmpty }
        let groups = Self.grouped(answered)
        guard let largest = groups.max(by: { $0.count < $1.count }), let first = largest.first else { return nil }
        let prefix = Self.commonPrefix(occurrences.map(\.answers))
        if Self.isMost(largest.count, of: occurrences.count) {
            answers = first.answers
            self.occurrences = largest
            certainty = largest.count == occurrences.count ? .certain : .usual(writes: occurrences.count)
        } else if !prefix.isEmpty {
            answers = prefix
            self.occurrences = occurrences
            certainty = .certain
        } else if occurrences.count >= Self.minimumWrites, Self.isMost(answered.count, of: occurrences.count) {
            answers = first.answers
            self.occurrences = largest
            certainty = .oneOf(groups.count)
            packets = answered.flatMap(\.packets)
            return
        } else {
            return nil
        }
        packets = occurrences.flatMap { [answers] occurrence in
            occurrence.packets.prefix(Self.commonPrefix([answers, occurrence.answers]).count)
        }
    }

    /// How often the value was written.
    var writes: Int {
        if case .usual(let writes) = certainty { writes } else { occurrences.count }
    }

    /// For an answer that is one of several.
    private static let minimumWrites = 3

    private static func isMost(_ count: Int, of all: Int) -> Bool { 4 * count >= 3 * all }

    private static func commonPrefix(_ all: [[WriteAnswers.Answer]]) -> [WriteAnswers.Answer] {
        guard var prefix = all.first?[...] else { return [] }
        for answers in all.dropFirst() {
            prefix = prefix.prefix(zip(prefix, answers).prefix { $0 == $1 }.count)
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
