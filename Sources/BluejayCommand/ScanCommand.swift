import ArgumentParser
import AssignedNumbers
import CoreBluetooth
import GATTProfiles
import LineOutput
import PlainText

struct ScanCommand: CentralCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan", abstract: "Show advertising peripherals, one per line.",
        discussion: "Exits with status 3 if none was found, or fewer than --count.")
    @OptionGroup var options: GlobalOptions

    @Option(help: ArgumentHelp("Scan for this long (0: until stopped).", valueName: "seconds"))
    var timeout = 5.0

    @Option(
        help: ArgumentHelp("Only peripherals that advertise one of these services; may be repeated.", valueName: "uuid")
    )
    var service: [String] = []

    @Flag(help: "Show every advertising report instead of each peripheral once.")
    var duplicates = false

    @Option(help: "Exit after this many lines.")
    var count: Int?

    @Option(help: "Only peripherals with this name.")
    var name: String?

    func validate() throws {
        guard timeout >= 0, timeout <= 1e6 else { throw ValidationError("--timeout must be a number of seconds, or 0") }
        if let count, count < 1 { throw ValidationError("--count must be at least 1") }
        if let wrong = service.first(where: { Self.uuid($0) == nil }) {
            throw ValidationError("\(wrong) is not a UUID of 4, 8 or 36 characters")
        }
    }

    /// In the forms in which attributes are named.
    private static func uuid(_ text: String) -> CBUUID? {
        AttributePath.Part.canonical(text).flatMap(CBUUID.init(validating:))
    }

    func run() async throws {
        let command = self
        await CommandContext.run(options, endsByInterruption: count == nil) { try await command.scan($0) }
    }

    @MainActor
    private func scan(_ context: CommandContext) async throws {
        if let hint = await OwnAdvertisements.hint(adapter: options.adapter) { StandardError.write("bluejay: \(hint)") }
        var shown = 0
        do {
            try await context.central.scan(
                for: service.compactMap(Self.uuid), reportsAll: duplicates, within: timeout > 0 ? timeout : nil
            ) { advertisement in
                if let name, !DeviceSelector.name(name).matches(advertisement) { return .goOn }
                show(advertisement, context.output)
                shown += 1
                return shown == count ? .stop : .goOn
            }
        } catch {
            throw CommandError(error, attempt: "cannot scan")
        }
        guard shown < count ?? 1 else { return }
        throw CommandError(
            .notInTime,
            shown == 0 ? "found nothing in \(inSeconds(timeout))" : "found only \(shown) in \(inSeconds(timeout))")
    }

    @MainActor
    private func show(_ advertisement: AsyncCentral.Advertisement, _ output: Output) {
        let peripheral = advertisement.peripheral
        let (identifier, address) = (peripheral.identifier, peripheral.bluetoothAddress)
        let name = advertisement.localName ?? peripheral.displayName
        let services = advertisement.data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
        let rssi = advertisement.rssi == 127 ? nil : advertisement.rssi
        let data = AdvertisedData(advertisement.data)
        let kind = AddressKind(identifier)
        output.print(
            "\(address ?? "?") \(identifier) \(rssi.map { "\($0) dBm" } ?? "? dBm") \"\(name)\""
                + services.map { " " + $0.label }.joined() + data.texts.map { " " + $0 }.joined()
                + (kind?.changes == true ? " private address" : "")
        ) { object in
            object.add("time", Timestamp.now.utc)
            object.add("address", address)
            object.add("addressType", kind?.rawValue)
            object.add("identifier", identifier.uuidString)
            object.add("name", name)
            object.add("rssi", rssi)
            object.add("services", services.map(\.uuidString))
            data.add(to: &object)
        }
    }
}
