import ArgumentParser
import CommandSupport
import Foundation
import LineOutput
import Logging

@main
struct BluejayProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bluejay",
        abstract: "Find Bluetooth LE peripherals and read, write and listen to their characteristics.",
        discussion: """
            DEVICE is an address (00:AA:01:00:00:00; followed by /random if it is a random one), an identifier as scan \
            shows it, or a name.

            CHARACTERISTIC is a UUID of 4, 8 or 36 characters or a name such as heart-rate-measurement, with the service \
            in front where there are several of the kind: 180D/2A37, heart-rate/2A37. A descriptor has a third part: \
            180D/2A37/2901. A number, from 1, names one of several that are alike: 180F#2/2A19 is in the second service, \
            180F/2A19#2 is the second characteristic. @002a is a handle, as info shows it.

            Finding a device, connecting to it and discovering its services have one limit, --connect-timeout (default: \
            20 s). A request that the device does not answer ends after --timeout (listen, monitor: --answer-timeout; \
            default: 20 s).

            EXIT STATUS
              0   done
              1   a failure that is not in this list
              3   not in time: no such device was found or could be connected, it did not answer, or fewer values came \
            than were asked for
              4   Bluetooth cannot be used: no bus, no bluetoothd, no adapter, it is off, or no permission
              5   the connection has failed or was lost, or the device's services could not be discovered
              6   the device has answered with an ATT error; its code is printed
              7   the device has no such characteristic, or several of that name
              10 to 16  pair: why it has failed, as "bluejay help pair" says
              64  wrong usage
              74  output was lost: it cannot be written, or its reader does not read
              130 ended by SIGINT before it was done; 143 by SIGTERM, 129 by SIGHUP. A command without an end of its own \
            (monitor, listen, record and scan without a count) ends with 0

            When the reader of the output stops reading, up to 8 MiB waits. With more, the program ends with 74. A reader \
            that closes the pipe ends it with 0.

            In text, characters from outside that a terminal would act on are shown as \\u{1B} or \\n. JSON has the true \
            characters, escaped.

            With --json, a failure is printed as an object with error and status, and attError if there is one.

            ENVIRONMENT
              BLUETOOTH_ADAPTER  the adapter, unless --adapter is given
              BLUEJAY_LOG        what is logged on standard error, unless --log-level is given
            """,
        version: "bluejay \(packageVersion)",
        subcommands: [
            ScanCommand.self, InfoCommand.self, CloneCommand.self, RecordCommand.self, ReadCommand.self,
            WriteCommand.self, ListenCommand.self, MonitorCommand.self, L2CAPCommand.self, MeasureCommand.self,
            DemoCommand.self, AgentCommand.self, PairCommand.self, UnpairCommand.self, DoctorCommand.self,
        ])

    static func main() async {
        StandardDescriptors.open()
        do {
            try Mistyping.check(CommandLine.arguments.dropFirst(), of: Self.self)
            var command = try await asyncParseAsRoot()
            // The agent has no other output than its log.
            try ProgramLog.start(
                command, variable: "BLUEJAY_LOG", default: command is AgentCommand ? .info : .warning)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error)
        }
        end(with: nil)
    }

    /// Ends the program as `exit(withError:)` does, but with a status of its own if the message cannot be written.
    private static func end(with error: (any Error)?) -> Never {
        guard let error else { Foundation.exit(0) }
        if let error = error as? OutputError { ProgramEnd.exit("bluejay", error) }
        if let error = error as? Mistyping { ProgramEnd.exit(error) }
        ProgramEnd.exit("bluejay", status: exitCode(for: error).rawValue, message: fullMessage(for: error))
    }
}
