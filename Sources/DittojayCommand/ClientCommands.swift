import ArgumentParser
import CoreBluetooth
import Dittojay
import Foundation
import GATTProfiles
import LineOutput
import PlainText

/// The option that chooses one of the peripherals of a process.
struct PeripheralOption: ParsableArguments {
    @Option(
        name: .customLong("peripheral"),
        help: ArgumentHelp(
            "The peripheral, as listed by dittojay peripherals (default: the only one).", valueName: "id")
    )
    var id: String?
}

/// The options of every command that talks to a running dittojay.
struct ClientOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The control socket of the running dittojay.", valueName: "path"))
    var socket: String?

    @OptionGroup var peripheral: PeripheralOption

    @Flag(help: "Print one JSON object.")
    var json = false

    /// Sends a command and prints its answer.
    func send(_ request: ControlRequest, text: (ControlReply) -> [String]) throws {
        let reply: ControlReply
        do throws(DittojayError) {
            reply = try ControlClient.send(request, to: ControlSocketAddress(path: socket), peripheral: peripheral.id)
        } catch {
            StandardError.write("dittojay: \(error)")
            if json { try StandardOutput.write(ControlReply(error: error.description).json) }
            throw ExitCode(error.exitStatus)
        }
        if json {
            try StandardOutput.write(reply.status?.json ?? reply.json)
        } else {
            try StandardOutput.write(text(reply))
        }
    }
}

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the status.")
    @OptionGroup var client: ClientOptions

    func run() throws {
        try client.send(.status) { $0.status?.lines ?? [] }
    }
}

struct PeripheralsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "peripherals", abstract: "List the peripherals.")
    @OptionGroup var client: ClientOptions

    func run() throws {
        try client.send(.peripherals) { ($0.peripherals ?? []).map(\.text) }
    }
}

struct ChirpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chirp", abstract: "Notify a value on the chirp characteristic (default: an empty value).")
    @OptionGroup var client: ClientOptions

    @Argument(help: TypedValue.help)
    var value: TypedValue?

    func run() throws {
        try client.send(.chirp(try value?.bytes() ?? [])) { reply in
            switch reply.subscribers {
            case 0, nil: ["chirped, but no central is subscribed"]
            case let count?: ["chirped to \(counted(count, "subscriber"))"]
            }
        }
    }
}

/// A value as an argument.
struct TypedValue: ExpressibleByArgument {
    static let help: ArgumentHelp =
        "Text, or hex:0A0B, u8:1, u16:1, i32:-1, u16be:1, … (put text: before text that begins like that)."

    let text: String

    init?(argument: String) { text = argument }

    /// - Throws: `ValidationError`.
    func bytes() throws -> [UInt8] {
        let bytes: [UInt8]
        do throws(ValueText.ParsingError) {
            bytes = try ValueText.parse(text, bare: .text)
        } catch {
            throw ValidationError(error.description)
        }
        guard bytes.count <= LabService.maximumValueLength else {
            throw ValidationError("value too long (limit \(LabService.maximumValueLength) bytes)")
        }
        return bytes
    }
}

/// A characteristic and its new value.
struct ValueArguments: ParsableArguments {
    @Argument(help: "The characteristic, as NAME or SERVICE/NAME.")
    var characteristic: String

    @Argument(help: TypedValue.help)
    var value: TypedValue
}

struct SetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set a characteristic's value.")
    @OptionGroup var client: ClientOptions
    @OptionGroup var arguments: ValueArguments

    func run() throws {
        try client.send(.set(characteristic: arguments.characteristic, value: try arguments.value.bytes())) { _ in
            ["\(arguments.characteristic) set"]
        }
    }
}

struct SendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Notify or indicate a value to a characteristic's subscribers.")
    @OptionGroup var client: ClientOptions
    @OptionGroup var arguments: ValueArguments

    func run() throws {
        try client.send(.send(characteristic: arguments.characteristic, value: try arguments.value.bytes())) { reply in
            switch reply.subscribers {
            case 0, nil: ["nothing was sent: no central is subscribed"]
            case let count?: ["sent to \(counted(count, "subscriber"))"]
            }
        }
    }
}

