import CoreBluetooth
import GATTProfiles
import PlainText

/// Reads the faults of a characteristic.
enum FaultReader {
    /// - Parameter others: keys that another reader handles.
    static func fault(
        _ node: FileNode, of characteristic: AttributeIndex.Characteristic, besides others: [String]
    ) throws(FileMistake) -> Fault {
        let triggers = Fault.Trigger.allCases.map { ($0.rawValue, $0) }
        var on: FileNode?
        var read: Fault.Trigger?
        let entry = try FaultEntry(node, of: "a characteristic", Fault.Action.kinds, others: others + ["on"]) {
            members throws(FileMistake) in
            let node = try members.required("on")
            on = node
            read = try node.choice(of: "trigger", among: triggers)
        }
        let chosen = entry.member
        let action = try action(entry)
        guard let triggerNode = on, let trigger = read else { throw node.consequence() }
        let fault = Fault(
            on: trigger, action, skip: entry.skip, nth: entry.nth, times: entry.times, chance: entry.chance)
        guard fault.isPossible else {
            let possible = Fault.Trigger.allCases.filter { Fault(on: $0, fault.action).isPossible }.map(\.rawValue)
            throw chosen.keyNode.fail(
                "\(chosen.key) is not possible on \(trigger.rawValue), only on \(possible.joined(separator: ", "))")
        }
        let properties = characteristic.properties
        let needed: CBCharacteristicProperties =
            switch trigger {
            case .read: .read
            case .write: [.write, .writeWithoutResponse]
            case .subscribe, .notify: [.notify, .indicate]
            }
        guard !properties.isDisjoint(with: needed) else {
            throw triggerNode.fail("the properties of \(characteristic.path) do not allow a \(trigger.rawValue)")
        }
        let isAnswered = trigger == .write && properties.isSuperset(of: [.write, .writeWithoutResponse])
        switch fault.action {
        case .error(let code): warn(chosen.value, code, on: trigger, isAnswered)
        case .noAnswer where isAnswered, .delay where isAnswered: chosen.keyNode.warn(answeredByBlueZ)
        default: break
        }
        return fault
    }

    /// Warns about an error that the central will not get.
    static func warn(_ node: FileNode, _ code: UInt8, on trigger: Fault.Trigger, _ isAnsweredByBlueZ: Bool) {
        if isAnsweredByBlueZ {
            node.warn(answeredByBlueZ)
        } else if !ATTErrorNames.isPassedOn(code, on: trigger) {
            node.warn(
                "bluetoothd (5.66) makes 0x0E of the ATT error \(ATTErrorNames.text(code)); on a \(trigger.rawValue) it "
                    + "passes on \(trigger == .read ? "0x02" : "0x03"), 0x06, 0x07, 0x08, 0x0D, 0xFE and 0x80 to 0x9F")
        }
    }

    private static let answeredByBlueZ =
        "bluetoothd (5.66) answers writes to a characteristic with both write and write-without-response by itself, with "
        + "success: the central will not see this"

    private static func action(_ entry: FaultEntry) throws(FileMistake) -> Fault.Action {
        let node = entry.member.value
        switch entry.action {
        case .noAnswer: return .noAnswer
        case .error: return .error(try node.attError())
        case .disconnect: return .disconnect
        case .delay: return .delay(try node.seconds(within: Fault.possibleDelays))
        case .drop: return .drop
        case .duplicate: return .duplicate
        case .resize: return .resize(try node.integer(in: Fault.possibleSizes))
        case .flood:
            guard node.isMapping else {
                return .flood(count: try node.integer(in: Fault.possibleFloods), value: nil)
            }
            let members = try node.mapping(of: "a flood", keys: ProfileKeys.flood)
            return .flood(
                count: try members.required("count").integer(in: Fault.possibleFloods),
                value: try members["value"].map { node throws(FileMistake) in try node.value() })
        // None of a characteristic's.
        case .packet: throw node.consequence()
        }
    }
}
