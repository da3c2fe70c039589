import ArgumentParser
import Dittojay
import Foundation
import LineOutput
import ProgramSupport

@main
struct DittojayProgram: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dittojay",
        abstract: "A virtual Bluetooth LE peripheral: a heart-rate sensor that chirps, or any other from a file.",
        discussion: """
            Without a command it runs the sensor in this terminal until Ctrl-C; its options are listed by "dittojay help \
            run". The other commands are for another terminal and talk to the sensor that runs.

            In the terminal of the sensor: c chirp, + add the chirp service, - remove it, s status, d disconnect the \
            central, q quit, ? help; : begins a line such as "c hello". Without a terminal, from a pipe, all of them are \
            lines.

            EXIT STATUS
              0   done; or ended by q, quit, SIGINT or SIGTERM, with everything put back
              1   something else has failed
              4   Bluetooth cannot be used: no bus, no bluetoothd, no permission, no such adapter or none at all, or one
                  that cannot be switched on or cannot be a peripheral
              6   a dittojay runs at this control socket already
              7   no dittojay runs at this control socket
              8   the running dittojay has refused the command, or it has failed there
              64  wrong usage, or a file with a mistake in it
              74  output was lost: it cannot be written, or its reader had not taken it when dittojay ended
              130 ended by a second signal, without putting anything back

            Output never holds up the sensor. When its reader stops reading, what comes then waits, up to 1 MiB; lines beyond \
            that are dropped, and one in their place says how many (an event "dropped" with "lines"). A reader that closes the \
            pipe ends the sensor, with 0.

            Where the output is text, what came from outside and a terminal would act on is shown as \\u{1B} or \\n; JSON has the \
            true characters, escaped.

            ENVIRONMENT
              DITTOJAY_ADAPTER   the adapter, unless --adapter is given
              BLUETOOTH_ADAPTER  the same, unless DITTOJAY_ADAPTER is there; programs of this package that are centrals go by it
              DITTOJAY_SOCKET    the control socket, unless --socket is given
            """,
        version: "dittojay \(packageVersion)",
        subcommands: [
            RunCommand.self, CheckCommand.self, StatusCommand.self, EventsCommand.self, ChirpCommand.self,
            BurstCommand.self,
            SetCommand.self, SendCommand.self, ServiceCommand.self, FaultCommand.self, DisconnectCommand.self,
            QuitCommand.self, UnpairCommand.self, NamesCommand.self, SchemaCommand.self, InitCommand.self,
            DoctorCommand.self,
        ],
        defaultSubcommand: RunCommand.self)

    static func main() {
        StandardDescriptors.open()
        do {
            try Mistyping.check(CommandLine.arguments.dropFirst(), of: Self.self)
            var command = try parseAsRoot()
            try command.run()
        } catch {
            end(with: error)
        }
        end(with: nil)
    }

    /// Ends the program as `exit(withError:)` does, but with a status of its own if what is to be said cannot be written.
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

    /// The program's exit status; documented in its help. What `bluejay` can meet as well has the same one there.
    var exitStatus: Int32 {
        switch self {
        case .controlSocket: 1
        case .bluetoothUnavailable, .noAdapter, .adapterUnusable: Self.bluetoothStatus
        case .alreadyRunning: 6
        case .notRunning: 7
        case .refused: 8
        }
    }
}
