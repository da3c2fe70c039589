/// Counts what happens to a characteristic, and decides when something goes wrong. Used on the peripheral's queue only.
struct FaultInjector {
    private struct Entry {
        let fault: Fault
        var seen = 0
        var hits = 0

        var isDue: Bool { seen >= fault.skip && hits < fault.times ?? .max }
    }

    private var entries: [Entry]

    init(_ faults: [Fault]) {
        entries = faults.map { Entry(fault: $0) }
    }

    /// The faults that are not used up.
    var faults: [Fault] { entries.filter { $0.hits < $0.fault.times ?? .max }.map(\.fault) }

    /// How many of them there are.
    var count: Int { entries.count { $0.hits < $0.fault.times ?? .max } }

    mutating func add(_ fault: Fault) {
        entries.removeAll { $0.hits >= $0.fault.times ?? .max }
        entries.append(Entry(fault: fault))
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
        for index in entries.indices where entries[index].fault.trigger == trigger { entries[index].seen += 1 }
        guard let due else { return nil }
        entries[due].hits += 1
        return entries[due].fault.action
    }

    /// Starts to count the events of this kind again; the number of faults that have occurred is kept.
    mutating func restart(_ trigger: Fault.Trigger) {
        for index in entries.indices where entries[index].fault.trigger == trigger { entries[index].seen = 0 }
    }
}
