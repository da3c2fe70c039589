import PlainText
import VirtualRadio

/// Reads the faults of phantoms.
enum PhantomFaultReader {
    typealias Fault = PhantomPeripheral.Fault

    static let actions: [FaultAction] = [.noAnswer, .error, .disconnect, .packet]
    /// The keys of a characteristic's fault.
    static let keys = ["on"] + FaultEntry.keys + FaultAction.names(of: actions)
    /// The keys of a peripheral's own fault.
    static let peripheralKeys = ["every"] + keys

    /// Requests about one characteristic.
    static let triggers: [(String, Fault.Trigger)] = [
        ("read", .request(0x0A)), ("read-blob", .request(0x0C)), ("read-multiple", .request(0x0E)),
        ("write", .request(0x12)), ("prepare-write", .request(0x16)), ("write-command", .request(0x52)),
        ("subscribe", .subscribe),
    ]
    /// Those, and requests about several ones or none.
    static let peripheralTriggers: [(String, Fault.Trigger)] =
        triggers + [
            ("exchange-mtu", .request(0x02)), ("find-information", .request(0x04)),
            ("find-by-type-value", .request(0x06)), ("read-by-type", .request(0x08)),
            ("read-by-group-type", .request(0x10)), ("execute-write", .request(0x18)),
        ]

    /// - Parameter isOfPeripheral: whether they are the peripheral's own, not a characteristic's.
    static func faults(_ node: FileNode?, isOfPeripheral: Bool) -> [Fault] {
        guard let node, let nodes = node.context.attempt(try node.list(of: "faults", limit: Scene.Limit.faults)) else {
            return []
        }
        return node.context.each(nodes) { node throws(FileMistake) in
            try fault(node, isOfPeripheral: isOfPeripheral)
        }
    }

    private static func fault(_ node: FileNode, isOfPeripheral: Bool) throws(FileMistake) -> Fault {
        var read: Fault.Trigger?
        let others = isOfPeripheral ? ["on", "every"] : ["on"]
        let entry = try FaultEntry(node, of: "a phantom", actions, others: others) {
            members throws(FileMistake) in
            read = try trigger(members, isOfPeripheral: isOfPeripheral)
        }
        let action = try action(entry)
        guard let trigger = read else { throw node.consequence() }
        if case .every = trigger, entry.action == .noAnswer || entry.action == .error {
            throw entry.member.keyNode.fail("\(entry.member.key) is not possible with \"every\", only on a request")
        }
        return Fault(
            on: trigger, action, skip: entry.skip, nth: entry.nth, times: entry.times, chance: entry.chance)
    }

    private static func trigger(
        _ members: FileMapping, isOfPeripheral: Bool
    ) throws(FileMistake) -> Fault.Trigger {
        guard isOfPeripheral else { return try members.required("on").choice(of: "trigger", among: triggers) }
        let member = try members.exactlyOne(of: ["on", "every"])
        guard member.key == "on" else { return .every(try member.value.span(PhantomReader.intervals)) }
        return try member.value.choice(of: "trigger", among: peripheralTriggers)
    }

    private static func action(_ entry: FaultEntry) throws(FileMistake) -> Fault.Action {
        let node = entry.member.value
        switch entry.action {
        case .noAnswer: return .noAnswer
        case .error: return .error(try node.attError())
        case .disconnect: return .disconnect
        case .packet: return .packet(try node.bytes(most: 517))
        // None of a phantom's.
        case .delay, .flood, .drop, .duplicate, .resize: throw node.consequence()
        }
    }
}
