/// Counts the occasions of a phantom's faults, on all its links, and decides when one happens.
final class FaultInjector {
    struct Entry {
        let fault: PhantomPeripheral.Fault
        /// The characteristic whose requests it is about; nil for any request.
        let characteristic: AttributeType?
        fileprivate var seen = 0
        fileprivate var hits = 0

        init(_ fault: PhantomPeripheral.Fault, of characteristic: AttributeType?) {
            self.fault = fault
            self.characteristic = characteristic
        }
    }

    private(set) var entries: [Entry]
    private var random: RandomSource

    init(_ peripheral: PhantomPeripheral, seed: UInt64) {
        entries = peripheral.services.flatMap(\.characteristics).flatMap { characteristic in
            characteristic.faults.map { Entry($0, of: characteristic.uuid) }
        }
        entries += peripheral.faults.map { Entry($0, of: nil) }
        random = RandomSource(seed: seed)
    }

    /// Counts an occasion of some faults. If several are due, the first one happens.
    ///
    /// - Returns: what goes wrong.
    func hit(where isTriggered: (_ index: Int, Entry) -> Bool) -> PhantomPeripheral.Fault.Action? {
        var due: Int?
        for index in entries.indices where isTriggered(index, entries[index]) {
            let fault = entries[index].fault
            entries[index].seen += 1
            let further = entries[index].seen - fault.skip
            guard further > 0, further % fault.nth == 0, entries[index].hits < fault.times ?? .max else { continue }
            // Nothing is drawn for a fault that is certain, so that the others are the same with and without it.
            guard fault.chance >= 100 || random.unit() * 100 < fault.chance else { continue }
            due = due ?? index
        }
        guard let due else { return nil }
        entries[due].hits += 1
        return entries[due].fault.action
    }
}
