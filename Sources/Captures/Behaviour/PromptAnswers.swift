import Foundation

/// Which characteristics answer nearly each write at once, although they also send by themselves: so much more often
/// than by chance that a value shortly after a write is its answer.
struct PromptAnswers {
    /// A characteristic that is written, and one that sends, by the handles of their values.
    struct Pair: Hashable {
        let written: UInt16
        let sender: UInt16
    }

    private(set) var pairs: Set<Pair> = []
    /// Senders of which some values may be answers, which is not certain enough.
    private(set) var uncertain: Set<UInt16> = []

    /// How long after a write, or the answer before, a value still counts as an answer, in seconds.
    static let maximumDelay = 0.5
    private static let minimumWrites = 3
    private static let minimumShare = 0.8
    /// How many times as probable as chance an answer must be.
    private static let minimumRatio = 4.0

    /// How often a sender's values came shortly after writes of another characteristic.
    private struct Tally {
        /// The writes that a value followed.
        var hits = 0
        var values = 0
    }

    init(_ answers: WriteAnswers) {
        var writes: [UInt16: Int] = [:]
        var tallies: [Pair: Tally] = [:]
        for occurrence in answers.candidates {
            writes[occurrence.handle, default: 0] += 1
            Self.count(occurrence, &tallies)
        }
        for (pair, tally) in tallies where answers.sendsByItself(pair.sender) {
            let count = writes[pair.written] ?? 0
            let share = Double(tally.hits) / Double(max(1, count))
            let time = max(1, answers.duration - Self.maximumDelay * Double(count))
            let rate = Double((answers.totals[pair.sender] ?? 0) - tally.values) / time
            let ratio = share / (1 - exp(-Self.maximumDelay * rate))
            if count >= Self.minimumWrites, share >= Self.minimumShare, ratio >= Self.minimumRatio {
                pairs.insert(pair)
            } else if share >= Self.minimumShare || ratio >= Self.minimumRatio {
                uncertain.insert(pair.sender)
            }
        }
        uncertain.subtract(pairs.map(\.sender))
    }

    private static func count(_ occurrence: WriteAnswers.Occurrence, _ tallies: inout [Pair: Tally]) {
        var time = 0.0
        var senders: Set<UInt16> = []
        for (answer, delay) in zip(occurrence.answers, occurrence.delays) {
            time += delay
            guard time <= maximumDelay else { return }
            let pair = Pair(written: occurrence.handle, sender: answer.handle)
            tallies[pair, default: Tally()].values += 1
            if senders.insert(answer.handle).inserted { tallies[pair, default: Tally()].hits += 1 }
        }
    }
}
