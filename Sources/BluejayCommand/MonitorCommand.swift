import ArgumentParser
import CoreBluetooth
import GATTProfiles
import PlainText

struct MonitorCommand: CentralCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor",
        abstract: "Show a sensor's measurements, reconnecting whenever the connection is lost.",
        discussion: """
            Finds a heart-rate sensor by default; --profile selects another kind, and with a DEVICE but no --profile all of \
            its measurements are shown. The profiles are \(MonitoredProfile.all.map(\.name).joined(separator: ", ")). A \
            glucose meter is asked for all its records.

            If the device refuses a subscription, it is retried after a pause. After any other failure, such as a timeout, \
            the connection is made again. Each failure is shown.
            """)
    @OptionGroup var options: GlobalOptions

    @Argument(help: "An address, an identifier or a name (default: the first sensor found).")
    var device: String?

    @Option(help: ArgumentHelp("Kind of sensor, such as cycling-power.", valueName: "name"))
    var profile: String?

    @Option(help: ArgumentHelp("Timeout for first finding the sensor (0: none).", valueName: "seconds"))
    var timeout = 30.0

    @Option(
        help: ArgumentHelp(
            "Timeout for subscribing to the connected sensor, after which it is reconnected.",
            valueName: "seconds"))
    var answerTimeout = AnswerOptions.defaultTimeout

    @Option(help: "Exit after this many measurements.")
    var count: Int?

    @Option(help: ArgumentHelp("Exit after this time.", valueName: "seconds"))
    var duration: Double?

    func validate() throws {
        if let profile, MonitoredProfile.named(profile) == nil {
            let names = MonitoredProfile.all.map(\.name)
            throw ValidationError(
                "unknown profile \"\(profile)\"\(Suggestion.text(for: profile, among: names)); valid: "
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
