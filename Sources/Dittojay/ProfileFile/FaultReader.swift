import CoreBluetooth
import GATTProfiles

/// Reads the faults of a characteristic.
enum FaultReader {
    /// - Parameter others: keys that another reader handles.
    static func fault(
        _ node: FileNode, of characteristic: AttributeIndex.Characteristic, besides others: [String]
    ) throws(ProfileFileError) -> Fault {
        let members = try node.mapping(of: "a fault", keys: others + ProfileKeys.fault)
        let context = node.context
        let skip = context.attempt(try members["after"]?.integer(in: Fault.possibleCounts)) ?? 0
        let times = context.attempt(try members["times"]?.integer(in: 1...Fault.possibleCounts.upperBound))
        let chance = context.attempt(try members["chance"]?.percent(in: Fault.possibleChances)) ?? 100
        let on = context.attempt(try members.required("on"))
        let occasions = Fault.Trigger.allCases.map { ($0.rawValue, $0) }
        let read = context.attempt(try on?.choice(of: "occasion", among: occasions))
        let chosen = try members.exactlyOne(of: Fault.Action.names)
        let action = try action(chosen)
        guard let triggerNode = on, let trigger = read else { throw node.consequence() }
        let fault = Fault(on: trigger, action, skip: skip, times: times, chance: chance)
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

    private static func action(_ chosen: FileMapping.Member) throws(ProfileFileError) -> Fault.Action {
        switch chosen.key {
        case "error": return .error(try chosen.value.attError())
        case "delay": return .delay(try chosen.value.seconds(within: Fault.possibleDelays))
        case "resize": return .resize(try chosen.value.integer(in: Fault.possibleSizes))
        case "flood":
            guard chosen.value.isMapping else {
                return .flood(count: try chosen.value.integer(in: Fault.possibleFloods), value: nil)
            }
            let members = try chosen.value.mapping(of: "a flood", keys: ProfileKeys.flood)
            return .flood(
                count: try members.required("count").integer(in: Fault.possibleFloods),
                value: try members["value"].map { node throws(ProfileFileError) in try node.value() })
        default:
            guard try chosen.value.flag() else { throw chosen.value.fail(expecting: "true") }
            switch chosen.key {
            case "no-answer": return .noAnswer
            case "drop": return .drop
            case "duplicate": return .duplicate
            default: return .disconnect
            }
        }
    }
}
