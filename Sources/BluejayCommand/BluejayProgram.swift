import ArgumentParser
import ResidentCode

@main
struct BluejayProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bluejay",
        abstract: "Find Bluetooth LE peripherals and read, write and listen to their characteristics.",
        discussion: """
            DEVICE is an address (00:AA:01:00:00:00; with /random behind it if it is a random one), an identifier as scan \
            shows it, or a name.

            CHARACTERISTIC is a UUID of 4, 8 or 36 characters or a name such as heart-rate-measurement, with the service \
            in front where there are several of the kind: 180D/2A37, heart-rate/2A37.

            EXIT STATUS
              0   done
              1   something has failed for another reason than these
              3   not in time: no such device was found or could be connected, or fewer values came than were asked for
              4   Bluetooth cannot be used: no bus, no bluetoothd, no adapter, it is off, or no permission
              5   the connection has failed or was lost
              6   the device has answered with an ATT error; its code is printed
              7   the device has no such characteristic, or several of that name
              64  wrong usage
              130 ended by SIGINT before it was done; 143 by SIGTERM. What has no end of its own (monitor, listen and \
            scan without a count) ends with 0

            With --json, a failure is printed as an object with error and status, and attError where there is one.

            ENVIRONMENT
              BLUETOOTH_ADAPTER  the adapter, unless --adapter is given
            """,
        subcommands: [
            ScanCommand.self, InfoCommand.self, ReadCommand.self, WriteCommand.self, ListenCommand.self,
            MonitorCommand.self, MeasureCommand.self, DemoCommand.self, AgentCommand.self, DoctorCommand.self,
        ])

    static func main() async {
        // What loading the program has taken.
        ResidentCode.release()
        await main(nil)
    }
}
