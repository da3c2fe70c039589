import ArgumentParser
import Bluejay
import LineOutput
import MainLoop

/// What a command runs in: its output, Bluetooth, the device that it is about, and the orderly end of the process.
@MainActor
final class CommandContext {
    let output: Output
    let bluejay: Bluejay
    /// Bluejay uses it, except while something is done that Bluejay's API cannot do.
    let manager: CBCentralManager
    /// The adapter that an option chooses.
    let adapter: String?

    /// Uses the connection in Bluejay's place; nil while Bluejay does.
    private var direct: DirectPeripheral?
    /// Whether an interruption is the ordinary end of the command.
    var endsByInterruption = false
    /// Called when the command ends, in whatever way, while there is output still.
    var onEnd: (@MainActor () async -> Void)?

    private let usesSockets: Bool
    private let delegate: ManagerDelegate
    private let reconnection = ReconnectionChoice()
    private var signals: SignalWatch?
    private var isEnding = false

    /// How long an orderly end may take. bluetoothd answers when the link is down, after 2 s (5.66), and ends the link
    /// even if the program has ended: after a signal that is enough.
    private static let endTimeout: Duration = .seconds(3)
    private static let interruptedEndTimeout: Duration = .milliseconds(700)
    /// How long a reader that has stopped may keep a program that was interrupted.
    private static let readerTimeout = DispatchTimeInterval.milliseconds(300)
    /// How long the state of Bluetooth may be unknown.
    private static let stateTimeout: Duration = .seconds(10)

