import ArgumentParser
import CoreBluetooth
import LineOutput
import MainLoop

/// What a command runs in: its output, Bluetooth, the device that it is about, and the orderly end of the process.
@MainActor
final class CommandContext {
    let output: Output
    let central: AsyncCentral
    /// The adapter that an option chooses.
    let adapter: String?

    /// Whether an interruption is the ordinary end of the command.
    var endsByInterruption = false
    /// Called when the command ends, in whatever way, while there is output still.
    var onEnd: (@MainActor () async -> Void)?

    /// Whether notifications come from sockets.
    let usesSockets: Bool
    private var signals: SignalWatch?
    private(set) var isEnding = false

    /// How long an orderly end may take, in seconds. bluetoothd answers when the link is down, after 2 s (5.66), and
    /// ends the link even if the program has ended: after a signal that is enough.
    private static let endTimeout = 3.0
    private static let interruptedEndTimeout = 0.7
    /// How long a reader that has stopped may keep a program that was interrupted.
    private static let readerTimeout = DispatchTimeInterval.milliseconds(300)
    /// How long the state of Bluetooth may be unknown, in seconds.
    private static let stateTimeout = 10.0

    private init(_ options: GlobalOptions, _ notifications: NotificationOptions?) {
        output = Output(isJSON: options.json)
        usesSockets = notifications?.sockets ?? false
        adapter = options.adapter
        var managerOptions: [String: Any] = [CBCentralManagerOptionShowPowerAlertKey: false]
        if let adapter = options.adapter { managerOptions[CBCentralManagerOptionAdapterKey] = adapter }
        if let notifications { managerOptions[CBCentralManagerOptionUseNotifySocketsKey] = notifications.sockets }
        central = AsyncCentral(options: managerOptions)
    }

    // MARK: Life

    /// Runs a command: switches Bluetooth on for the program, runs `body`, disconnects, and ends the process with the
    /// command's exit status.
    static func run(
        _ options: GlobalOptions, notifications: NotificationOptions? = nil, endsByInterruption: Bool = false,
        _ body: @escaping @Sendable @MainActor (CommandContext) async throws -> Void
    ) async -> Never {
        let context = CommandContext(options, notifications)
        await context.run(endsByInterruption: endsByInterruption, body)
    }

    private func run(
        endsByInterruption: Bool, _ body: @MainActor (CommandContext) async throws -> Void
    ) async -> Never {
        self.endsByInterruption = endsByInterruption
        watchSignals()
        output.onLoss { [weak self] error in self?.outputIsLost(error) }
        do {
            try await waitForPower()
            // Else each answer that the body awaits would go round by another thread.
            try await withTaskExecutorPreference(MainQueueExecutor.shared) { try await body(self) }
            await end(.done)
        } catch {
            let failure = CommandError(error, attempt: "the command failed")
            await end(failure.status, failure)
        }
    }

    private func waitForPower() async throws {
        switch await central.knownState(within: Self.stateTimeout) {
        case .poweredOn: return
        case .poweredOff:
            throw CommandError(.bluetoothUnavailable, "Bluetooth is off: switch the adapter on; \(doctorsAdvice)")
        case .unauthorized:
            throw CommandError(
                .bluetoothUnavailable,
                "this user is not permitted to use Bluetooth (refused by the system bus); \(doctorsAdvice)")
        case .unsupported:
            throw CommandError(
                .bluetoothUnavailable,
                "no usable Bluetooth adapter found, or bluetoothd is not running; "
                    + doctorsAdvice)
        case .unknown, .resetting:
            throw CommandError(
                .bluetoothUnavailable, "Bluetooth does not answer: is bluetoothd running? \(doctorsAdvice)")
        }
    }

    // MARK: Ending

    private func end(_ status: ExitStatus, _ failure: CommandError? = nil) async -> Never {
        await end(status.rawValue, failure)
    }

    /// - Parameter isInterrupted: whether it ends soon, whatever it waits for.
    private func end(_ status: Int32, _ failure: CommandError? = nil, isInterrupted: Bool = false) async -> Never {
        // Once only: a signal may come while the command ends by itself.
        while isEnding { try? await Task.sleep(for: .seconds(60)) }
        isEnding = true
        await onEnd?()
        output.flush()
        await central.end(within: isInterrupted ? Self.interruptedEndTimeout : Self.endTimeout)
        if let failure { output.failure(failure) }
        let loss = await output.finish(within: isInterrupted ? Self.readerTimeout : nil)
        guard let loss, !loss.isByTheReader else { Foundation.exit(status) }
        if failure?.status != .outputLost { StandardError.write("bluejay: \(loss)") }
        Foundation.exit(status == ExitStatus.done.rawValue ? ExitStatus.outputLost.rawValue : status)
    }

    /// Ends because the reader has closed the pipe, or because a program without output is of no use.
    private func outputIsLost(_ error: OutputError) {
        // The end notices it by itself.
        if isEnding { return }
        if error.isByTheReader { return interrupt(status: ExitStatus.done.rawValue) }
        let failure = CommandError(error, attempt: "the command failed")
        Task { await end(failure.status.rawValue, failure, isInterrupted: true) }
    }

    private func watchSignals() {
        signals = SignalWatch(SignalWatch.ending, queue: .main) { [weak self] number in
            MainActor.assumeIsolated {
                guard let self else { return }
                self.interrupt(status: self.endsByInterruption ? 0 : 128 + number)
            }
        }
    }

    /// Ends the program in order; the second time at once.
    private func interrupt(status: Int32) {
        if isEnding { Foundation.exit(130) }
        Task { await end(status, isInterrupted: true) }
    }
}
