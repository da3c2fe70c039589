import ArgumentParser
import BlueZ
import Captures
import LineOutput

struct ReplayCommand: CentralCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Repeat what a central did in a capture, and compare what the device answers.",
        discussion: """
            CAPTURE is what "dittojay import" reads: Android's btsnoop_hci.log, Apple's PacketLogger (.pklg), btmon's files, \
            pcap or pcapng. Connects to DEVICE once for each link of the capture and repeats its reads, writes and \
            subscriptions in their order, with the pauses between them, except those between links. Reports each \
            difference in values, ATT errors, notifications and indications, with the packet's number in Wireshark. What \
            cannot be repeated is reported first.

            Before the next request, waits for what the device sent before it in the capture: up to twice as long as then, \
            and at least 10 s. With --speed above 1 or --no-pauses, waits only for answers to writes.

            What the device changes by itself in the capture, without a write in between, may differ: such values are \
            reported at the end and are no differences.

            Exits with status 1 if there are differences.
            """)
    @OptionGroup var options: GlobalOptions

    @Argument(help: "The capture.")
    var capture: String

    @OptionGroup var target: DeviceOptions
    @OptionGroup var answer: AnswerOptions

    @Option(
        name: .customLong("device"),
        help: ArgumentHelp(
            "The device of the capture (default: the only one with a link). Repeat it for other addresses of the same "
                + "device.", valueName: "address"))
    var captured: [String] = []

    @Option(help: ArgumentHelp("The speed of the pauses; 2 halves them.", valueName: "factor"))
    var speed = 1.0

    @Flag(help: "Make no pauses.")
    var noPauses = false

    func validate() throws {
        guard speed >= 0.001, speed <= 1000 else { throw ValidationError("--speed must be from 0.001 to 1000") }
    }

    func run() async throws {
        let plan = try plan()
        let command = self
        await CommandContext.run(options) { context in
            let pace = command.noPauses ? 0 : 1 / command.speed
            try await Replay(
                plan, of: command.target, pace: pace, answerTimeout: command.answer.timeout, context
            ).run()
        }
    }

    private func plan() throws -> ReplayPlan {
        let chosen: ChosenDevice
        do throws(ChosenDevice.Problem) {
            chosen = try ChosenDevice(captured, in: capture)
        } catch {
            StandardError.write(lines: error.lines(capture).map { "bluejay: \($0)" })
            if case .several(let list) = error { StandardError.write(lines: list.lines) }
            throw error.isUsage ? ExitCode.validationFailure : ExitCode.failure
        }
        let plan = ReplayPlan(
            chosen.device, isOwnService: { OwnServices.contain(uuid: $0, characteristics: $1, identity: $2) })
        guard plan.links.isEmpty else { return plan }
        StandardError.write("bluejay: \(capture): the central asked \(chosen.device.identity.text) nothing to repeat")
        StandardError.write(lines: plan.omitted.map { "bluejay: not repeated: \($0.text)" })
        throw ExitCode.failure
    }
}
