import ArgumentParser
import CommandSupport
import Dittojay
import Foundation
import LineOutput

@main
struct DittojayProgram: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dittojay",
        abstract: "A virtual Bluetooth LE peripheral: a heart-rate sensor that chirps, or any other from a file.",
        discussion: """
            Without a command it runs the sensor in this terminal until Ctrl-C; "dittojay help run" lists the options. The \
            other commands are for another terminal and talk to the running sensor.

            In the sensor's terminal: c chirp, + add the chirp service, - remove it, s status, d disconnect the central, \
            p the peripherals, q quit, ? help. : begins a line such as "c hello", and @ one for one of several \
            peripherals, such as "@hci1 c hello". From a pipe, each of these is a line.

            EXIT STATUS
              0   done; or ended by q, quit, SIGINT or SIGTERM, with everything put back
              1   a failure that is not in this list
              3   the device of a proxy was not found, or not connected, in time
              4   Bluetooth cannot be used: no bus, no bluetoothd, no permission, no such adapter or none at all, or one
                  that cannot be switched on or cannot be a peripheral
              6   a dittojay runs at this control socket already
              7   no dittojay runs at this control socket
              8   the running dittojay has refused the command, or the command failed there
              9   centrals did not do what the scenario expects
              64  wrong usage, or a mistake in a file
              74  output was lost: it cannot be written, or its reader had not taken it when dittojay ended
              130 ended by a second signal, without putting anything back

            Output never holds up the sensor. When its reader stops reading, up to 1 MiB waits. Lines beyond that are dropped, \
            and one in their place says how many (an event "dropped" with "lines"). A reader that closes the pipe ends the \
            sensor with 0.

            In text, characters from outside that a terminal would act on are shown as \\u{1B} or \\n. JSON has the true \
            characters, escaped.

            ENVIRONMENT
              DITTOJAY_ADAPTER   the adapter, unless --adapter is given; with several peripherals that of the first
              BLUETOOTH_ADAPTER  the same, unless DITTOJAY_ADAPTER is set; the centrals of this package use it, too
              DITTOJAY_SOCKET    the control socket, unless --socket is given
              DITTOJAY_LOG       what is logged on standard error, unless --log-level is given
            """,
        version: "dittojay \(packageVersion)",
        subcommands: [
            RunCommand.self, ProxyCommand.self, CheckCommand.self, StatusCommand.self, PeripheralsCommand.self,
            EventsCommand.self, ChirpCommand.self, BurstCommand.self, SetCommand.self, SendCommand.self,
            ServiceCommand.self, FaultCommand.self, DisconnectCommand.self,
            AdvertiseCommand.self, PowerCommand.self, SilenceCommand.self,
            PasskeyCommand.self, ConfirmCommand.self, QuitCommand.self, UnpairCommand.self, NamesCommand.self,
            SchemaCommand.self, InitCommand.self,
            DoctorCommand.self, UICommand.self, TopCommand.self,
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
