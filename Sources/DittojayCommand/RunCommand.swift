import ArgumentParser
import Dittojay
import Foundation
import LineOutput

struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the sensor in this terminal; the default.")

    @Option(help: ArgumentHelp("The Bluetooth adapter, as hci0 or by its address.", valueName: "name"))
    var adapter: String?

    @Option(help: "The advertised name; the profile's without.")
    var name: String?

    @Option(help: "What to be: \(PeripheralProfile.builtIn.map(\.name).joined(separator: " or ")).")
    var profile = PeripheralProfile.default.name

    @Option(help: ArgumentHelp("How many heart rates a second.", valueName: "hertz"))
    var rate = 1.0

    @Option(help: ArgumentHelp("The limits of the heart rate, in beats per minute.", valueName: "low-high"))
    var bpm = "60-119"

    @Option(
        help: "The form of the rates: \(HeartRateSettings.RateForms.allCases.map(\.rawValue).joined(separator: ", ")).")
    var rateFormat = "mixed"

    @Option(
        help: "Skin contact: \(HeartRateSettings.ContactDetection.allCases.map(\.rawValue).joined(separator: ", ")).")
    var contact = "varying"

    @Option(help: "Replays the run that had this seed; a new one each time without.")
    var seed: UInt64?

    @Option(help: ArgumentHelp("Where to listen for commands.", valueName: "path"))
    var socket: String?

    @Flag(help: "Do not listen for commands.")
    var noSocket = false

    @Flag(help: "Print one JSON object for each event.")
    var json = false

    @Flag(help: "Print nothing but errors.")
    var quiet = false

    func validate() throws {
        _ = try heartRate()
        _ = try chosenProfile()
        if let name, name.isEmpty || name.utf8.count > 26 {
            // 29 bytes of scan response less the header; longer ones are shortened on the air.
            throw ValidationError("the name must have 1 to 26 bytes, to fit into an advertisement")
        }
    }

    func run() throws {
        // A reader that closes the pipe ends the program, but not before everything is put back.
        signal(SIGPIPE, SIG_IGN)
        let peripheral = VirtualPeripheral(
            profile: try chosenProfile(),
            options: .init(
                adapter: adapter ?? ProcessInfo.processInfo.environment["BLUETOOTH_ADAPTER"], localName: name,
                heartRate: try heartRate(), seed: seed ?? UInt64(UInt32.random(in: .min ... .max)),
                controlSocket: noSocket ? nil : ControlSocketAddress(path: socket)),
            queue: DispatchQueue(label: "dittojay"))
        let session = TerminalSession(peripheral, json: json, quiet: quiet)
        session.start()
        dispatchMain()
    }

    private func chosenProfile() throws -> PeripheralProfile {
        guard let known = PeripheralProfile.builtIn(named: profile) else {
            throw ValidationError(
                "there is no profile \"\(profile)\"; there are "
                    + PeripheralProfile.builtIn.map(\.name).joined(separator: ", "))
        }
        return known
    }

    private func heartRate() throws -> HeartRateSettings {
        let limits = bpm.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        let possible = HeartRateSettings.possibleRates
        guard limits.count == 2, let low = limits[0], let high = limits[1], low <= high, possible.contains(low),
            possible.contains(high)
        else { throw ValidationError("--bpm takes two numbers within \(possible), such as 60-119") }
        guard rate > 0, HeartRateSettings.possibleIntervals.contains(1 / rate) else {
            throw ValidationError("--rate is above 0 and at most 1000 a second")
        }
        guard let forms = HeartRateSettings.RateForms(rawValue: rateFormat) else {
            throw ValidationError("--rate-format does not know \"\(rateFormat)\"")
        }
        guard let detection = HeartRateSettings.ContactDetection(rawValue: contact) else {
            throw ValidationError("--contact does not know \"\(contact)\"")
        }
        return HeartRateSettings(
            rateRange: low...high, interval: 1 / rate, rateForms: forms, contactDetection: detection)
    }
}
