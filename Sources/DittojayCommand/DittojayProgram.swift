import ArgumentParser
import Dittojay
import ResidentCode

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
              3   Bluetooth cannot be used: no bus, no bluetoothd, or no permission
              4   there is no such Bluetooth adapter, or none at all
              5   the adapter cannot be switched on or cannot be a peripheral
              6   a dittojay runs at this control socket already
              7   no dittojay runs at this control socket
              8   the running dittojay has refused the command, or it has failed there
              64  wrong usage, or a file with a mistake in it
              130 ended by a second signal, without putting anything back

            ENVIRONMENT
              BLUETOOTH_ADAPTER  the adapter, unless --adapter is given
              DITTOJAY_SOCKET    the control socket, unless --socket is given
            """,
        subcommands: [
            RunCommand.self, CheckCommand.self, StatusCommand.self, ChirpCommand.self, BurstCommand.self,
            ServiceCommand.self, FaultCommand.self, DisconnectCommand.self, QuitCommand.self, DoctorCommand.self,
        ],
        defaultSubcommand: RunCommand.self)

    static func main() {
        // What loading the program has taken.
        ResidentCode.release()
        main(nil)
    }
}

extension DittojayError {
    /// The program's exit status; documented in its help.
    var exitStatus: Int32 {
        switch self {
        case .controlSocket: 1
        case .bluetoothUnavailable: 3
        case .noAdapter: 4
        case .adapterUnusable: 5
        case .alreadyRunning: 6
        case .notRunning: 7
        case .refused: 8
        }
    }
}
