/// A value of a capture, and what of it the device changes by itself.
package struct CapturedValue: Hashable, Sendable {
    package let bytes: [UInt8]
    /// Nil if the value is always this one.
    let variation: Variation?
    /// Whether it may be only the beginning: the central has not asked for the rest.
    let isBeginning: Bool

    init(_ bytes: [UInt8], _ variation: Variation? = nil, isBeginning: Bool = false) {
        self.bytes = bytes
        self.variation = variation
        self.isBeginning = isBeginning
    }

    /// In what values of one characteristic differ.
    struct Variation: Hashable, Sendable {
        /// The first byte that differs. What follows it may differ, too: the lowest byte of a number comes first.
        let first: Int
        let isLengthFixed: Bool

        /// Nil if they are the same.
        init?(_ values: some Collection<[UInt8]>) {
            guard let one = values.first, values.contains(where: { $0 != one }) else { return nil }
            let common = values.map { value in zip(value, one).prefix { $0 == $1 }.count }
            first = common.min() ?? 0
            isLengthFixed = values.allSatisfy { $0.count == one.count }
        }
    }

    package enum Match: Hashable, Sendable {
        case same
        /// Different in what varies.
        case varied
        case different
    }

    package func match(_ value: [UInt8]) -> Match {
        if value == bytes || (isBeginning && value.starts(with: bytes)) { return .same }
        guard let variation, value.prefix(variation.first) == bytes.prefix(variation.first),
            isBeginning || !variation.isLengthFixed || value.count == bytes.count
        else { return .different }
        return .varied
    }
}

/// What a device changes by itself: a value that differs from the one before, although nothing was written meanwhile.
struct ObservedVariation {
    /// Of reads and of what is sent by itself, by the handle of the value.
    private(set) var handles: [UInt16: CapturedValue.Variation] = [:]
    /// Of the answers to writes, by their packets.
    private(set) var answers: [Int: CapturedValue.Variation] = [:]
    /// The writes, by their packets, whose answers differ in number.
    private(set) var irregularWrites: Set<Int> = []

    /// - Parameter isValue: whether a handle is that of a characteristic's value.
    init(_ sessions: [Session], _ writeAnswers: WriteAnswers, isValue: (UInt16) -> Bool) {
        findChanges(sessions, writeAnswers, isValue)
        for group in Dictionary(grouping: writeAnswers.occurrences, by: { [$0.handle.bigEndianBytes, $0.value] }).values
        where group.count > 1 {
            compare(group)
        }
    }

    private mutating func findChanges(
        _ sessions: [Session], _ writeAnswers: WriteAnswers, _ isValue: (UInt16) -> Bool
    ) {
        var known: [UInt16: [UInt8]] = [:]
        var values: [UInt16: Set<[UInt8]>] = [:]
        var changing: Set<UInt16> = []
        for event in sessions.flatMap(\.events) {
            switch event.kind {
            case .write(let handle, _, _, _), .truncatedWrite(let handle):
                if isValue(handle) { known = known.filter { writeAnswers.independent.contains($0.key) } }
            case .value(let handle, _, _) where writeAnswers.answering.contains(handle): break
            case .read(let handle, .success(let value)), .value(let handle, let value, _):
                if let former = known.updateValue(value, forKey: handle), former != value { changing.insert(handle) }
                values[handle, default: []].insert(value)
            default: break
            }
        }
        for handle in changing { handles[handle] = values[handle].flatMap { CapturedValue.Variation($0) } }
    }

    /// - Parameter group: the writes of one value to one characteristic.
    private mutating func compare(_ group: [WriteAnswers.Occurrence]) {
        guard let first = group.first else { return }
        let isRegular = group.allSatisfy { $0.answers.map(\.handle) == first.answers.map(\.handle) }
        for index in first.answers.indices where isRegular {
            let variation = CapturedValue.Variation(group.map { $0.answers[index].value })
            for write in group { answers[write.packets[index]] = variation }
        }
        if !isRegular { irregularWrites.formUnion(group.map(\.mark.number)) }
    }
}

extension UInt16 {
    fileprivate var bigEndianBytes: [UInt8] { [UInt8(self >> 8), UInt8(truncatingIfNeeded: self)] }
}
