public import CoreBluetooth
import Foundation
import GATTProfiles
import PlainText

/// A command to a running dittojay: one JSON object on a line, such as `{"command":"chirp","value":"hex:0102"}`.
public enum ControlRequest: Hashable, Swift.Sendable {
    /// `{"command":"version"}`: report the version of this protocol.
    case version
    /// `{"command":"peripherals"}`: list the peripherals of the process.
    case peripherals
    /// `{"command":"status"}`: report the status of the peripheral.
    case status
    /// `{"command":"characteristics"}`: report the characteristics with their present values.
    case characteristics
    /// `{"command":"signal"}`: report how strong the centrals that are connected are received.
    case signal
    /// `{"command":"events"}`: send every event of the peripheral over this connection, one on each line.
    case events
    /// `{"command":"chirp","value":"…"}`: notify this value on the chirp characteristic, in a form such as `hex:0102`;
    /// text without a prefix. Default: empty.
    case chirp([UInt8])
    /// `{"command":"set","characteristic":"store","value":"…"}`: set the value that reads return.
    case set(characteristic: String, value: [UInt8])
    /// `{"command":"send","characteristic":"echo","value":"…"}`: notify or indicate this value to the characteristic's
    /// subscribers.
    case send(characteristic: String, value: [UInt8])
    /// `{"command":"burst","count":N,"size":S,"rate":R}`: notify `count` values of `size` bytes on the chirp
    /// characteristic, `rate` a second (default: as fast as possible). Answered when all are handed over for sending.
    case burst(count: Int, size: Int, rate: Double?)
    /// `{"command":"add-service","service":"chirp"}`: publish a service of the profile, by its name or UUID. Nil,
    /// `"all":true`: all that are not published.
    case addService(String?)
    /// `{"command":"remove-service","service":"chirp"}`: withdraw a service. Nil, `"all":true`: all.
    case removeService(String?)
    /// `{"command":"disconnect","central":"AA:BB:CC:DD:EE:FF"}`: end the connection of a central. Default: of all.
    case disconnect(central: String?)
    /// `{"command":"add-fault","characteristic":"store","on":"read","action":"error","error":"0x80","after":1,"times":2}`:
    /// inject this fault, too. `action` is `no-answer`, `error` with `error` a number or a name,
    /// `disconnect`, `delay` with `seconds`, `flood` with `count` and perhaps `value`, `drop`, `duplicate`, or
    /// `resize` with `size`.
    case addFault(characteristic: String, Fault)
    /// `{"command":"clear-faults","characteristic":"store"}`: clear the faults of a characteristic.
    /// Default: with any.
    case clearFaults(characteristic: String?)
    /// `{"command":"advertise","state":"off"}`: stop or resume (`on`) advertising. Links stay up.
    case advertise(Bool)
    /// `{"command":"silence","seconds":10}`: for this time send nothing and leave requests pending.
    case silence(Double)
    /// `{"command":"power","state":"off"}`: switch the controller off or on.
    case power(Bool)
    /// `{"command":"passkey","passkey":"123456"}`: enter the digits that a central that pairs shows.
    case passkey(CBPasskey)
    /// `{"command":"confirm","state":"yes"}`: a central that pairs shows the same digits, or (`no`) others.
    case confirm(Bool)
    /// `{"command":"quit"}`: stop the peripheral.
    case quit

    /// The longest request in bytes, its line end included.
    package static let maximumLength = 4096

    /// The version of the protocol, which `docs/control-protocol.md` describes. It changes when programs written for
    /// the version before would no longer work; additional requests, members and kinds of events do not change it.
    public static let protocolVersion = 1

    /// The commands by their names in the protocol.
    enum Command: String, CaseIterable {
        case version, peripherals, status, characteristics, signal, events, chirp, set, send, burst, disconnect,
            advertise, silence, power, passkey, confirm, quit
        case addService = "add-service"
        case removeService = "remove-service"
        case addFault = "add-fault"
        case clearFaults = "clear-faults"
    }

    /// Why bytes are not a request.
    package struct ParsingError: Error, Hashable, CustomStringConvertible {
        /// For people.
        package let description: String
    }

