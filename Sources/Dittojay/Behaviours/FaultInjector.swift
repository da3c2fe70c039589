/// Counts what happens to a characteristic, and decides when a fault occurs. Used on the peripheral's queue only.
struct FaultInjector {
    private struct Entry {
        let fault: Fault
        var seen = 0
        var hits = 0
        /// Whether chance has it happen on the next occasion that may be one.
        var isDrawn: Bool

        init(_ fault: Fault, _ generator: inout SeededGenerator) {
            self.fault = fault
            isDrawn = Self.draw(fault, &generator)
        }

        /// Nothing is drawn for a fault that is certain, so that the others are the same with and without it.
        private static func draw(_ fault: Fault, _ generator: inout SeededGenerator) -> Bool {
            fault.chance >= 100 || generator.unit() * 100 < fault.chance
        }

        var isUsedUp: Bool { hits >= fault.times ?? .max }
        var isDue: Bool { isDrawn && isCandidate && !isUsedUp }
        private var isCandidate: Bool { seen >= fault.skip && (seen - fault.skip + 1) % fault.nth == 0 }

        /// - Parameter isHit: whether it happens on this occasion.
        mutating func count(isHit: Bool, _ generator: inout SeededGenerator) {
            if isHit { hits += 1 }
            if isCandidate { isDrawn = Self.draw(fault, &generator) }
            seen += 1
        }
    }

    private var entries: [Entry] = []
    private var generator: SeededGenerator

    /// - Parameter seed: decides about faults with a probability.
    init(_ faults: [Fault], seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        for fault in faults { entries.append(Entry(fault, &generator)) }
    }

    /// The faults that are not used up.
    var faults: [Fault] { entries.filter { !$0.isUsedUp }.map(\.fault) }

    /// How many of them there are.
    var count: Int { entries.count { !$0.isUsedUp } }

    mutating func add(_ fault: Fault) {
        entries.removeAll(where: \.isUsedUp)
        entries.append(Entry(fault, &generator))
    }

    mutating func clear() {
        entries = []
    }

    /// What goes wrong the next time, without counting it.
    func upcoming(_ trigger: Fault.Trigger) -> Fault.Action? {
        entries.first { $0.fault.trigger == trigger && $0.isDue }?.fault.action
    }

    /// Counts an event. If several faults are due, the first one happens.
    ///
    /// - Returns: what goes wrong with it.
    mutating func hit(_ trigger: Fault.Trigger) -> Fault.Action? {
        let due = entries.firstIndex { $0.fault.trigger == trigger && $0.isDue }
        for index in entries.indices where entries[index].fault.trigger == trigger {
            entries[index].count(isHit: index == due, &generator)
        }
        return due.map { entries[$0].fault.action }
    }

    /// Starts to count the events of this kind again; the number of faults that have occurred is kept.
    mutating func restart(_ trigger: Fault.Trigger) {
        for index in entries.indices where entries[index].fault.trigger == trigger { entries[index].seen = 0 }
    }
}
