import ArgumentParser
import Bluejay
import CommandSupport
import CoreBluetooth
import LineOutput

/// A program whose Bluetooth state is restored (Sources/Bluejay/Bluejay.docc/Restoration.md), to be tried out; tests
/// kill it.
@main
struct RestorationDemo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "RestorationDemo",
        abstract:
            "Demonstrate state restoration: kill it, let the sensor chirp, and see it restart.",
        discussion: """
            Type commands, one per line:
              scan                  show heart-rate sensors in range
              connect               connect to the sensor
              listen rate|chirp     listen to heart rates or chirps
              end rate|chirp        stop listening
              pair                  read a characteristic that requires pairing
              crash                 exit at once, as if killed: the next chirp restarts the program
              disconnect            disconnect
              quit                  exit; nothing is restored

            When restarted it has no terminal: it reports to the log, and to the desktop through notify-send.
            """)

    @Option(help: ArgumentHelp("The Bluetooth adapter, as hci0 or by its address.", valueName: "name"))
    var adapter: String?

    @Flag(help: "Print JSON, one object per line.")
    var json = false

    @Argument(help: "An address or an identifier (default: the first heart-rate sensor found).")
    var device: String?

    @Option(help: ArgumentHelp("Also append events to this file.", valueName: "file"))
    var log: String?

    @Option(help: ArgumentHelp("Identifier of the restored state.", valueName: "identifier"))
    var restoreIdentifier = "bluejay-demo"

    @Flag(help: "Wait for commands instead of connecting and subscribing to everything.")
    var idle = false

    func validate() throws {
        if restoreIdentifier.isEmpty { throw ValidationError("--restore-identifier is empty") }
        if let device, case .name = DeviceSelector(device) {
            throw ValidationError("DEVICE must be an address or an identifier")
        }
    }

    func run() async throws {
        StandardDescriptors.open()
        try ProgramLog.start(self, variable: "BLUEJAY_LOG")
        if let adapter { setenv("BLUETOOTH_ADAPTER", adapter, 1) }
        let log: DemoLog
        do {
            log = try DemoLog(isJSON: json, file: self.log)
        } catch {
            throw ValidationError("\(error)")
        }
        let device = device.map(DeviceSelector.init)
        let (identifier, isIdle) = (restoreIdentifier, idle)
        let demo = await Demo(log, device: device)
        await demo.start(restoreIdentifier: identifier, isIdle: isIdle)
        while true { try await Task.sleep(for: .seconds(3600)) }
    }
}