    private struct Members: Decodable {
        var command: String
        var peripheral: String?
        var value: String?
        var service: String?
        var all: Bool?
        var central: String?
        var count: Int?
        var size: Int?
        var rate: Double?
        var characteristic: String?
        var on: String?
        var action: String?
        var error: String?
        var seconds: Double?
        var after: Int?
        var nth: Int?
        var times: Int?
        var state: String?
        var chance: Double?
        var passkey: String?
    }

    /// Parses a line as received, with or without its line end.
    package init(line: some Sequence<UInt8>) throws(ParsingError) {
        self = try Self.addressed(line: line).request
    }

    /// The same with the peripheral that the request is for.
    static func addressed(
        line: some Sequence<UInt8>
    ) throws(ParsingError) -> (request: ControlRequest, peripheral: String?) {
        let data = Data(line)
        guard data.count <= maximumLength else {
            throw ParsingError(description: "request too long (limit \(maximumLength) bytes)")
        }
        let members: Members
        do {
            members = try JSONDecoder().decode(Members.self, from: data)
        } catch {
            throw ParsingError(description: "the request is not a JSON object with a command and its members")
        }
        return (try ControlRequest(members), members.peripheral)
    }

    private init(_ members: Members) throws(ParsingError) {
        guard let command = Command(rawValue: members.command) else {
            throw ParsingError(description: "unknown command \"\(members.command.prefix(40))\"")
        }
        switch command {
        case .version: self = .version
        case .peripherals: self = .peripherals
        case .status: self = .status
        case .characteristics: self = .characteristics
        case .signal: self = .signal
        case .events: self = .events
        case .chirp: self = .chirp(try Self.value(members.value ?? "empty"))
        case .set, .send:
            guard let characteristic = members.characteristic, let text = members.value else {
                throw ParsingError(description: "\(members.command) requires a characteristic and a value")
            }
            let value = try Self.value(text)
            self =
                command == .set
                ? .set(characteristic: characteristic, value: value)
                : .send(characteristic: characteristic, value: value)
        case .burst:
            guard let count = members.count, Burst.Plan.possibleCounts.contains(count) else {
                throw ParsingError(description: "burst requires a count of \(Burst.Plan.possibleCounts)")
            }
            guard let size = members.size, Burst.Plan.possibleSizes.contains(size) else {
                throw ParsingError(description: "burst requires a size of \(Burst.Plan.possibleSizes) bytes")
            }
            if let rate = members.rate, !(rate > 0 && rate <= 1e6) {
                throw ParsingError(description: "burst requires a rate above 0 and at most 1,000,000 per second")
            }
            self = .burst(count: count, size: size, rate: members.rate)
        case .addService, .removeService:
            guard (members.service == nil) == (members.all == true) else {
                throw ParsingError(description: "\(members.command) requires the name of a service, or \"all\":true")
            }
            self = command == .addService ? .addService(members.service) : .removeService(members.service)
        case .disconnect: self = .disconnect(central: members.central)
        case .addFault:
            guard let characteristic = members.characteristic else {
                throw ParsingError(description: "add-fault requires a characteristic")
            }
            self = .addFault(characteristic: characteristic, try Self.fault(members))
        case .clearFaults: self = .clearFaults(characteristic: members.characteristic)
        case .advertise: self = .advertise(try Self.state(members.state, of: "advertise"))
        case .silence:
            guard let seconds = members.seconds, ScenarioStep.possibleWaits.contains(seconds) else {
                throw ParsingError(
                    description: "silence requires 0 to \(Int(ScenarioStep.possibleWaits.upperBound)) seconds")
            }
            self = .silence(seconds)
        case .power: self = .power(try Self.state(members.state, of: "power"))
        case .passkey: self = .passkey(try Self.passkey(members.passkey))
        case .confirm: self = .confirm(try Self.answer(members.state))
        case .quit: self = .quit
        }
    }

