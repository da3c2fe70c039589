extension Bluejay {
    /// Starts Bluejay: creates a central manager or takes one over. Operations wait until Bluetooth is on for the first
    /// time.
    ///
    /// A second start is logged and ignored, unless ``stopAndExtractBluetoothState()`` was called before it.
    public func start(mode: StartMode = .new(.default)) {
        let mode = UncheckedTransfer(mode)
        MainQueue.sync { startNow(mode.value) }
    }

    private func startNow(_ mode: StartMode) {
        guard central == nil else { return log("Bluejay is already started; this start is ignored") }
        switch mode {
        case .new(let options):
            var managerOptions: [String: Any] = [
                CBCentralManagerOptionShowPowerAlertKey: options.enableBluetoothAlert
            ]
            if case .enable(let config) = options.backgroundRestore {
                restoration = Restoration(config)
                managerOptions[CBCentralManagerOptionRestoreIdentifierKey] = config.restoreIdentifier
                beginStartup()
            }
            central = CBCentralManager(delegate: self, queue: .main, options: managerOptions)
        case .use(let manager, let peripheral):
            central = manager
            manager.delegate = self
            if let peripheral { adopt(peripheral) }
            // A manager that is already on will not report that again.
            if manager.state == .poweredOn { centralManagerDidUpdateState(manager) }
            if let connected { notify { $0.connected(to: connected.identifier) } }
        }
    }

    private func adopt(_ peripheral: CBPeripheral) {
        guard peripheral.state == .connected else {
            return log("Ignored \(PeripheralIdentifier(peripheral).description) at the start: it is not connected")
        }
        adoptLink(to: peripheral)
    }

    /// Takes over a connection that was made elsewhere.
    func adoptLink(to peripheral: CBPeripheral) {
        link.adopted(
            ConnectedPeripheral(peripheral, delegate: self, log: log), to: PeripheralIdentifier(peripheral))
    }

    /// Stops Bluejay without disconnecting, and returns the central manager and the connected peripheral, if any.
    ///
    /// Queued operations fail with ``BluejayError/stopped``. Connection observers, the disconnect handler and listeners
    /// are removed. Calling this before ``start(mode:)`` or while connecting is a programming error and ends the
    /// program.
    public func stopAndExtractBluetoothState() -> (manager: CBCentralManager, peripheral: CBPeripheral?) {
        let state = MainQueue.sync { UncheckedTransfer(stopNow()) }
        return state.value
    }

    private func stopNow() -> (manager: CBCentralManager, peripheral: CBPeripheral?) {
        if link.attempt != nil { preconditionFailure("Bluejay cannot be stopped while it is connecting") }
        guard let manager = central else { preconditionFailure("Bluejay cannot be stopped before it is started") }
        let peripheral = connected
        queue.hold {
            perform(link.stopped())
            ConnectionEventRelay.finish(among: connectionObservers.living)
            connectionObservers.removeAll()
            disconnectHandler = nil
            restoration = nil
            startup.clear()
            manager.delegate = nil
            central = nil
            wasPoweredOn = false
            queue.pause()
        }
        return (manager, peripheral?.cbPeripheral)
    }

    /// Fails the scan, then every other operation in the order of the queue. Can be called on any thread.
    ///
    /// A pending connection attempt is always given up. Its completion, and the completions of operations behind it,
    /// are called when the system has confirmed that. Blocking calls of a background task throw the error, too.
    ///
    /// - Parameters:
    ///   - error: the error that the completions receive.
    ///   - shouldDisconnect: whether to disconnect a connected peripheral, too. If not, listeners stay.
    public func cancelEverything(error: Error = BluejayError.cancelled, shouldDisconnect: Bool = true) {
        MainQueue.run {
            let installing = self.queue.running as? ListenOperation
            self.perform(self.link.cancelled(error, shouldDisconnect: shouldDisconnect))
            if let installing { self.turnOff(installing) }
        }
    }

    /// A listen was cancelled after the peripheral was asked to notify. Asks it to stop, unless there is another
    /// listener.
    private func turnOff(_ operation: ListenOperation) {
        guard let connected, !link.isDisconnecting, !connected.listeners.isListening(to: operation.characteristic)
        else { return }
        queueEndListen(
            to: operation.characteristic, on: connected, Completion(fallback: .failure(BluejayError.cancelled)) { _ in }
        )
    }

    // CBCentralManagerDelegate

    public func centralManagerDidUpdateState(_ central: CBCentralManager) {
        MainQueue.requireForManager()
        log.detail("Bluetooth is \(central.state.string())")
        if central.state == .poweredOn {
            bluetoothIsOn()
        } else {
            bluetoothIsOff()
        }
    }

    private func bluetoothIsOn() {
        let isFirst = !wasPoweredOn
        wasPoweredOn = true
        if isFirst, let restoration, restoration.isUnderWay {
            restore(restoration)
        } else {
            queue.run()
        }
        notify { $0.bluetoothAvailable(true) }
    }

    private func bluetoothIsOff() {
        restoration?.bluetoothWasLost()
        perform(link.bluetoothLost(hadBluetooth: wasPoweredOn))
        notify { $0.bluetoothAvailable(false) }
    }
}

extension Bluejay {
    /// Starts, and registers a connection observer and a disconnect handler. The form of Bluejay 0.7.
    @available(*, deprecated, message: "Use start(mode:), register(connectionObserver:) and registerDisconnectHandler")
    public func start(
        mode: StartMode = .new(.default), connectionObserver: ConnectionObserver?,
        disconnectHandler: DisconnectHandler? = nil
    ) {
        if let connectionObserver { register(connectionObserver: connectionObserver) }
        if let disconnectHandler { registerDisconnectHandler(handler: disconnectHandler) }
        start(mode: mode)
    }
}
