import ArgumentParser
import BlueZ
import CoreBluetooth
import MainLoop
import PlainText

struct PairCommand: CentralCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair", abstract: "Pair with a device: by passkey, numeric comparison or Just Works.",
        discussion: """
            The IO capabilities of both sides decide the pairing method. A passkey to be entered here, and the numeric \
            comparison, are prompted for in the terminal. Without a terminal, desktop notifications show the passkey to \
            enter on the device and ask for the comparison. Otherwise there are no prompts: --passkey and --yes give the \
            answers in advance, and a prompt that they do not answer makes the command exit with status 10.

            EXIT STATUS, in addition to those of all commands
              10  the device requires input, and there is no terminal for the prompt, or none was given
              11  the device refused to pair
              12  the passkey was wrong
              13  the numeric comparison failed
              14  no answer within the 30 s that Bluetooth allows, here or from the device
              15  the device lost the keys of its pairing with this machine
              16  this machine lost the keys that the device still has
            """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var target: DeviceOptions

    @Option(
        help: ArgumentHelp(
            "The six-digit passkey that the device shows or has printed on it (- for standard input).",
            valueName: "digits"))
    var passkey: String?

    @Flag(name: .customLong("yes"), help: "Accept the numeric comparison without a prompt.")
    var saysYes = false

    @Flag(help: "Do not use desktop notifications.")
    var noDesktop = false

    @Option(
        help: ArgumentHelp(
            "IO capability of this side: \(CBPairingCapability.names) (default: keyboard with --passkey, otherwise "
                + "keyboard-display).", valueName: "capability"), transform: CBPairingCapability.parse)
    var io: CBPairingCapability?

    func validate() throws {
        if let passkey, passkey != "-", CBPasskey(passkey) == nil {
            throw ValidationError("--passkey takes six digits, or -")
        }
    }

    private var capability: CBPairingCapability {
        io ?? (passkey == nil ? .keyboardDisplay : .keyboard)
    }

    func run() async throws {
        let command = self
        await CommandContext.run(options) { try await command.pair($0) }
    }

    @MainActor
    private func pair(_ context: CommandContext) async throws {
        let conversation = PairingConversation(
            context.output, given: given, saysYes: saysYes,
            desktop: noDesktop ? nil : PairingDesktop(device: target.device))
        context.onEnd = { await conversation.finish() }
        let deadline = ContinuousClock.now + .seconds(target.connectTimeout)
        let status = await Self.knownStatus(of: target.selector, on: options.adapter)
        if status == .paired { return try await checkKeys(context, until: deadline) }
        let identifier =
            status == .connected
            ? try await context.find(target.selector, timeout: target.connectTimeout)
            : try await context.search(for: target.selector, timeout: target.connectTimeout).peripheral.identifier
        guard let peripheral = context.central.peripheral(identifier) else {
            throw CommandError(.failed, attempt: attempt, "it is no longer known")
        }
        context.central.manager.setPairingDelegate(conversation, capability: capability, answersAll: false)
        do {
            try await context.central.pair(peripheral)
        } catch {
            conversation.end()
            if error as? CBPairingError == .rejectedByPeripheral, await hasOldKeys(context) { throw keysAreLost }
            throw conversation.failure(error, attempt: attempt, device: target.device)
        }
        conversation.end()
        report(context, peripheral, conversation.method)
    }

    /// How soon a device that has keys ends a link that is not encrypted, in seconds.
    private static let endOfLink = 1.0

    private var keysAreLost: CommandError {
        CommandError(
            .keysLostHere, attempt: attempt,
            "it refused, and drops connections at once: it has the keys of a pairing that this machine lost; remove "
                + "them on the device and pair again")
    }

    /// Whether the device ends a link that this machine does not encrypt, although nothing is asked of it.
    ///
    /// One that just does not pair keeps the link. One that is a Linux machine and has keys wants it to be encrypted at
    /// once, and takes pairing without a passkey for an attack (`JustWorksRepairing`).
    @MainActor
    private func hasOldKeys(_ context: CommandContext) async -> Bool {
        // This machine agrees if it is asked to pair.
        context.central.manager.setPairingDelegate(nil)
        do {
            let deadline = ContinuousClock.now + .seconds(target.connectTimeout)
            let link = try await context.connect(target.selector, until: deadline, limit: target.connectTimeout)
            return await link.waitForEnd(within: Self.endOfLink)
        } catch {
            return (error as? CommandError)?.pairingProblem == .encryptionTimedOut
        }
    }

    private var attempt: String { "cannot pair with \(target.device)" }

    private var given: PairingConversation.Given {
        switch passkey {
        case nil: .nothing
        case "-": .input
        case let digits?: CBPasskey(digits).map { .passkey($0) } ?? .nothing
        }
    }

    @MainActor
    private func report(_ context: CommandContext, _ peripheral: CBPeripheral, _ method: PairingMethod) {
        let address = peripheral.bluetoothAddress ?? target.device
        context.output.print("paired \(address) by \(method.rawValue)") { object in
            object.add("paired", address)
            object.add("method", method.rawValue)
        }
    }

    // MARK: A device that bluetoothd knows

    private enum KnownStatus { case unknown, connected, paired }

    /// On the controller that the command uses.
    @LoopActor
    private static func knownStatus(of selector: DeviceSelector, on adapter: String?) -> KnownStatus {
        let adapters = BlueZSession.shared.adapters
        let index = AdapterChoice(option: adapter).pick(from: adapters.map(AdapterChoice.Candidate.init))
        let devices = index.map { adapters[$0].devices.filter { selector.names($0) } } ?? []
        return devices.contains(where: \.isPaired)
            ? .paired : devices.contains(where: \.isConnected) ? .connected : .unknown
    }

    /// A link to a device that is paired is encrypted before anything else: that shows whether the keys are there.
    @MainActor
    private func checkKeys(_ context: CommandContext, until deadline: ContinuousClock.Instant) async throws {
        do {
            try await context.connect(target.selector, until: deadline, limit: target.connectTimeout)
        } catch var failure as CommandError {
            if failure.pairingProblem == .peerRemovedPairingInformation { failure.status = .keysLostByDevice }
            failure.attempt = attempt
            throw failure
        }
        context.output.print("\(target.device) is already paired") { object in object.add("paired", target.device) }
    }
}

extension CBPairingCapability {
    fileprivate static let names = allCases.map(\.rawValue).joined(separator: ", ")

    @Sendable fileprivate static func parse(_ text: String) throws -> CBPairingCapability {
        guard let capability = CBPairingCapability(rawValue: text) else {
            throw ValidationError("expected one of \(names)")
        }
        return capability
    }
}
