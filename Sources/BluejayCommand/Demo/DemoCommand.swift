import ArgumentParser
import Bluejay

struct DemoCommand: CentralCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract:
            "Listen to a heart-rate sensor with state restoration on: kill it, let the sensor chirp, see it come back.",
        discussion: """
            Type commands, one per line:
              scan                  show the heart-rate sensors around
              connect               connect to the sensor
              listen rate|chirp     listen to heart rates or chirps
              end rate|chirp        stop listening
              pair                  read a text that only paired devices may read
              crash                 end at once, as if killed: the next chirp starts the program again
              disconnect            disconnect
              quit                  end; nothing is restored

            When it is started again it has no terminal: it reports to the log, and to the desktop by notify-send.
            """)
    @OptionGroup var options: GlobalOptions

    @Argument(help: "An address or an identifier; default: the first heart-rate sensor that is found.")
    var device: String?

    @Option(help: ArgumentHelp("Also append what happens to this file.", valueName: "file"))
    var log: String?

    @Option(help: ArgumentHelp("Names the state that is restored.", valueName: "identifier"))
    var restoreIdentifier = "bluejay-demo"

    @Flag(help: "Wait for commands instead of connecting and listening to everything.")
    var idle = false

    func validate() throws {
        if restoreIdentifier.isEmpty { throw ValidationError("--restore-identifier is empty") }
        if let device, case .name = DeviceSelector(device) {
            throw ValidationError("DEVICE is an address or an identifier")
        }
    }

    func run() async throws {
        if let adapter = options.adapter { setenv("BLUETOOTH_ADAPTER", adapter, 1) }
        let log: DemoLog
        do {
            log = try DemoLog(isJSON: options.json, file: self.log)
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
