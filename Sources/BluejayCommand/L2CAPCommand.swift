import ArgumentParser
import CoreBluetooth
import LineOutput
import PlainText

struct L2CAPCommand: CentralCommand {
    static let configuration = CommandConfiguration(
        commandName: "l2cap", abstract: "Copy standard input to an L2CAP channel, and the channel to standard output.",
        discussion: """
            Exits with status 0 when the device closes the channel, or when the input has ended and nothing was received for \
            --linger seconds. With --receive it exits after that many bytes, or with status 3 if the channel is closed \
            before that. Status 5 means that the device refused, or the connection was lost.
            """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var target: DeviceOptions
    @OptionGroup var answer: AnswerOptions

    @Argument(
        help: ArgumentHelp(
            "The PSM, as 128 or 0x80 (default: the value of the device's PSM characteristic).",
            valueName: "psm"))
    var number: String?

    @Option(help: ArgumentHelp("Exit after receiving this many bytes.", valueName: "bytes"))
    var receive: Int?

    @Option(
        help: ArgumentHelp(
            "Idle timeout after the end of the input.", valueName: "seconds"))
    var linger = 1.0

    @Flag(help: "Print the number of bytes and the speed on standard error.")
    var summary = false

    func validate() throws {
        if options.json { throw ValidationError("--json cannot be used: the output is the channel's data") }
        if let number, Self.psm(number) == nil { throw ValidationError("PSM must be 1 to 255, not \(number)") }
        guard linger >= 0, linger <= 1e6 else { throw ValidationError("--linger must be a number of seconds") }
        if let receive, receive < 1 { throw ValidationError("--receive must be at least 1") }
    }

    private static func psm(_ text: String) -> CBL2CAPPSM? {
        let number = text.hasPrefix("0x") ? UInt16(text.dropFirst(2), radix: 16) : UInt16(text)
        return number.flatMap { (1...255).contains($0) ? $0 : nil }
    }

    func run() async throws {
        let command = self
        await CommandContext.run(options) { try await command.copy($0) }
    }

    @MainActor
    private func copy(_ context: CommandContext) async throws {
        let connection = try await context.open(target, answerTimeout: answer.timeout)
        let psm =
            if let number = number.flatMap(Self.psm) { number } else { try await connection.readPSM() }
        let channel = try await connection.openChannel(psm)
        let copy = ChannelCopy(channel, receiving: receive, linger: linger)
        let end = await copy.run()
        await channel.finish()
        if summary { StandardError.write("bluejay: \(copy.summary)") }
        let attempt = "cannot copy the L2CAP channel at PSM \(psm) of \(target.device)"
        switch end {
        case .done: break
        case .closedByDevice:
            if let receive, copy.received < receive {
                throw CommandError(
                    .notInTime, attempt: attempt,
                    "the device closed it after \(counted(copy.received, "byte")) of \(receive)")
            }
        case .outputFailed(let reason): throw CommandError(.outputLost, attempt: attempt, reason)
        case .inputFailed(let reason): throw CommandError(.failed, attempt: attempt, reason)
        case .channelFailed(let error):
            var failure = CommandError(error, attempt: attempt, device: target.device)
            failure.status = .connectionFailed
            throw failure
        }
    }
}

extension DeviceConnection {
    /// The number that the device's characteristic for it has.
    fileprivate func readPSM() async throws -> CBL2CAPPSM {
        let uuid = CBUUID(string: CBUUIDL2CAPPSMCharacteristicString)
        guard let characteristic = table.characteristics.first(where: { $0.uuid == uuid }) else {
            throw CommandError(
                .noSuchCharacteristic,
                "\(device) has no characteristic \(CBUUIDL2CAPPSMCharacteristicString); specify the PSM")
        }
        let value = try await read(.characteristic(characteristic))
        let psm = value.prefix(2).reversed().reduce(0) { $0 << 8 | CBL2CAPPSM($1) }
        guard (1...255).contains(psm) else {
            throw CommandError(.failed, "the PSM characteristic of \(device) contains \(psm), which is not a valid PSM")
        }
        return psm
    }
}
