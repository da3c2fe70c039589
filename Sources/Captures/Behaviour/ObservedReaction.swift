/// What the writes to a characteristic do, as far as that is certain.
package struct ObservedReactions: Sendable {
    /// A value, or those that look alike, and its answers.
    package struct Reaction: Sendable {
        package let value: ValuePattern
        package let steps: [Step]
        /// How often it was seen.
        package let count: Int
        package let certainty: Certainty
        /// Where it was seen first.
        package let mark: PacketMark
    }

    /// Whether the answers to the same value were the same.
    package enum Certainty: Hashable, Sendable {
        /// Each time, at least at their beginning.
        case certain
        /// Most times.
        case usual(writes: Int)
        /// There were this many, which differ.
        case oneOf(Int)
    }

    package struct Step: Hashable, Sendable {
        /// Seconds before it.
        package let delay: Double
        package let handle: UInt16
        package let value: [UInt8]
    }

    /// The characteristic that sends back everything that is written.
    package internal(set) var echo: UInt16?
    package internal(set) var reactions: [Reaction] = []
    /// The packets that these explain: they are no part of a recording.
    package internal(set) var packets: Set<Int> = []
}

/// Finds reactions in the answers to the writes to one characteristic.
struct ReactionFinder {
    private let occurrences: [WriteAnswers.Occurrence]
    private var groups: [Group] = []
    private(set) var found = ObservedReactions()
    /// What cannot be said by reactions, and where.
    private(set) var leftOut: [ObservedDevice.Remark] = []

    /// The writes of one value.
    private struct Group {
        let value: [UInt8]
        var occurrences: [WriteAnswers.Occurrence]
    }

    /// A value, or several, with their answers.
    private struct Answered {
        let value: [UInt8]
        let agreement: AnswerAgreement
    }

    /// A profile with more of them is no longer one to read.
    private static let maximumReactions = 200
    /// How many values with the same answers make a pattern.
    private static let minimumFamily = 3
    /// Values are compared with each other within groups of this many only.
    private static let maximumGroups = 2000
    /// More is a transfer, and no answer.
    private static let maximumSteps = 64
    /// How long an answer that came only once may have taken, in seconds.
    private static let maximumSingleDelay = 0.5

    init(_ occurrences: [WriteAnswers.Occurrence]) {
        self.occurrences = occurrences
    }

    mutating func find() {
        if findEcho() { return }
        group()
        // Of a file that is sent, for example, only some pieces are confirmed: they say nothing by themselves.
        let answeredCount = occurrences.count { !$0.answers.isEmpty }
        let isProtocol = 2 * answeredCount >= occurrences.count
        var answered: [Answered] = []
        for group in groups {
            guard let agreement = AnswerAgreement(group.occurrences) else {
                explainDifference(group, "they stay in the recording")
                continue
            }
            guard agreement.answers.count <= Self.maximumSteps else { continue }
            let isQuick = group.occurrences.allSatisfy { $0.delays.allSatisfy { $0 <= Self.maximumSingleDelay } }
            guard group.occurrences.count > 1 || (isQuick && isProtocol) else { continue }
            answered.append(Answered(value: group.value, agreement: agreement))
            if agreement.certainty == .certain {
                explainDifference(group, "what they begin with is a reaction, the rest stays in the recording")
            }
        }
        addPatterns(&answered)
        for one in answered { add(ValuePattern(one.value), [one.agreement]) }
    }

    private mutating func group() {
        var numbers: [[UInt8]: Int] = [:]
        for occurrence in occurrences {
            if let number = numbers[occurrence.value] {
                groups[number].occurrences.append(occurrence)
            } else if groups.count < Self.maximumGroups {
                numbers[occurrence.value] = groups.count
                groups.append(Group(value: occurrence.value, occurrences: [occurrence]))
            }
        }
    }

    private mutating func findEcho() -> Bool {
        guard let target = occurrences.first?.answers.first?.handle, Set(occurrences.map(\.value)).count > 1,
            occurrences.allSatisfy({ $0.answers == [.init(handle: target, value: $0.value)] })
        else { return false }
        found.echo = target
        found.packets = Set(occurrences.flatMap(\.packets))
        return true
    }

