extension Bluejay {
    /// Whether there is a central manager and it is powered on. False before ``start(mode:)``.
    public var isBluetoothAvailable: Bool {
        MainQueue.sync { central?.state == .poweredOn }
    }

    /// Whether it is not known yet, or for the moment, if Bluetooth is available; an update follows. That is something
    /// else than Bluetooth being off. False before ``start(mode:)``.
    public var isBluetoothStateUpdateImminent: Bool {
        MainQueue.sync { central?.state == .unknown || central?.state == .resetting }
    }

    /// Whether an attempt to connect is under way. One that waits in the queue does not count.
    public var isConnecting: Bool {
        MainQueue.sync { link.attempt != nil }
    }

    /// Whether a peripheral is connected.
    public var isConnected: Bool {
        MainQueue.sync { connected != nil }
    }

    /// Whether a connection is being ended or an attempt given up at the program's request. One that waits in the queue
    /// does not count.
    public var isDisconnecting: Bool {
        MainQueue.sync { link.isDisconnecting }
    }

    /// Whether Bluejay would connect again after an unexpected disconnect.
    ///
    /// True at first, after every successful connection and after an unexpected disconnect; false after a requested
    /// disconnect, after a connection attempt timed out, and after ``cancelEverything(error:shouldDisconnect:)`` if that
    /// disconnects.
    public var shouldAutoReconnect: Bool {
        MainQueue.sync { link.shouldReconnect }
    }

    /// Whether a scan is running or queued.
    public var isScanning: Bool {
        MainQueue.sync { pendingScan != nil }
    }

    /// Whether there is a central manager: from ``start(mode:)`` to ``stopAndExtractBluetoothState()``.
    public var hasStarted: Bool {
        MainQueue.sync { central != nil }
    }

    /// Whether a restore identifier was given at the start.
    public var isBackgroundRestorationEnabled: Bool {
        MainQueue.sync { restoration != nil }
    }

    /// Whether listeners are told once, with a failure, when everything is cancelled or the connection ends. Off by
    /// default: then the listeners of a connection that ends hear nothing.
    public var broadcastErrorsToListeners: Bool {
        get { MainQueue.sync { shouldBroadcastErrors } }
        set { MainQueue.sync { shouldBroadcastErrors = newValue } }
    }

    /// Why there is no connected peripheral, as a program is told that needs one.
    var notConnectedError: any Error {
        central == nil ? BluejayNotStartedError() : BluejayError.notConnected
    }

    /// The connected peripheral.
    var connected: ConnectedPeripheral? { link.connection }

    var pendingScan: ScanOperation? {
        if let scanOperation, scanOperation.phase != .ended { scanOperation } else { nil }
    }

    var pendingConnection: ConnectOperation? {
        if let connectOperation, connectOperation.phase != .ended { connectOperation } else { nil }
    }

    var pendingDisconnection: DisconnectOperation? {
        if let disconnectOperation, disconnectOperation.phase != .ended { disconnectOperation } else { nil }
    }
}
