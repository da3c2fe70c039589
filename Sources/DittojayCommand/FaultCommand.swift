import ArgumentParser
import Dittojay
import GATTProfiles

struct FaultCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fault", abstract: "Inject and clear faults.",
        subcommands: [Add.self, Clear.self])

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Inject a fault into a characteristic.",
            discussion: """
                Actions on read and write: --no-answer, --error, --disconnect, --delay. On subscribe: --disconnect, \
                --flood. On notify: --disconnect, --drop, --duplicate, --delay. On read and notify: --resize.
                """)
        @OptionGroup var client: ClientOptions

        @Argument(help: "The characteristic, as NAME or SERVICE/NAME.")
        var characteristic: String

        @Argument(help: "The trigger: \(Fault.Trigger.allCases.map(\.rawValue).joined(separator: ", ")).")
        var on: String

        @Flag(help: "Never answer the request.")
        var noAnswer = false

        @Option(help: ArgumentHelp("Refuse the request with this ATT error.", valueName: "name-or-number"))
        var error: String?

        @Flag(help: "Disconnect the central.")
        var disconnect = false

        @Option(help: ArgumentHelp("Delay the answer or notification by this time.", valueName: "seconds"))
        var delay: Double?

        @Option(help: ArgumentHelp("Send this many values at once.", valueName: "count"))
        var flood: Int?

        @Flag(help: "Drop the value.")
        var drop = false

        @Flag(help: "Send the value twice.")
        var duplicate = false

        @Option(help: ArgumentHelp("Truncate the value, or pad it with zeros, to this length.", valueName: "bytes"))
        var resize: Int?

        @Option(help: ArgumentHelp("Probability of each occurrence.", valueName: "percent"))
        var chance = 100.0

        @Option(help: ArgumentHelp("Skip the first N occurrences.", valueName: "count"))
        var after = 0

        @Option(help: ArgumentHelp("Only on each Nth further occurrence.", valueName: "count"))
        var nth = 1

        @Option(help: ArgumentHelp("Stop after N occurrences (default: never).", valueName: "count"))
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
            guard nth > 0 else { throw ValidationError("invalid --nth; expected at least 1") }
            guard let trigger = Fault.Trigger(rawValue: on) else {
                throw ValidationError(
                    "invalid trigger; expected one of " + Fault.Trigger.allCases.map(\.rawValue).joined(separator: ", ")
                )
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
                        "invalid ATT error \"\(error)\"; expected 0x80, or a name such as value-not-allowed")
                }
                action = .error(code)
            }
            let request = ControlRequest.addFault(
                characteristic: characteristic,
                Fault(on: trigger, action, skip: after, nth: nth, times: times, chance: chance))
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
            try client.send(request()) { _ in ["fault added to \(characteristic)"] }
        }
    }

    struct Clear: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Clear injected faults.")
        @OptionGroup var client: ClientOptions

        @Argument(help: "The characteristic, as NAME or SERVICE/NAME (default: all).")
        var characteristic: String?

        func run() throws {
            try client.send(.clearFaults(characteristic: characteristic)) { _ in
                [characteristic.map { "faults of \($0) cleared" } ?? "all faults cleared"]
            }
        }
    }
}
