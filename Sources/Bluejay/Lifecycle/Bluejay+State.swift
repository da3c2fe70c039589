extension Bluejay {
    /// Whether Bluetooth is powered on. False before ``start(mode:)``.
    public var isBluetoothAvailable: Bool {
        MainQueue.sync { central?.state == .poweredOn }
    }

    /// Whether the state of Bluetooth is unknown at the moment, and an update follows. This does not mean that
    /// Bluetooth is off. False before ``start(mode:)``.
    public var isBluetoothStateUpdateImminent: Bool {
        MainQueue.sync { central?.state == .unknown || central?.state == .resetting }
    }

    /// Whether an attempt to connect is under way. An attempt that waits in the queue does not count.
    public var isConnecting: Bool {
        MainQueue.sync { link.attempt != nil }
    }

    /// Whether a peripheral is connected.
    public var isConnected: Bool {
        MainQueue.sync { connected != nil }
    }

    /// Whether the program has requested the end of the connection or attempt, and that end is under way. A disconnect
    /// that waits in the queue does not count.
    public var isDisconnecting: Bool {
        MainQueue.sync { link.isDisconnecting }
    }

    /// Whether Bluejay reconnects after an unexpected disconnect.
    ///
    /// True at first, after every successful connection, and after an unexpected disconnect. False after a requested
    /// disconnect, after the timeout of a connection attempt, and after ``cancelEverything(error:shouldDisconnect:)``
    /// if that disconnects.
    public var shouldAutoReconnect: Bool {
        MainQueue.sync { link.shouldReconnect }
    }

    /// Whether a scan is running or queued.
    public var isScanning: Bool {
        MainQueue.sync { pendingScan != nil }
    }

    /// Whether Bluejay has a central manager: from ``start(mode:)`` to ``stopAndExtractBluetoothState()``.
    public var hasStarted: Bool {
        MainQueue.sync { central != nil }
    }

    /// Whether a restore identifier was given at the start.
    public var isBackgroundRestorationEnabled: Bool {
        MainQueue.sync { restoration != nil }
    }

    /// Whether listeners are called once with a failure when everything is cancelled or the connection ends. Default:
    /// false, and listeners are not called at the end of a connection.
    public var broadcastErrorsToListeners: Bool {
        get { MainQueue.sync { shouldBroadcastErrors } }
        set { MainQueue.sync { shouldBroadcastErrors = newValue } }
    }

    /// The error for a program that needs a connection when there is none.
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
