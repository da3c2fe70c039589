// The names of Bluejay 0.7 that do not clash with later ones.

extension Bluejay {
    /// Starts, and registers a connection observer and a disconnect handler.
    @available(*, deprecated, message: "Use start(mode:), register(connectionObserver:) and registerDisconnectHandler")
    public func start(
        mode: StartMode = .new(.default), connectionObserver: ConnectionObserver?,
        disconnectHandler: DisconnectHandler? = nil
    ) {
        if let connectionObserver { register(connectionObserver: connectionObserver) }
        if let disconnectHandler { registerDisconnectHandler(handler: disconnectHandler) }
        start(mode: mode)
    }

    /// Registers a connection observer.
    @available(*, deprecated, renamed: "register(connectionObserver:)")
    public func register(observer: ConnectionObserver) {
        register(connectionObserver: observer)
    }

    /// Removes a connection observer.
    @available(*, deprecated, renamed: "unregister(connectionObserver:)")
    public func unregister(observer: ConnectionObserver) {
        unregister(connectionObserver: observer)
    }

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

extension SynchronizedPeripheral {
    /// Listens and discards values until none has come for some seconds.
    @available(*, deprecated, renamed: "flushListen(to:nonZeroTimeout:completion:)")
    public func flushListen(
        to characteristicIdentifier: CharacteristicIdentifier, idleWindow: Int, completion: @escaping () -> Void
    ) throws {
        try flushListen(
            to: characteristicIdentifier, nonZeroTimeout: .seconds(TimeInterval(idleWindow)), completion: completion)
    }
}

extension StartOptions {
    /// No alert, no restoration.
    @available(*, deprecated, renamed: "default")
    public static var bluejayDefault: StartOptions { .default }
}

extension PeripheralIdentifier {
    /// Names a peripheral by its UUID only.
    @available(*, deprecated, renamed: "init(uuid:name:)")
    public init(uuid: UUID) {
        self.init(uuid: uuid, name: nil)
    }

    /// The UUID as text.
    @available(*, deprecated, message: "Use uuid.uuidString")
    public var string: String { uuid.uuidString }
}

extension ScanAction {
    /// Ends the scan, then connects, however long it takes.
    @available(*, deprecated, message: "Use connect with a timeout and warning options")
    public static func connect(
        _ discovery: ScanDiscovery, _ completion: @escaping (ConnectionResult) -> Void
    ) -> ScanAction {
        .connect(discovery, .none, .default, completion)
    }
}