    private init(_ options: GlobalOptions, _ notifications: NotificationOptions?) {
        output = Output(isJSON: options.json)
        usesSockets = notifications?.sockets ?? false
        adapter = options.adapter
        bluejay = Bluejay()
        delegate = ManagerDelegate()
        var managerOptions: [String: Any] = [CBCentralManagerOptionShowPowerAlertKey: false]
        if let adapter = options.adapter { managerOptions[CBCentralManagerOptionAdapterKey] = adapter }
        if let notifications { managerOptions[CBCentralManagerOptionUseNotifySocketsKey] = notifications.sockets }
        manager = CBCentralManager(delegate: delegate, queue: .main, options: managerOptions)
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
            startBluejay(peripheral: nil)
            // Else each answer that the body awaits would go round by another thread.
            try await withTaskExecutorPreference(MainQueueExecutor.shared) { try await body(self) }
            await end(.done)
        } catch {
            let failure = Failure(error, attempt: "the command failed")
            await end(failure.status, failure)
        }
    }

    /// Gives the manager to Bluejay.
    func startBluejay(peripheral: CBPeripheral?) {
        bluejay.start(mode: .use(manager: manager, peripheral: peripheral))
        bluejay.registerDisconnectHandler(handler: reconnection)
    }

    /// Uses the connected peripheral without Bluejay, until ``handBack()``.
    ///
    /// - Parameter device: the device as the user has named it.
    func takeOver(_ device: String) throws -> DirectPeripheral {
        let state = bluejay.stopAndExtractBluetoothState()
        guard let peripheral = state.peripheral else {
            startBluejay(peripheral: nil)
            let problem = pairingProblem.map(DirectPeripheral.Problem.unencrypted) ?? .linkLost(endOfConnection)
            throw Failure(problem, attempt: "cannot discover the services of \(device)", device: device)
        }
        let direct = DirectPeripheral(peripheral, manager: manager, device: device)
        direct.usesSockets = usesSockets
        self.direct = direct
        return direct
    }

    /// Ends the connection: one with a request that was not answered takes no other.
    func dropConnection() async {
        await direct?.disconnect()
        handBack()
    }

    /// Gives the connection back to Bluejay, if it is still there.
    func handBack() {
        guard let direct else { return }
        self.direct = nil
        direct.release()
        startBluejay(peripheral: direct.peripheral.state == .connected ? direct.peripheral : nil)
    }

    /// Whether Bluejay connects again by itself when the connection is lost.
    var reconnects: Bool {
        get { reconnection.reconnects }
        set { reconnection.reconnects = newValue }
    }

    /// Why the last connection has ended, or the last attempt failed; nil if nothing says so. Bluejay does not hand it
    /// to its observers.
    var endOfConnection: CBError? { reconnection.error }
    /// The same if pairing is the cause.
    var pairingProblem: CBError? { endOfConnection.flatMap { $0.isAboutPairing ? $0 : nil } }

    /// Called when a connection has ended, or an attempt has failed; ``endOfConnection`` says why. An observer of
    /// Bluejay's would be called before that is known.
    func onDisconnection(_ action: ((PeripheralIdentifier) -> Void)?) {
        reconnection.onDisconnection = action
    }

    /// Called when pairing is why a connection has ended or could not be made: Bluejay does not connect again then.
    func onPairingProblem(_ action: ((CBError) -> Void)?) {
        reconnection.onPairingProblem = action
    }

    private func waitForPower() async throws {
        let state = await delegate.firstState(of: manager, timeout: Self.stateTimeout)
        switch state {
        case .poweredOn: return
        case .poweredOff:
            throw Failure(.bluetoothUnavailable, "Bluetooth is off: switch the adapter on; \(doctorsAdvice)")
        case .unauthorized:
            throw Failure(
                .bluetoothUnavailable,
                "this user is not permitted to use Bluetooth (refused by the system bus); \(doctorsAdvice)")
        case .unsupported:
            throw Failure(
                .bluetoothUnavailable,
                "no usable Bluetooth adapter found, or bluetoothd is not running; "
                    + doctorsAdvice)
        case .unknown, .resetting:
            throw Failure(
                .bluetoothUnavailable, "Bluetooth does not answer: is bluetoothd running? \(doctorsAdvice)")
        }
    }

    // MARK: Ending

    private func end(_ status: ExitStatus, _ failure: Failure? = nil) async -> Never {
        await end(status.rawValue, failure)
    }

    /// - Parameter isInterrupted: whether it ends soon, whatever it waits for.
    private func end(_ status: Int32, _ failure: Failure? = nil, isInterrupted: Bool = false) async -> Never {
        // Once only: a signal may come while the command ends by itself.
        while isEnding { try? await Task.sleep(for: .seconds(60)) }
        isEnding = true
        await onEnd?()
        output.flush()
        handBack()
        if bluejay.isConnected || bluejay.isConnecting {
            await disconnect(within: isInterrupted ? Self.interruptedEndTimeout : Self.endTimeout)
        }
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
        let failure = Failure(error, attempt: "the command failed")
        Task { await end(failure.status.rawValue, failure, isInterrupted: true) }
    }

    private func disconnect(within timeout: Duration) async {
        let end = FirstOutcome<Void>()
        bluejay.disconnect(immediate: true) { _ in end.report() }
        await end.wait(within: timeout)
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

/// Waits for the first state of a manager.
@MainActor
final class ManagerDelegate: NSObject, @preconcurrency CBCentralManagerDelegate {
    private let isKnown = FirstOutcome<Void>()

    /// Waits until the state is known.
    func firstState(of manager: CBCentralManager, timeout: Duration) async -> CBManagerState {
        if manager.state == .unknown || manager.state == .resetting { await isKnown.wait(within: timeout) }
        return manager.state
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state != .unknown, central.state != .resetting { isKnown.report() }
    }
}

/// Decides what follows the end of the connection.
@MainActor
private final class ReconnectionChoice: @preconcurrency DisconnectHandler {
    var reconnects = false
    private(set) var error: CBError?
    var onDisconnection: ((PeripheralIdentifier) -> Void)?
    var onPairingProblem: ((CBError) -> Void)?

    func didDisconnect(
        from peripheral: PeripheralIdentifier, with error: Error?, willReconnect autoReconnect: Bool
    ) -> AutoReconnectMode {
        self.error = error as? CBError
        onDisconnection?(peripheral)
        if autoReconnect, let error = self.error, error.isAboutPairing, let onPairingProblem {
            onPairingProblem(error)
            return .change(shouldAutoReconnect: false)
        }
        return reconnects ? .noChange : .change(shouldAutoReconnect: false)
    }
}
