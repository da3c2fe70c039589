/// The names of a field's bits, and of numbers that several of them make together.
struct BitNames: Hashable, Swift.Sendable {
    /// Bits that are one number, and what it means.
    private struct Group: Hashable, Swift.Sendable {
        let lowest: Int
        let highest: Int
        var meanings: [UInt64: String] = [:]

        var mask: UInt64 { (UInt64.max >> UInt64(63 - (highest - lowest))) << UInt64(lowest) }
    }

    private var single: [Int: String] = [:]
    private var groups: [Group] = []

    /// - Parameter text: as in the table: `0=Battery Present|5-6.1=Charging`.
    init?(_ text: String) {
        for entry in text.split(separator: "|") {
            guard let equals = entry.firstIndex(of: "=") else { return nil }
            let bits = entry[..<equals].split(whereSeparator: { $0 == "-" || $0 == "." }).map { Int($0) }
            let name = String(entry[entry.index(after: equals)...])
            switch (bits.count, bits.first ?? nil, bits.dropFirst().first ?? nil, bits.last ?? nil) {
            case (1, let bit?, _, _) where bit < 64: single[bit] = name
            case (3, let lowest?, let highest?, let number?) where lowest < highest && highest < 64:
                let index = groups.firstIndex { $0.lowest == lowest && $0.highest == highest }
                if index == nil { groups.append(Group(lowest: lowest, highest: highest)) }
                groups[index ?? groups.count - 1].meanings[UInt64(number)] = name
            default: return nil
            }
        }
    }

    /// What is set, in the order of the bits: each bit that is 1 is in one of them, by a name or by its number.
    ///
    /// - Parameter silent: bits that are left out if they have no name.
    func names(of raw: UInt64, silent: UInt64) -> [String] {
        var names: [String] = []
        var left = raw
        for bit in 0..<64 where left >> UInt64(bit) & 1 == 1 {
            if let name = single[bit] {
                names.append(name)
            } else if let group = groups.first(where: { $0.mask >> UInt64(bit) & 1 == 1 }) {
                let number = (raw & group.mask) >> UInt64(group.lowest)
                names.append(group.meanings[number] ?? "bits \(group.lowest)-\(group.highest): \(number)")
                left &= ~group.mask
            } else if silent >> UInt64(bit) & 1 == 0 {
                names.append("bit \(bit)")
            }
        }
        return names
    }
}
