import ArgumentParser
import CommandSupport
import Dittojay
import Foundation
import LineOutput

@main
struct DittojayProgram: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dittojay",
        abstract: "Simulate Bluetooth LE peripherals: a heart-rate sensor that chirps, or any profile from a file.",
        discussion: """
            Without a command, runs the heart-rate sensor in this terminal until Ctrl-C; "dittojay help run" lists the \
            options. The commands for a running peripheral are for another terminal and use its control socket.

            Keys in the peripheral's terminal: c chirp, + add the chirp service, - remove it, s status, d disconnect the \
            central, p peripherals, q quit, ? help. : starts a line such as "c hello", and @ a line for one of several \
            peripherals, such as "@hci1 c hello". From a pipe, each of these is a line.

            EXIT STATUS
              0   success, or stopped by q, quit, SIGINT or SIGTERM, with everything restored
              1   any other failure
              3   timeout: a proxy's device was not found or not connected
              4   Bluetooth is not available: no bus, no bluetoothd, no permission, no such adapter, or an adapter that
                  cannot be switched on or does not support the peripheral role
              6   dittojay is already running at this control socket
              7   dittojay is not running at this control socket
              8   the running dittojay refused the command, or the command failed
              9   the scenario's expectations were not met
              64  usage error, or a mistake in a file
              74  output was lost: it cannot be written, or was not read before dittojay exited
              130 stopped by a second signal, without restoring anything

            Output never blocks the peripheral. When its reader stops reading, up to 1 MiB is buffered. Further lines are \
            dropped, and a line in their place reports how many (an event "dropped" with "lines"). When the reader closes \
            the pipe, dittojay exits with status 0.

            In text, control characters from outside are shown as \\u{1B} or \\n. JSON contains the original characters, \
            escaped.

            ENVIRONMENT
              DITTOJAY_ADAPTER   the adapter, unless --adapter is given; with several peripherals that of the first one
              BLUETOOTH_ADAPTER  the same, unless DITTOJAY_ADAPTER is set; also used by this package's centrals
              DITTOJAY_SOCKET    the control socket, unless --socket is given
              DITTOJAY_LOG       the log level, unless --log-level is given
            """,
        version: "dittojay \(packageVersion)",
        groupedSubcommands: [
            CommandGroup(name: "Peripheral", subcommands: [RunCommand.self, ProxyCommand.self]),
            CommandGroup(
                name: "Running Peripheral",
                subcommands: [
                    StatusCommand.self, PeripheralsCommand.self, EventsCommand.self, TopCommand.self, UICommand.self,
                    SetCommand.self, SendCommand.self, ChirpCommand.self, BurstCommand.self, ServiceCommand.self,
                    AdvertiseCommand.self, PowerCommand.self, DisconnectCommand.self, QuitCommand.self,
                ]),
            CommandGroup(name: "Fault", subcommands: [FaultCommand.self, SilenceCommand.self]),
            CommandGroup(
                name: "Pairing", subcommands: [PasskeyCommand.self, ConfirmCommand.self, UnpairCommand.self]),
            CommandGroup(
                name: "Profile File",
                subcommands: [
                    InitCommand.self, ImportCommand.self, CheckCommand.self, SchemaCommand.self, NamesCommand.self,
                ]),
            CommandGroup(name: "Setup", subcommands: [DoctorCommand.self]),
        ],
        defaultSubcommand: RunCommand.self)

    static func main() {
        StandardDescriptors.open()
        do {
            try Mistyping.check(CommandLine.arguments.dropFirst(), of: Self.self)
            var command = try parseAsRoot()
            try ProgramLog.start(command, variable: "DITTOJAY_LOG")
            try command.run()
        } catch {
            end(with: error)
        }
        end(with: nil)
    }

    /// Ends the program as `exit(withError:)` does, but with a status of its own if the message cannot be written.
    static func end(with error: (any Error)?) -> Never {
        guard let error else { Foundation.exit(0) }
        if let error = error as? OutputError { ProgramEnd.exit("dittojay", error) }
        if let error = error as? Mistyping { ProgramEnd.exit(error) }
        ProgramEnd.exit("dittojay", status: exitCode(for: error).rawValue, message: fullMessage(for: error))
    }
}

extension DittojayError {
    /// The exit status when Bluetooth cannot be used, for whatever reason.
    static let bluetoothStatus: Int32 = 4

    /// The program's exit status; documented in its help. `bluejay` has the same status for the same failure.
    var exitStatus: Int32 {
        switch self {
        case .controlSocket, .reportNotWritten: 1
        case .scenarioFailed: 9
        case .deviceUnavailable: 3
        case .wrongUsage: 64
        case .bluetoothUnavailable, .noAdapter, .adapterUnusable: Self.bluetoothStatus
        case .alreadyRunning: 6
        case .notRunning: 7
        case .refused: 8
        }
    }
}
