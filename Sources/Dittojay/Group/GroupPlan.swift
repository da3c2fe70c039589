/// What several peripherals of one process are to be.
package struct GroupPlan: Hashable, Swift.Sendable {
    /// One of the peripherals.
    package struct Member: Hashable, Swift.Sendable {
        package var profile: PeripheralProfile
        /// The name that it advertises.
        package var localName: String
        package var seed: UInt64
    }

    package var members: [Member]

    /// What a name has instead of the number.
    package static let numberMark = "{n}"

    /// - Parameters:
    ///   - profiles: one for each peripheral.
    ///   - name: the names of all, with `{n}` for the number, which is appended to a name without it.
    ///     Nil: each profile's name, with the number where several have the same.
    ///   - seed: the seed that those of the peripherals follow from. A single peripheral has it itself.
    package init(profiles: [PeripheralProfile], name: String?, seed: UInt64) {
        var counts: [String: Int] = [:]
        for profile in profiles { counts[profile.localName, default: 0] += 1 }
        members = profiles.enumerated().map { index, profile in
            let number = index + 1
            let localName =
                if let name {
                    profiles.count == 1 && !name.contains(Self.numberMark) ? name : Self.name(name, number: number)
                } else {
                    counts[profile.localName] == 1 ? profile.localName : Self.name(profile.localName, number: number)
                }
            return Member(
                profile: profile, localName: localName,
                seed: profiles.count == 1 ? seed : Self.seed(seed, member: number))
        }
    }

    private static func name(_ pattern: String, number: Int) -> String {
        pattern.contains(numberMark)
            ? pattern.replacing(numberMark, with: "\(number)") : "\(pattern) \(number)"
    }

    /// The seed of the `number`th peripheral: another one for each, of 32 bits as those that are drawn by lot, so that
    /// they are easily typed.
    private static func seed(_ seed: UInt64, member number: Int) -> UInt64 {
        var generator = SeededGenerator(seed: seed)
        return UInt64(UInt32(truncatingIfNeeded: generator.next()) &+ UInt32(truncatingIfNeeded: number))
    }
}
