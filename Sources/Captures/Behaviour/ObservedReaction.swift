/// What the writes to a characteristic do, as far as that is certain.
package struct ObservedReactions: Sendable {
    /// A value, or those that look alike, and its answers.
    package struct Reaction: Sendable {
        /// Nil stands for any byte.
        package let value: [UInt8?]
        package let steps: [Step]
        /// How often it was seen.
        package let count: Int
        /// Where it was seen first.
        package let mark: PacketMark
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

        /// The answers, if they are the same each time.
        var answers: [WriteAnswers.Answer]? {
            guard let first = occurrences.first else { return nil }
            return occurrences.allSatisfy { $0.answers == first.answers } ? first.answers : nil
        }
    }

    /// A profile with more of them is no longer one to read.
    private static let maximumReactions = 200
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
        var numbers: [[UInt8]: Int] = [:]
        for occurrence in occurrences {
            if let number = numbers[occurrence.value] {
                groups[number].occurrences.append(occurrence)
            } else if groups.count < Self.maximumGroups {
                numbers[occurrence.value] = groups.count
                groups.append(Group(value: occurrence.value, occurrences: [occurrence]))
            }
        }
        // Of a file that is sent, for example, only some pieces are confirmed: they say nothing by themselves.
        let answered = occurrences.count { !$0.answers.isEmpty }
        let isProtocol = 2 * answered >= occurrences.count
        var certain: [Group] = []
        for group in groups {
            guard let answers = group.answers else {
                explainDifference(group)
                continue
            }
            guard !answers.isEmpty, answers.count <= Self.maximumSteps else { continue }
            let isQuick = group.occurrences.allSatisfy { $0.delays.allSatisfy { $0 <= Self.maximumSingleDelay } }
            guard group.occurrences.count > 1 || (isQuick && isProtocol) else { continue }
            certain.append(group)
        }
        addPatterns(&certain)
        for group in certain { add(group.value, [group]) }
    }

    private mutating func findEcho() -> Bool {
        guard let target = occurrences.first?.answers.first?.handle, Set(occurrences.map(\.value)).count > 1,
            occurrences.allSatisfy({ $0.answers == [.init(handle: target, value: $0.value)] })
        else { return false }
        found.echo = target
        found.packets = Set(occurrences.flatMap(\.packets))
        return true
    }

    /// Values of the same length with the same answers become one, if no other value looks like them.
    private mutating func addPatterns(_ certain: inout [Group]) {
        var families: [[Group]] = []
        var numbers: [Family: Int] = [:]
        for group in certain {
            let family = Family(length: group.value.count, answers: group.answers ?? [])
            if let number = numbers[family] {
                families[number].append(group)
            } else {
                numbers[family] = families.count
                families.append([group])
            }
        }
        for family in families where family.count >= 3 {
            guard let pattern = Self.pattern(family.map(\.value)), pattern.contains(where: { $0 != nil }) else {
                continue
            }
            let members = Set(family.map(\.value))
            let hasOthers = groups.contains { !members.contains($0.value) && Self.matches($0.value, pattern) }
            guard !hasOthers else { continue }
            certain.removeAll { members.contains($0.value) }
            add(pattern, family)
        }
    }

    private struct Family: Hashable {
        let length: Int
        let answers: [WriteAnswers.Answer]
    }

    /// What values of one length have in common.
    private static func pattern(_ values: [[UInt8]]) -> [UInt8?]? {
        guard let first = values.first else { return nil }
        return first.indices.map { index in
            values.allSatisfy { index < $0.count && $0[index] == first[index] } ? first[index] : nil
        }
    }

    private static func matches(_ value: [UInt8], _ pattern: [UInt8?]) -> Bool {
        value.count == pattern.count && zip(value, pattern).allSatisfy { $1 == nil || $0 == $1 }
    }

    private mutating func add(_ value: [UInt8?], _ groups: [Group]) {
        let all = groups.flatMap(\.occurrences)
        guard let first = all.first, found.reactions.count < Self.maximumReactions else { return }
        let steps = first.answers.indices.map { index in
            ObservedReactions.Step(
                delay: Self.median(all.map { $0.delays[index] }), handle: first.answers[index].handle,
                value: first.answers[index].value)
        }
        found.reactions.append(.init(value: value, steps: steps, count: all.count, mark: first.mark))
        found.packets.formUnion(all.flatMap(\.packets))
    }

    static func median(_ numbers: [Double]) -> Double {
        guard !numbers.isEmpty else { return 0 }
        return numbers.sorted()[numbers.count / 2]
    }

    /// Says in which bytes the answers to the same value differ.
    private mutating func explainDifference(_ group: Group) {
        guard let first = group.occurrences.first,
            let other = group.occurrences.first(where: { $0.answers != first.answers })
        else { return }
        let what: String
        if let left = first.answers.first?.value, let right = other.answers.first?.value, left.count == right.count,
            first.answers.count == other.answers.count, left != right
        {
            let bytes = left.indices.filter { left[$0] != right[$0] }.map(String.init)
            what = "differ in byte \(bytes.prefix(8).joined(separator: ", "))\(bytes.count > 8 ? " and more" : "")"
        } else {
            what = "differ in length or number"
        }
        leftOut.append(
            .init(
                text:
                    "the answers to the same write, \(ValuePreview.text(group.value)), \(what): they stay in the recording",
                packet: other.mark.number))
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