    /// Parses a line as typed into the terminal of a running dittojay: `c`, `c hello`, `c hex:0102`, `set store u8:1`,
    /// `send echo hello`, `+`, `-`, `+ NAME`, `- all`, `advertise off`, `power on`, `s`, `d`, `q`. The control
    /// socket's commands work, too.
    package init(typed line: some StringProtocol) throws(ParsingError) {
        let trimmed = line.drop { $0.isWhitespace }
        let word = trimmed.prefix { !$0.isWhitespace }
        // Everything after the one space is content, trailing spaces included, but no line end.
        let argument = trimmed.dropFirst(word.count + 1).prefix { !$0.isNewline }
        let service = argument.isEmpty ? "chirp" : argument == "all" ? nil : String(argument)
        switch word {
        case "c", "chirp": self = .chirp(argument.isEmpty ? [] : try Self.value(String(argument)))
        case "set", "send":
            let name = argument.prefix { !$0.isWhitespace }
            guard !name.isEmpty else {
                throw ParsingError(description: "\(word) requires a characteristic and a value")
            }
            let value = try Self.value(String(argument.dropFirst(name.count + 1)))
            self =
                word == "set"
                ? .set(characteristic: String(name), value: value) : .send(characteristic: String(name), value: value)
        case "+", "add-service": self = .addService(service)
        case "-", "remove-service": self = .removeService(service)
        case "s", "status": self = .status
        case "p", "peripherals": self = .peripherals
        case "d", "disconnect": self = .disconnect(central: argument.isEmpty ? nil : String(argument))
        case "advertise": self = .advertise(try Self.state(String(argument), of: "advertise"))
        case "power": self = .power(try Self.state(String(argument), of: "power"))
        case "passkey": self = .passkey(try Self.passkey(String(argument)))
        case "confirm": self = .confirm(try Self.answer(String(argument)))
        case "q", "quit": self = .quit
        default: throw ParsingError(description: "unknown command \"\(word.prefix(40))\"; type ? for help")
        }
    }

    /// The line that ``init(line:)`` understands, without its line end.
    package var line: String { json.text }

    /// The object of the line.
    var json: JSONObject {
        var object = JSONObject()
        switch self {
        case .version: object.add("command", "version")
        case .peripherals: object.add("command", "peripherals")
        case .status: object.add("command", "status")
        case .characteristics: object.add("command", "characteristics")
        case .signal: object.add("command", "signal")
        case .events: object.add("command", "events")
        case .chirp(let value):
            object.add("command", "chirp")
            object.add("value", "hex:" + ValueText.hex(value))
        case .set(let characteristic, let value):
            object.add("command", "set")
            object.add("characteristic", characteristic)
            object.add("value", "hex:" + ValueText.hex(value))
        case .send(let characteristic, let value):
            object.add("command", "send")
            object.add("characteristic", characteristic)
            object.add("value", "hex:" + ValueText.hex(value))
        case .burst(let count, let size, let rate):
            object.add("command", "burst")
            object.add("count", count)
            object.add("size", size)
            object.add("rate", rate, places: 3)
        case .addService(let service):
            object.add("command", "add-service")
            object.add("service", service)
            if service == nil { object.add("all", true) }
        case .removeService(let service):
            object.add("command", "remove-service")
            object.add("service", service)
            if service == nil { object.add("all", true) }
        case .disconnect(let central):
            object.add("command", "disconnect")
            object.add("central", central)
        case .addFault(let characteristic, let fault):
            object.add("command", "add-fault")
            object.add("characteristic", characteristic)
            object.add("on", fault.trigger.rawValue)
            object.add("action", fault.action.name)
            switch fault.action {
            case .noAnswer, .disconnect, .drop, .duplicate: break
            case .resize(let size): object.add("size", size)
            case .error(let code): object.add("error", String(code))
            case .delay(let seconds): object.add("seconds", seconds, places: 3)
            case .flood(let count, let value):
                object.add("count", count)
                object.add("value", value.map { "hex:" + ValueText.hex($0) })
            }
            if fault.skip > 0 { object.add("after", fault.skip) }
            if fault.nth > 1 { object.add("nth", fault.nth) }
            object.add("times", fault.times)
            if fault.chance < 100 { object.add("chance", fault.chance, places: 3) }
        case .clearFaults(let characteristic):
            object.add("command", "clear-faults")
            object.add("characteristic", characteristic)
        case .advertise(let isOn):
            object.add("command", "advertise")
            object.add("state", isOn ? "on" : "off")
        case .silence(let seconds):
            object.add("command", "silence")
            object.add("seconds", seconds, places: 3)
        case .power(let isOn):
            object.add("command", "power")
            object.add("state", isOn ? "on" : "off")
        case .passkey(let passkey):
            object.add("command", "passkey")
            object.add("passkey", passkey.description)
        case .confirm(let isSame):
            object.add("command", "confirm")
            object.add("state", isSame ? "yes" : "no")
        case .quit: object.add("command", "quit")
        }
        return object
    }

