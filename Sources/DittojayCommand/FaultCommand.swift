import ArgumentParser
import Dittojay
import GATTProfiles

struct FaultCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fault", abstract: "Make the running dittojay misbehave.",
        subcommands: [Add.self, Clear.self])

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let something go wrong with a characteristic from now on.",
            discussion: """
                On read and write: --no-answer, --error, --disconnect, --delay. On subscribe: --disconnect, --flood. On \
                notify: --disconnect, --drop, --duplicate, --delay. On read and notify: --resize.
                """)
        @OptionGroup var client: ClientOptions

        @Argument(help: "The characteristic, as NAME or SERVICE/NAME.")
        var characteristic: String

        @Argument(help: "The occasion: \(Fault.Trigger.allCases.map(\.rawValue).joined(separator: ", ")).")
        var on: String

        @Flag(help: "The request is never answered.")
        var noAnswer = false

        @Option(help: ArgumentHelp("The request is refused with this ATT error.", valueName: "name-or-number"))
        var error: String?

        @Flag(help: "The central's connection is ended.")
        var disconnect = false

        @Option(help: ArgumentHelp("The request is answered this much later.", valueName: "seconds"))
        var delay: Double?

        @Option(help: ArgumentHelp("This many values are sent at once.", valueName: "count"))
        var flood: Int?

        @Flag(help: "The value is not sent.")
        var drop = false

        @Flag(help: "The value is sent twice.")
        var duplicate = false

        @Option(help: ArgumentHelp("The value is cut off, or filled up with zeros.", valueName: "bytes"))
        var resize: Int?

        @Option(help: ArgumentHelp("How likely it happens each time; default: 100.", valueName: "percent"))
        var chance = 100.0

        @Option(help: ArgumentHelp("How often it does not happen first.", valueName: "count"))
        var after = 0

        @Option(help: ArgumentHelp("How often it then happens; default: always.", valueName: "count"))
        var times: Int?

        /// The rules are the request's own.
        private func request() throws -> ControlRequest {
            let chosen =
                [
                    noAnswer, error != nil, disconnect, delay != nil, flood != nil, drop, duplicate, resize != nil,
                ].filter { $0 }.count
            guard chosen == 1 else {
                throw ValidationError("choose one of " + Fault.Action.names.map { "--" + $0 }.joined(separator: ", "))
            }
            guard let trigger = Fault.Trigger(rawValue: on) else {
                throw ValidationError(
                    "a fault is on one of " + Fault.Trigger.allCases.map(\.rawValue).joined(separator: ", "))
            }
            var action = Fault.Action.disconnect
            if noAnswer { action = .noAnswer }
            if drop { action = .drop }
            if duplicate { action = .duplicate }
            if let resize { action = .resize(resize) }
            if let delay { action = .delay(delay) }
            if let flood { action = .flood(count: flood, value: nil) }
            if let error {
                guard let code = Fault.attError(error) else {
                    throw ValidationError(
                        "\"\(error)\" is not an ATT error: write 0x80, or a name such as value-not-allowed")
                }
                action = .error(code)
            }
            let request = ControlRequest.addFault(
                characteristic: characteristic, Fault(on: trigger, action, skip: after, times: times, chance: chance))
            do throws(ControlRequest.ParsingError) {
                return try ControlRequest(line: request.line.utf8)
            } catch {
                throw ValidationError(error.description)
            }
        }

        func validate() throws {
            _ = try request()
        }

        func run() throws {
            try client.send(request()) { _ in ["\(characteristic) misbehaves from now on"] }
        }
    }

    struct Clear: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Let nothing go wrong on purpose any more.")
        @OptionGroup var client: ClientOptions

        @Argument(help: "The characteristic, as NAME or SERVICE/NAME; default: all.")
        var characteristic: String?

        func run() throws {
            try client.send(.clearFaults(characteristic: characteristic)) { _ in
                ["\(characteristic ?? "everything") behaves from now on"]
            }
        }
    }
}
