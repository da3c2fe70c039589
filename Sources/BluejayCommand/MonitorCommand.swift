import ArgumentParser
import Bluejay
import GATTProfiles
import PlainText

struct MonitorCommand: CentralCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor",
        abstract: "Find a heart-rate sensor or another one, show what it measures; connect again when it is lost.",
        discussion: """
            With --profile, it is a sensor of another kind; without it but with a DEVICE, whatever that measures is shown. \
            The profiles are \(MonitoredProfile.all.map(\.name).joined(separator: ", ")). A glucose meter is asked for all \
            its records.

            It shows what keeps it from listening to a connected sensor. If the device has refused, it tries again after a \
            pause. After anything else, such as no answer, it connects again.
            """)
    @OptionGroup var options: GlobalOptions

    @Argument(help: "An address, an identifier or a name; default: the first sensor that is found.")
    var device: String?

    @Option(help: ArgumentHelp("What to look for and to listen to, such as cycling-power.", valueName: "name"))
    var profile: String?

    @Option(help: ArgumentHelp("How long to look for the sensor at first; 0: forever.", valueName: "seconds"))
    var timeout = 30.0

    @Option(
        help: ArgumentHelp(
            "How long it may take to listen to the connected sensor; after that it connects again.",
            valueName: "seconds"))
    var answerTimeout = AnswerOptions.defaultTimeout

    @Option(help: "End after this many measurements.")
    var count: Int?

    @Option(help: ArgumentHelp("End after this time.", valueName: "seconds"))
    var duration: Double?

    func validate() throws {
        if let profile, MonitoredProfile.named(profile) == nil {
            let names = MonitoredProfile.all.map(\.name)
            throw ValidationError(
                "there is no profile \"\(profile)\"\(Suggestion.text(for: profile, among: names)); there are "
                    + names.joined(separator: ", "))
        }
        guard timeout >= 0, timeout <= 1e6 else { throw ValidationError("--timeout must be a number of seconds, or 0") }
        guard answerTimeout > 0, answerTimeout <= 1e6 else {
            throw ValidationError("--answer-timeout must be a number of seconds above 0")
        }
        if let count, count < 1 { throw ValidationError("--count must be at least 1") }
        if let duration, !(duration > 0 && duration <= 1e9) {
            throw ValidationError("--duration must be a number of seconds above 0")
        }
    }

    func run() async throws {
        let command = self
        await CommandContext.run(options, endsByInterruption: true) { context in
            let limits = MonitorLimits(
                search: command.timeout, answer: command.answerTimeout, count: command.count,
                duration: command.duration)
            let monitor = Monitor(
                context, device: command.device.map(DeviceSelector.init),
                profile: command.profile.flatMap(MonitoredProfile.named), limits: limits)
            try await monitor.run()
        }
    }
}