    /// Values with the same answers become one, if no other value looks like them: those that begin alike, then those
    /// of the same length.
    private mutating func addPatterns(_ answered: inout [Answered]) {
        for isOpen in [true, false] {
            for family in Self.families(answered, isOpen: isOpen) where family.count >= Self.minimumFamily {
                guard let pattern = ValuePattern(family.map(\.value), isOpen: isOpen) else { continue }
                let members = Set(family.map(\.value))
                let hasOthers = groups.contains { !members.contains($0.value) && pattern.matches($0.value) }
                guard !hasOthers else { continue }
                answered.removeAll { members.contains($0.value) }
                add(pattern, family.map(\.agreement))
            }
        }
    }

    private struct Family: Hashable {
        /// Nil: any.
        let length: Int?
        let answers: [WriteAnswers.Answer]
    }

    /// - Parameter isOpen: whether they are values of different lengths.
    private static func families(_ answered: [Answered], isOpen: Bool) -> [[Answered]] {
        var families: [[Answered]] = []
        var numbers: [Family: Int] = [:]
        for one in answered where one.agreement.certainty.isShared {
            let family = Family(length: isOpen ? nil : one.value.count, answers: one.agreement.answers)
            if let number = numbers[family] {
                families[number].append(one)
            } else {
                numbers[family] = families.count
                families.append([one])
            }
        }
        return isOpen ? families.filter { Set($0.map(\.value.count)).count > 1 } : families
    }

    private mutating func add(_ value: ValuePattern, _ agreements: [AnswerAgreement]) {
        let all = agreements.flatMap(\.occurrences)
        guard let first = all.first, let answers = agreements.first?.answers,
            found.reactions.count < Self.maximumReactions
        else { return }
        let steps = answers.indices.map { index in
            ObservedReactions.Step(
                delay: Self.median(all.map { $0.delays[index] }), handle: answers[index].handle,
                value: answers[index].value)
        }
        found.reactions.append(
            .init(
                value: value, steps: steps, count: all.count, certainty: .of(agreements), mark: first.mark))
        found.packets.formUnion(agreements.flatMap(\.packets))
    }

    static func median(_ numbers: [Double]) -> Double {
        guard !numbers.isEmpty else { return 0 }
        return numbers.sorted()[numbers.count / 2]
    }

    /// Says in which bytes the answers to the same value differ.
    private mutating func explainDifference(_ group: Group, _ consequence: String) {
        guard let first = group.occurrences.first,
            let other = group.occurrences.first(where: { $0.answers != first.answers })
        else { return }
        let what: String
        if first.answers.count == other.answers.count,
            let (left, right) = zip(first.answers, other.answers).lazy.map({ ($0.value, $1.value) })
                .first(where: { $0 != $1 }),
            left.count == right.count
        {
            let bytes = left.indices.filter { left[$0] != right[$0] }.map(String.init)
            what = "differ in byte \(bytes.prefix(8).joined(separator: ", "))\(bytes.count > 8 ? " and more" : "")"
        } else {
            what = "differ in length or number"
        }
        leftOut.append(
            .init(
                text: "the answers to the same write, \(ValuePreview.text(group.value)), \(what): \(consequence)",
                packet: other.mark.number))
    }
}

extension ObservedReactions.Certainty {
    /// Whether other values may have the same answers for the same reason.
    fileprivate var isShared: Bool {
        if case .oneOf = self { false } else { true }
    }

    /// That of several values with the same answers.
    fileprivate static func of(_ agreements: [AnswerAgreement]) -> Self {
        guard agreements.contains(where: { $0.certainty != .certain }) else { return .certain }
        if let only = agreements.first, agreements.count == 1 { return only.certainty }
        return .usual(writes: agreements.reduce(0) { $0 + $1.writes })
    }
}

/// Values in sentences.
enum ValuePreview {
    /// The bytes in hexadecimal digits, the first ones of a long value.
    static func text(_ value: [UInt8]) -> String {
        guard !value.isEmpty else { return "an empty value" }
        let digits = value.prefix(20).map { byte in
            let text = String(byte, radix: 16)
            return text.utf8.count == 1 ? "0" + text : text
        }
        return digits.joined() + (value.count > 20 ? "… (\(value.count) bytes)" : "")
    }
}