struct BurstCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "burst",
        abstract: "Send many notifications on the chirp characteristic.",
        discussion: """
            Each value starts with a 32-bit little-endian sequence number, counted from 0, and is padded with zeros. No \
            value is dropped: the command waits when the queue is full, and exits when all are handed to Bluetooth.
            """)
    @OptionGroup var client: ClientOptions

    @Option(help: "Number of notifications.")
    var count: Int

    @Option(help: ArgumentHelp("Length of each value.", valueName: "bytes"))
    var size = 20

    @Option(help: ArgumentHelp("Notifications per second (default: as many as possible).", valueName: "hertz"))
    var rate: Double?

    func validate() throws {
        // The rules are the request's own.
        do throws(ControlRequest.ParsingError) {
            _ = try ControlRequest(line: ControlRequest.burst(count: count, size: size, rate: rate).line.utf8)
        } catch {
            throw ValidationError(error.description)
        }
    }

    func run() throws {
        try client.send(.burst(count: count, size: size, rate: rate)) { reply in
            let seconds = reply.seconds ?? 0
            let rate = seconds > 0 ? Double(reply.sent ?? 0) / seconds : 0
            return [
                "\(counted(reply.sent ?? 0, "notification")) handed over in \(fixedPoint(seconds, places: 3)) s "
                    + "(\(fixedPoint(rate, places: 0)) per second), waited \(counted(reply.waits ?? 0, "time")) for room"
            ]
        }
    }
}

struct ServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service", abstract: "Add or remove a service.",
        subcommands: [Add.self, Remove.self])

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Publish a removed service of the profile again.")
        @OptionGroup var client: ClientOptions

        @OptionGroup var services: ServiceOptions

        func run() throws {
            try client.send(.addService(services.name)) { _ in ["added \(services.text)"] }
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a service.")
        @OptionGroup var client: ClientOptions

        @OptionGroup var services: ServiceOptions

        func run() throws {
            try client.send(.removeService(services.name)) { _ in ["removed \(services.text)"] }
        }
    }

    /// Which services are meant.
    struct ServiceOptions: ParsableArguments {
        @Argument(help: "The service's name, as shown by status, or its UUID (default: chirp).")
        private var service: String?

        @Flag(help: "All services.")
        private var all = false

        func validate() throws {
            if all, service != nil { throw ValidationError("specify either --all or a service, not both") }
        }

        /// Nil for all.
        var name: String? { all ? nil : service ?? "chirp" }
        var text: String { name.map { "the service \($0)" } ?? "all services" }
    }
}

struct DisconnectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disconnect", abstract: "Disconnect centrals.")
    @OptionGroup var client: ClientOptions

    @Argument(help: "The central's address (default: all centrals).")
    var central: String?

    func run() throws {
        try client.send(.disconnect(central: central)) { reply in
            ["disconnected " + (reply.disconnected ?? []).joined(separator: ", ")]
        }
    }
}

/// Off or on.
enum Switch: String, CaseIterable, ExpressibleByArgument {
    case on, off

    var isOn: Bool { self == .on }
}

struct AdvertiseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advertise",
        abstract: "Stop or resume advertising. Connected centrals stay connected.")
    @OptionGroup var client: ClientOptions

    @Argument(help: "on or off.")
    var state: Switch

    func run() throws {
        try client.send(.advertise(state.isOn)) { _ in [state.isOn ? "advertising" : "not advertising"]
        }
    }
}

struct PowerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "power", abstract: "Switch the controller off or on.")
    @OptionGroup var client: ClientOptions

    @Argument(help: "on or off.")
    var state: Switch

    func run() throws {
        try client.send(.power(state.isOn)) { _ in ["Bluetooth is \(state.rawValue)"] }
    }
}

struct SilenceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "silence",
        abstract: "Stop responding for a while: hold notifications and leave requests pending.")
    @OptionGroup var client: ClientOptions

    @Argument(help: "Duration in seconds.")
    var seconds: Double

    func validate() throws {
        do throws(ControlRequest.ParsingError) {
            _ = try ControlRequest(line: ControlRequest.silence(seconds).line.utf8)
        } catch {
            throw ValidationError(error.description)
        }
    }

    func run() throws {
        try client.send(.silence(seconds)) { _ in ["silent for \(Duration.text(seconds: seconds))"] }
    }
}

struct PasskeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passkey",
        abstract: "Enter the passkey that a pairing central shows.")
    @OptionGroup var client: ClientOptions

    @Argument(help: "Six digits.")
    var passkey: String

    func run() throws {
        guard let passkey = CBPasskey(passkey) else { throw ValidationError("a passkey has six digits") }
        try client.send(.passkey(passkey)) { _ in ["entered \(passkey)"] }
    }
}

struct ConfirmCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm",
        abstract: "Confirm or reject the numeric comparison with a pairing central.")
    @OptionGroup var client: ClientOptions

    enum Answer: String, CaseIterable, ExpressibleByArgument {
        case yes, no
    }

    @Argument(help: "yes if the central shows the same digits, or no.")
    var answer: Answer

    func run() throws {
        try client.send(.confirm(answer == .yes)) { _ in [answer == .yes ? "confirmed" : "refused"] }
    }
}

struct QuitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quit", abstract: "Stop the running dittojay, or with --peripheral one of its peripherals.")
    @OptionGroup var client: ClientOptions

    func run() throws {
        try client.send(.quit) { _ in ["stopping \(client.peripheral.id ?? "dittojay")"] }
    }
}
