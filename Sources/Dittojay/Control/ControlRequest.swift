import Foundation
import GATTProfiles
import LineOutput

/// A command to a running dittojay: one JSON object on a line, such as `{"command":"chirp","value":"hex:0102"}`.
public enum ControlRequest: Hashable, Swift.Sendable {
    /// `{"command":"status"}`
    case status
    /// `{"command":"chirp","value":"…"}`: notify this value on the chirp characteristic; see ``ValueText``, text if it
    /// has no prefix. Without `value` the chirp is empty.
    case chirp([UInt8])
    /// `{"command":"burst","count":N,"size":S,"rate":R}`: notify `count` values of `size` bytes on the chirp
    /// characteristic, `rate` a second, as fast as possible without. Answered when all are handed over.
    case burst(count: Int, size: Int, rate: Double?)
    /// `{"command":"add-service","service":"chirp"}`: publish a service of the profile.
    case addService(String)
    /// `{"command":"remove-service","service":"chirp"}`: withdraw a service.
    case removeService(String)
    /// `{"command":"disconnect","central":"AA:BB:CC:DD:EE:FF"}`: end the connection of a central, of all without
    /// `central`.
    case disconnect(central: String?)
    /// `{"command":"quit"}`
    case quit

    /// The longest request in bytes, its line end included.
    public static let maximumLength = 4096

    /// Why bytes are no request.
    public struct ParsingError: Error, Hashable, CustomStringConvertible {
        /// For people.
        public let description: String
    }

    private struct Members: Decodable {
        var command: String
        var value: String?
        var service: String?
        var central: String?
        var count: Int?
        var size: Int?
        var rate: Double?
    }

    /// Parses a line as received, with or without its line end.
    public init(line: some Sequence<UInt8>) throws(ParsingError) {
        let data = Data(line)
        guard data.count <= Self.maximumLength else {
            throw ParsingError(description: "the request is longer than \(Self.maximumLength) bytes")
        }
        let members: Members
        do {
            members = try JSONDecoder().decode(Members.self, from: data)
        } catch {
            throw ParsingError(description: "the request is not a JSON object with a command and its members")
        }
        switch members.command {
        case "status": self = .status
        case "chirp": self = .chirp(try Self.value(members.value ?? "empty"))
        case "burst":
            guard let count = members.count, Burst.Plan.possibleCounts.contains(count) else {
                throw ParsingError(description: "burst needs a count of \(Burst.Plan.possibleCounts)")
            }
            guard let size = members.size, Burst.Plan.possibleSizes.contains(size) else {
                throw ParsingError(description: "burst needs a size of \(Burst.Plan.possibleSizes) bytes")
            }
            if let rate = members.rate, !(rate > 0 && rate <= 1e6) {
                throw ParsingError(description: "the rate of a burst is above 0 and at most 1,000,000 a second")
            }
            self = .burst(count: count, size: size, rate: members.rate)
        case "add-service", "remove-service":
            guard let service = members.service else {
                throw ParsingError(description: "\(members.command) needs the name of a service")
            }
            self = members.command == "add-service" ? .addService(service) : .removeService(service)
        case "disconnect": self = .disconnect(central: members.central)
        case "quit": self = .quit
        default: throw ParsingError(description: "there is no command \"\(members.command.prefix(40))\"")
        }
    }

    /// Parses a line as typed into the terminal of a running dittojay: `c`, `c hello`, `c hex:0102`, `+`, `-`, `+ NAME`,
    /// `s`, `d`, `q`. The words of the control socket are understood, too.
    public init(typed line: some StringProtocol) throws(ParsingError) {
        let trimmed = line.drop { $0.isWhitespace }
        let word = trimmed.prefix { !$0.isWhitespace }
        // What follows the one space is content, trailing spaces included, but not a line end.
        let argument = trimmed.dropFirst(word.count + 1).prefix { !$0.isNewline }
        let service = argument.isEmpty ? "chirp" : String(argument)
        switch word {
        case "c", "chirp": self = .chirp(argument.isEmpty ? [] : try Self.value(String(argument)))
        case "+", "add-service": self = .addService(service)
        case "-", "remove-service": self = .removeService(service)
        case "s", "status": self = .status
        case "d", "disconnect": self = .disconnect(central: argument.isEmpty ? nil : String(argument))
        case "q", "quit": self = .quit
        default: throw ParsingError(description: "\"\(word.prefix(40))\" is no command; ? lists them")
        }
    }

    /// The line that ``init(line:)`` understands, without its line end.
    public var line: String {
        var object = JSONObject()
        switch self {
        case .status: object.add("command", "status")
        case .chirp(let value):
            object.add("command", "chirp")
            object.add("value", "hex:" + ValueText.hex(value))
        case .burst(let count, let size, let rate):
            object.add("command", "burst")
            object.add("count", count)
            object.add("size", size)
            object.add("rate", rate, places: 3)
        case .addService(let service):
            object.add("command", "add-service")
            object.add("service", service)
        case .removeService(let service):
            object.add("command", "remove-service")
            object.add("service", service)
        case .disconnect(let central):
            object.add("command", "disconnect")
            object.add("central", central)
        case .quit: object.add("command", "quit")
        }
        return object.text
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
                description: "a value of \(value.count) bytes is longer than \(LabService.maximumValueLength)")
        }
        return value
    }
}
