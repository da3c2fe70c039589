/// A fault as it is written in a profile, a scenario or a scene: which one, and on which occurrences of its trigger.
package struct FaultEntry {
    package let action: FaultAction
    /// The action's key and value.
    package let member: FileMapping.Member
    /// How many occurrences pass first.
    package let skip: Int
    /// It happens on each one of so many further occurrences: the third, the sixth, … if 3.
    package let nth: Int
    /// How often it happens; each time if nil.
    package let times: Int?
    /// With which probability it happens on each further occurrence, in percent.
    package let chance: Double

    /// The limits of ``skip``, ``nth`` and ``times``; the last two are at least 1.
    package static let possibleCounts = 0...1_000_000_000
    /// The limits of ``chance`` in percent. It is above the lower one.
    package static let possibleChances = 0.0...100.0
    /// The keys besides the trigger's and the action's.
    package static let keys = ["after", "nth", "times", "chance"]

    /// Reads what all faults have; the action's value is left to the caller.
    ///
    /// - Parameters:
    ///   - owner: who has the fault: `a phantom`.
    ///   - actions: those that the owner can do.
    ///   - others: the keys that the caller reads.
    ///   - readTrigger: reads the trigger.
    package init(
        _ node: FileNode, of owner: String, _ actions: [FaultAction], others: [String],
        readTrigger: (FileMapping) throws(FileMistake) -> Void
    ) throws(FileMistake) {
        let names = FaultAction.names(of: actions)
        let all = try node.anyMapping(of: "a fault").members
        if let other = all.first(where: { !names.contains($0.key) && FaultAction(rawValue: $0.key) != nil }) {
            throw other.keyNode.fail("\(owner) has no fault \"\(other.key)\"; valid: \(names.joined(separator: ", "))")
        }
        let members = try node.mapping(of: "a fault", keys: others + Self.keys + names)
        let context = node.context
        skip = context.attempt(try members["after"]?.integer(in: Self.possibleCounts)) ?? 0
        nth = context.attempt(try members["nth"]?.integer(in: 1...Self.possibleCounts.upperBound)) ?? 1
        times = context.attempt(try members["times"]?.integer(in: 1...Self.possibleCounts.upperBound))
        chance = context.attempt(try members["chance"]?.chance()) ?? 100
        _ = context.attempt(try readTrigger(members))
        member = try members.exactlyOne(of: names)
        // It is one of these names.
        guard let action = FaultAction(rawValue: member.key) else { throw node.consequence() }
        self.action = action
        switch action {
        case .noAnswer, .disconnect, .drop, .duplicate: try member.value.requireTrue()
        case .error, .delay, .flood, .resize, .packet: break
        }
    }
}

extension FileNode {
    /// A probability: `20 %`.
    fileprivate func chance() throws(FileMistake) -> Double {
        let expected = "a probability such as 20 %, above 0 and at most 100 %"
        let limits = FaultEntry.possibleChances
        guard let (percent, unit) = try quantity(expected), unit == "%", percent > limits.lowerBound,
            percent <= limits.upperBound
        else { throw fail(expecting: expected) }
        return percent
    }
}
