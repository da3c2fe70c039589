import ArgumentParser
import CommandSupport
import Dittojay
import Foundation
import MainLoop
import PlainText

struct RunCommand: ParsableCommand, LoggingCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the peripheral in this terminal.")

    @Argument(
        help: ArgumentHelp(
            "Profiles (names or files) for several peripherals, one per adapter (default: that of --profile).",
            valueName: "profile"))
    var profiles: [String] = []

    @Option(help: ArgumentHelp("Number of peripherals for each profile.", valueName: "number"))
    var count = 1

    @Option(
        help: ArgumentHelp(
            "The Bluetooth adapter, as hci0 or by its address; repeat it for several peripherals (default: free "
                + "adapters).", valueName: "name"))
    var adapter: [String] = []

    @Option(
        help: ArgumentHelp(
            "The advertised name (default: the profile's). With several peripherals, {n} is replaced by the number; "
                + "without it the number is appended.", valueName: "name"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "The profile: \(PeripheralProfile.builtIn.map(\.name).joined(separator: ", ")), or a file.",
            valueName: "name-or-file"))
    var profile: String?

    @Option(help: ArgumentHelp("Scenario to play instead of the profile's.", valueName: "file"))
    var scenario: String?

    @Option(
        help: ArgumentHelp(
            "Write the scenario's results as JUnit XML to this file (- for standard output).",
            valueName: "file"))
    var junit: String?

    @Option(help: ArgumentHelp("Heart rates per second (default: 1).", valueName: "hertz"))
    var rate: Double?

    @Option(
        help: ArgumentHelp(
            "Range of the heart rate in beats per minute (default: 60-119).", valueName: "low-high"))
    var bpm: String?

    @Option(
        help:
            "Format of the heart rate: \(HeartRateSettings.RateForms.allCases.map(\.rawValue).joined(separator: ", "))."
    )
    var rateFormat: String?

    @Option(
        help: "Skin contact: \(HeartRateSettings.ContactDetection.allCases.map(\.rawValue).joined(separator: ", ")).")
    var contact: String?

    @Option(help: ArgumentHelp("Playback speed of the profile's recording (2 = twice as fast).", valueName: "factor"))
    var pace: Double?

    @Flag(name: .customLong("repeat"), help: "Repeat the profile's recording.")
    var repeats = false

    @Option(
        help:
            "Random seed, to replay a run (default: a new one each time). Each peripheral derives its own from it.")
    var seed: UInt64?

    @OptionGroup var fileOptions: FileOptions

    @Flag(help: "Do not show desktop notifications for pairing.")
    var noDesktop = false

    @OptionGroup var sessionOptions: SessionOptions
    @OptionGroup var logOptions: LogOptions

    func validate() throws {
        var settings = HeartRateSettings()
        try changeHeartRate(&settings)
        let paces = Recording.possiblePaces
        if let pace, !paces.contains(pace) {
            throw ValidationError("--pace must be a number from \(paces.lowerBound) to \(Int(paces.upperBound))")
        }
        if let name { try Self.validate(name: name.replacing(GroupPlan.numberMark, with: "1")) }
        guard profile == nil || profiles.isEmpty else {
            throw ValidationError("--profile cannot be combined with profile arguments")
        }
        guard 1...Self.maximumPeripherals ~= count, total <= Self.maximumPeripherals else {
            throw ValidationError("the number of peripherals must be from 1 to \(Self.maximumPeripherals)")
        }
        if let twice = adapter.indices.first(where: { adapter[..<$0].contains(adapter[$0]) }) {
            throw ValidationError(
                "duplicate --adapter \(adapter[twice]): each peripheral needs its own adapter")
        }
        guard adapter.isEmpty || adapter.count == total else {
            throw ValidationError(
                "\(counted(adapter.count, "adapter")) for \(counted(total, "peripheral")): specify one for each, or none"
            )
        }
    }

    /// As many controllers as a kernel can have.
    private static let maximumPeripherals = 10_000

    /// How many peripherals there are to be.
    private var total: Int { count.multipliedReportingOverflow(by: max(profiles.count, 1)).partialValue }

    /// 29 bytes of scan response less the header; longer ones are shortened on the air.
    private static func fits(_ name: String) -> Bool { !name.isEmpty && name.utf8.count <= 26 }

    static func validate(name: String) throws {
        guard fits(name) else {
            throw ValidationError("the name must have 1 to 26 bytes, to fit in an advertisement")
        }
    }

    func run() throws {
        // A reader that closes the pipe ends the program, but not before everything is put back.
        signal(SIGPIPE, SIG_IGN)
        let group = PeripheralGroup(
            try plan(), on: AdapterVariable.choice(given: adapter),
            controlSocket: sessionOptions.controlSocket, clock: DispatchClock(queue: DispatchQueue(label: "dittojay")))
        let desktop = noDesktop ? nil : PairingDesktop(queue: group.queue, socket: sessionOptions.socket)
        let session = TerminalSession(group, sessionOptions, junit: junit, desktop: desktop)
        session.start()
        dispatchMain()
    }

    private func plan() throws -> GroupPlan {
        let texts = profiles.isEmpty ? [profile ?? PeripheralProfile.default.name] : profiles
        let complete = try texts.map(completeProfile).flatMap { Array(repeating: $0, count: count) }
        if junit != nil, !complete.contains(where: \.expectsSomething) {
            throw ValidationError(
                "--junit requires a scenario with expect or expect-not")
        }
        guard Set(complete.compactMap(\.pairing?.capability)).count <= 1 else {
            throw ValidationError("all peripherals of a dittojay must have the same pairing io; these profiles differ")
        }
        let plan = GroupPlan(
            profiles: complete, name: name, seed: seed ?? UInt64(UInt32.random(in: .min ... .max)))
        if let long = plan.members.map(\.localName).first(where: { !Self.fits($0) }) {
            throw ValidationError(
                "the name \"\(long)\" is too long for an advertisement (limit 26 bytes); use --name")
        }
        return plan
    }

    private func completeProfile(_ profile: String) throws -> PeripheralProfile {
        var complete = try ProfileArgument.profile(profile, allowsFiles: fileOptions.allowFiles)
        if let scenario { complete.scenario = try ProfileArgument.scenario(scenario, for: complete) }
        if pace != nil || repeats, complete.recording == nil {
            throw ValidationError("--pace and --repeat require a profile with a recording")
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
                throw ValidationError("--rate must be above 0 and at most 1000 per second")
            }
            settings.interval = 1 / rate
        }
        if let rateFormat {
            guard let forms = HeartRateSettings.RateForms(rawValue: rateFormat) else {
                throw ValidationError("invalid --rate-format \"\(rateFormat)\"")
            }
            settings.rateForms = forms
        }
        if let contact {
            guard let detection = HeartRateSettings.ContactDetection(rawValue: contact) else {
                throw ValidationError("invalid --contact \"\(contact)\"")
            }
            settings.contactDetection = detection
        }
    }
}
