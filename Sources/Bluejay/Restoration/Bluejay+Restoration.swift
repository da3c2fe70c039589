/// The taking up of what an earlier run of the program left behind. Used on the main queue only.
final class Restoration {
    /// How the peripheral stood when it was handed over.
    struct Restored {
        let peripheral: CBPeripheral
        var state: CBPeripheralState
    }

    /// How many seconds the start of a program that is to restore something may take, until Bluetooth is on.
    static let startupTimeLimit: TimeInterval = 30
    /// For how many seconds a connection attempt of the earlier run is continued.
    static let connectionTimeout: TimeInterval = 15

    private(set) weak var backgroundRestorer: (any BackgroundRestorer)?
    private(set) weak var listenRestorer: (any ListenRestorer)?
    /// Whether there may be something to take up: until Bluetooth is on for the first time.
    var isUnderWay: Bool
    var restored: Restored?

    init(_ config: BackgroundRestoreConfig) {
        backgroundRestorer = config.backgroundRestorer
        listenRestorer = config.listenRestorer
        isUnderWay = config.isRestoringFromBackground
    }

    /// Bluetooth is off: whatever there was, it is not connected any more.
    func bluetoothWasLost() {
        restored?.state = .disconnected
    }
}

extension Bluejay {
    public func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        MainQueue.requireForManager()
        guard let restoration else { return log("Ignored the state of an earlier run: restoration is not enabled") }
        let peripherals = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
        if peripherals.count > 1 { log("Of \(peripherals.count) peripherals of an earlier run only one is restored") }
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

    /// The program was started to restore something, which must not take forever.
    func beginStartup() {
        guard let restoration, restoration.isUnderWay else { return }
        startup.set(in: Restoration.startupTimeLimit) { [weak self] in
            guard let self else { return }
            self.log("Restoring the state of an earlier run takes too long")
            self.perform(
                self.link.cancelled(BluejayError.startupBackgroundTaskExpired, shouldDisconnect: false))
        }
    }

    /// Bluetooth is on for the first time: takes up the connection.
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
            // No attempt survives the program that made it; this one is new.
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
        log("The background restorer is gone; nobody is told about the restored connection")
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
    @available(*, deprecated, message: "There are no caches of listens")
    public func clearListenCaches() {}
}
