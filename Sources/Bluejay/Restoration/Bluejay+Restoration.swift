/// Restoring the state of an earlier run of the program. Used on the main queue only.
final class Restoration {
    /// The peripheral of the earlier run, and its state.
    struct Restored {
        let peripheral: CBPeripheral
        var state: CBPeripheralState
    }

    /// How long a program that restores something may wait until Bluetooth is on, in seconds.
    static let startupTimeLimit: TimeInterval = 30
    /// The timeout of a connection attempt that continues one of the earlier run, in seconds.
    static let connectionTimeout: TimeInterval = 15

    private(set) weak var backgroundRestorer: (any BackgroundRestorer)?
    private(set) weak var listenRestorer: (any ListenRestorer)?
    /// Whether there may be something to restore. False after Bluetooth was on for the first time.
    var isUnderWay: Bool
    var restored: Restored?

    init(_ config: BackgroundRestoreConfig) {
        backgroundRestorer = config.backgroundRestorer
        listenRestorer = config.listenRestorer
        isUnderWay = config.isRestoringFromBackground
    }

    /// Bluetooth is off, so the peripheral is no longer connected.
    func bluetoothWasLost() {
        restored?.state = .disconnected
    }
}

extension Bluejay {
    public func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        MainQueue.requireForManager()
        guard let restoration else { return log("Ignored the state of an earlier run: restoration is not enabled") }
        let peripherals = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
        if peripherals.count > 1 { log("An earlier run had \(peripherals.count) peripherals; only one is restored") }
        guard let peripheral = peripherals.first(where: { $0.state == .connected }) ?? peripherals.first else {
            restoration.isUnderWay = false
            startup.clear()
            return
        }
        restoration.isUnderWay = true
        restoration.restored = Restoration.Restored(peripheral: peripheral, state: peripheral.state)
        if peripheral.state == .connected {
            adoptLink(to: peripheral)
        }
    }

    /// Limits the time until Bluetooth is on, if the program was started to restore something.
    func beginStartup() {
        guard let restoration, restoration.isUnderWay else { return }
        startup.set(in: Restoration.startupTimeLimit) { [weak self] in
            guard let self else { return }
            self.log("Restoring the state of an earlier run has taken too long")
            self.perform(
                self.link.cancelled(BluejayError.startupBackgroundTaskExpired, shouldDisconnect: false))
        }
    }

    /// Restores the connection, because Bluetooth is on for the first time.
    func restore(_ restoration: Restoration) {
        restoration.isUnderWay = false
        startup.clear()
        queue.failAll(BluejayError.backgroundRestorationInProgress)
        queue.run()
        guard let restored = restoration.restored else { return }
        restoration.restored = nil
        let identifier = PeripheralIdentifier(restored.peripheral)
        switch restored.state {
        case .connected:
            didRestore(identifier)
            notify { $0.connected(to: identifier) }
        case .connecting:
            // An attempt ends with its program, so this is a new one.
            let completion = Completion<ConnectionResult>(fallback: .failure(BluejayError.cancelled)) {
                [weak self] result in
                switch result {
                case .success(let identifier): self?.didRestore(identifier)
                case .failure(let error): self?.didFailToRestore(identifier, error)
                }
            }
            queueConnection(
                to: identifier, timeout: .seconds(Restoration.connectionTimeout),
                warningOptions: defaultWarningOptions, isRestoration: true, completion: completion)
        default:
            didFailToRestore(identifier, BluejayError.notConnected)
        }
    }

    private func didRestore(_ identifier: PeripheralIdentifier) {
        follow(restorer?.didRestoreConnection(to: identifier))
    }

    private func didFailToRestore(_ identifier: PeripheralIdentifier, _ error: any Error) {
        follow(restorer?.didFailToRestoreConnection(to: identifier, error: error))
    }

    private var restorer: (any BackgroundRestorer)? {
        if let restorer = restoration?.backgroundRestorer { return restorer }
        log("The background restorer no longer exists; the restored connection is not reported")
        return nil
    }

    private func follow(_ completion: BackgroundRestoreCompletion?) {
        if case .callback(let action)? = completion { action() }
    }
}

// The names of Bluejay 0.7.
extension Bluejay {
    /// Listens again after a restoration.
    @available(*, deprecated, renamed: "listen(to:completion:)")
    public func restoreListen<R: Receivable>(
        to characteristicIdentifier: CharacteristicIdentifier, completion: @escaping (ReadResult<R>) -> Void
    ) {
        listen(to: characteristicIdentifier, completion: completion)
    }

    /// Does nothing: there are no caches of listens.
    @available(*, deprecated, message: "Listens are not cached")
    public func clearListenCaches() {}
}