    /// Whether something is to be on.
    private static func state(_ text: String?, of command: String) throws(ParsingError) -> Bool {
        switch text {
        case "on": return true
        case "off": return false
        default: throw ParsingError(description: "\(command) requires the state on or off")
        }
    }

    private static func passkey(_ text: String?) throws(ParsingError) -> CBPasskey {
        guard let passkey = text.flatMap({ CBPasskey($0) }) else {
            throw ParsingError(description: "passkey requires six digits")
        }
        return passkey
    }

    private static func answer(_ text: String?) throws(ParsingError) -> Bool {
        switch text {
        case "yes": return true
        case "no": return false
        default: throw ParsingError(description: "confirm requires yes or no")
        }
    }

    private static func fault(_ members: Members) throws(ParsingError) -> Fault {
        guard let trigger = members.on.flatMap(Fault.Trigger.init) else {
            let names = Fault.Trigger.allCases.map(\.rawValue).joined(separator: ", ")
            throw ParsingError(description: "invalid fault trigger; expected one of \(names)")
        }
        let action: Fault.Action
        switch members.action {
        case "no-answer": action = .noAnswer
        case "disconnect": action = .disconnect
        case "drop": action = .drop
        case "duplicate": action = .duplicate
        case "resize":
            guard let size = members.size, Fault.possibleSizes.contains(size) else {
                throw ParsingError(description: "resize requires a size of \(Fault.possibleSizes) bytes")
            }
            action = .resize(size)
        case "error":
            guard let code = members.error.flatMap(ATTErrorNames.code) else {
                throw ParsingError(description: "invalid ATT error; expected a name, or a number from 0x01 to 0xFF")
            }
            action = .error(code)
        case "delay":
            guard let seconds = members.seconds, Fault.possibleDelays.contains(seconds) else {
                throw ParsingError(description: "delay requires 0 to \(Int(Fault.possibleDelays.upperBound)) seconds")
            }
            action = .delay(seconds)
        case "flood":
            guard let count = members.count, Fault.possibleFloods.contains(count) else {
                throw ParsingError(description: "flood requires a count of \(Fault.possibleFloods)")
            }
            action = .flood(count: count, value: try members.value.map { text throws(ParsingError) in try value(text) })
        default:
            throw ParsingError(
                description: "invalid fault action; expected one of " + Fault.Action.names.joined(separator: ", "))
        }
        let chance = members.chance ?? 100
        guard chance > Fault.possibleChances.lowerBound, chance <= Fault.possibleChances.upperBound else {
            throw ParsingError(description: "a fault requires a chance above 0 and at most 100 percent")
        }
        let fault = Fault(
            on: trigger, action, skip: members.after ?? 0, nth: members.nth ?? 1, times: members.times, chance: chance)
        let counts = [members.after, members.nth, members.times].compactMap(\.self)
        guard counts.allSatisfy(Fault.possibleCounts.contains), members.nth != 0 else {
            throw ParsingError(
                description:
                    "invalid after, nth or times; expected 0 to \(Fault.possibleCounts.upperBound), nth at least 1")
        }
        guard fault.isPossible else {
            throw ParsingError(description: "\(action.name) is not valid on \(trigger.rawValue)")
        }
        return fault
    }

    private static func value(_ text: String) throws(ParsingError) -> [UInt8] {
        let value: [UInt8]
        do throws(ValueText.ParsingError) {
            value = try ValueText.parse(text, bare: .text)
        } catch {
            throw ParsingError(description: error.description)
        }
        guard value.count <= LabService.maximumValueLength else {
            throw ParsingError(
                description: "value too long: \(value.count) bytes (limit \(LabService.maximumValueLength))")
        }
        return value
    }
}
