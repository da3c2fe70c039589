import ArgumentParser
import Dittojay
import Foundation
import LineOutput
import ProgramSupport

struct RunCommand: ParsableCommand, LoggingCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the sensor in this terminal; the default.")

    @Option(help: ArgumentHelp("The Bluetooth adapter, as hci0 or by its address.", valueName: "name"))
    var adapter: String?

    @Option(help: "The advertised name; default: the profile's.")
    var name: String?

    @Option(
        help: ArgumentHelp(
            "The profile: \(PeripheralProfile.builtIn.map(\.name).joined(separator: ", ")), or a file.",
            valueName: "name-or-file"))
    var profile = PeripheralProfile.default.name

    @Option(help: ArgumentHelp("A scenario, in place of the profile's.", valueName: "file"))
    var scenario: String?

    @Option(
        help: ArgumentHelp(
            "Where to write what came of the scenario's expectations, as JUnit's XML; - for standard output.",
            valueName: "file"))
    var junit: String?

    @Option(help: ArgumentHelp("How many heart rates a second; default: 1.", valueName: "hertz"))
    var rate: Double?

    @Option(
        help: ArgumentHelp(
            "The limits of the heart rate in beats per minute; default: 60-119.", valueName: "low-high"))
    var bpm: String?

    @Option(
        help: "Their format: \(HeartRateSettings.RateForms.allCases.map(\.rawValue).joined(separator: ", ")).")
    var rateFormat: String?

    @Option(
        help: "Skin contact: \(HeartRateSettings.ContactDetection.allCases.map(\.rawValue).joined(separator: ", ")).")
    var contact: String?

    @Option(help: ArgumentHelp("Send the profile's recording so many times as fast as it was.", valueName: "factor"))
    var pace: Double?

    @Flag(name: .customLong("repeat"), help: "Send the profile's recording again and again.")
    var repeats = false

    @Option(help: "Replay the run that had this seed; default: a new one each time.")
    var seed: UInt64?

    @Option(help: ArgumentHelp("Where to listen for commands.", valueName: "path"))
    var socket: String?

    @Flag(help: "Do not listen for commands.")
    var noSocket = false

    @Flag(help: "Print one JSON object for each event.")
    var json = false

    @Flag(help: "Print nothing but errors.")
    var quiet = false

    @OptionGroup var logOptions: LogOptions

    func validate() throws {
        var settings = HeartRateSettings()
        try changeHeartRate(&settings)
        let paces = Recording.possiblePaces
        if let pace, !paces.contains(pace) {
            throw ValidationError("--pace must be a number from \(paces.lowerBound) to \(Int(paces.upperBound))")
        }
        if let name { try Self.validate(name: name) }
    }

    static func validate(name: String) throws {
        // 29 bytes of scan response less the header; longer ones are shortened on the air.
        guard (1...26).contains(name.utf8.count) else {
            throw ValidationError("the name must have 1 to 26 bytes, to fit into an advertisement")
        }
    }

    func run() throws {
        // A reader that closes the pipe ends the program, but not before everything is put back.
        signal(SIGPIPE, SIG_IGN)
        let profile = try completeProfile()
        let peripheral = VirtualPeripheral(
            profile: profile,
            options: .init(
                adapter: adapter ?? AdapterVariable.chosen.adapter, localName: name,
                seed: seed ?? UInt64(UInt32.random(in: .min ... .max)),
                controlSocket: noSocket ? nil : ControlSocketAddress(path: socket)),
            queue: DispatchQueue(label: "dittojay"))
        let session = TerminalSession(peripheral, json: json, quiet: quiet, junit: junit)
        session.start()
        dispatchMain()
    }

    private func completeProfile() throws -> PeripheralProfile {
        var complete = try ProfileArgument.profile(profile)
        if let scenario { complete.scenario = try ProfileArgument.scenario(scenario, for: complete) }
        if junit != nil, !complete.expectsSomething {
            throw ValidationError(
                "--junit is for a scenario that expects something; this one has no expect or expect-not")
        }
        if pace != nil || repeats, complete.recording == nil {
            throw ValidationError("--pace and --repeat are for a profile with a recording; this one has none")
        }
        if let pace { complete.recording?.pace = pace }
        if repeats { complete.recording?.repeats = true }
        // Checked before: nothing is thrown here.
        complete.changeHeartRates { settings in try? changeHeartRate(&settings) }
        return complete
    }

    /// Applies the options.
    private func changeHeartRate(_ settings: inout HeartRateSettings) throws {
        if let bpm {
            let limits = bpm.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            let possible = HeartRateSettings.possibleRates
            guard limits.count == 2, let low = limits[0], let high = limits[1], low <= high, possible.contains(low),
                possible.contains(high)
            else { throw ValidationError("--bpm takes two numbers within \(possible), such as 60-119") }
            settings.rateRange = low...high
        }
        if let rate {
            guard rate > 0, HeartRateSettings.possibleIntervals.contains(1 / rate) else {
                throw ValidationError("--rate must be above 0 and at most 1000 a second")
            }
            settings.interval = 1 / rate
        }
        if let rateFormat {
            guard let forms = HeartRateSettings.RateForms(rawValue: rateFormat) else {
                throw ValidationError("--rate-format does not know \"\(rateFormat)\"")
            }
            settings.rateForms = forms
        }
        if let contact {
            guard let detection = HeartRateSettings.ContactDetection(rawValue: contact) else {
                throw ValidationError("--contact does not know \"\(contact)\"")
            }
            settings.contactDetection = detection
        }
    }
}
