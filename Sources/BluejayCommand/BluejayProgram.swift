import ArgumentParser
import CommandSupport
import Foundation
import LineOutput
import Logging

@main
struct BluejayProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bluejay",
        abstract: "Find Bluetooth LE peripherals and read, write and subscribe to their characteristics.",
        discussion: """
            DEVICE is an address (00:AA:01:00:00:00, followed by /random for a random address), an identifier as shown by \
            scan, or a name.

            CHARACTERISTIC is a UUID of 4, 8 or 36 characters or a name such as heart-rate-measurement, prefixed with the \
            service if it is ambiguous: 180D/2A37, heart-rate/2A37. A descriptor has a third part: 180D/2A37/2901. A number, \
            from 1, selects one of several with the same UUID: 180F#2/2A19 is in the second service, 180F/2A19#2 is the \
            second characteristic. @002a is a handle, as shown by info.

            --connect-timeout limits finding a device, connecting to it and discovering its services, all together (default: \
            20 s). --timeout limits the wait for the answer to a request (listen, monitor: --answer-timeout; default: 20 s).

            EXIT STATUS
              0   success
              1   any other failure
              3   timeout: the device was not found or not connected, it did not answer, or fewer values were received \
            than requested
              4   Bluetooth is not available: no bus, no bluetoothd, no adapter, no permission, or it is off
              5   the connection failed or was lost, or the device's services could not be discovered
              6   the device answered with an ATT error; its code is printed
              7   no such characteristic, or the name is ambiguous
              10 to 16  pairing failed; see "bluejay help pair"
              64  usage error
              74  output was lost: it cannot be written, or its reader is too slow
              130 stopped by SIGINT before completion; 143 by SIGTERM, 129 by SIGHUP. A command that runs until it is stopped \
            (monitor, listen, record and scan without a count) exits with status 0

            When the reader of the output stops reading, up to 8 MiB is buffered; beyond that, the program exits with status \
            74. When the reader closes the pipe, it exits with status 0.

            In text, control characters from outside are shown as \\u{1B} or \\n. JSON contains the original characters, \
            escaped.

            With --json, a failure is printed as an object with error, status and, for an ATT error, attError.

            ENVIRONMENT
              BLUETOOTH_ADAPTER  the adapter, unless --adapter is given
              BLUEJAY_LOG        the log level, unless --log-level is given
            """,
        version: "bluejay \(packageVersion)",
        groupedSubcommands: [
            CommandGroup(name: "Discovery", subcommands: [ScanCommand.self, InfoCommand.self]),
            CommandGroup(
                name: "Data",
                subcommands: [
                    ReadCommand.self, WriteCommand.self, ListenCommand.self, MonitorCommand.self, L2CAPCommand.self,
                ]),
            CommandGroup(name: "Profile File", subcommands: [CloneCommand.self, RecordCommand.self]),
            CommandGroup(name: "Capture", subcommands: [ReplayCommand.self]),
            CommandGroup(name: "Pairing", subcommands: [PairCommand.self, UnpairCommand.self]),
            CommandGroup(name: "State Restoration", subcommands: [AgentCommand.self]),
            CommandGroup(name: "Setup", subcommands: [DoctorCommand.self]),
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
