package import BlueZ

/// Publishes services of our own, advertises them and serves the centrals that connect.
///
/// Methods return at once; what comes of them is reported to the delegate on the manager's queue. A call while the
/// manager is not powered on is ignored and reported on standard error.
open class CBPeripheralManager: CBManager, @unchecked Swift.Sendable {
    /// Receives what happens. May be replaced at any time; the next event goes to the new one.
    open var delegate: (any CBPeripheralManagerDelegate)? {
        get { stored.withLock { $0.delegate } }
        set { stored.withLock { $0.delegate = newValue } }
    }

    /// Whether the services are advertised: from `peripheralManagerDidStartAdvertising` without error until
    /// ``stopAdvertising()`` or loss of power.
    open internal(set) var isAdvertising: Bool {
        get { stored.withLock { $0.isAdvertising } }
        set { stored.withLock { $0.isAdvertising = newValue } }
    }

    /// The options that the manager was created with.
    let options: [String: Any]
    /// Does the work. Not exchanged once the manager is in use.
    var engine: (any PeripheralEngine)?

    private struct Stored {
        weak var delegate: (any CBPeripheralManagerDelegate)?
        var isAdvertising = false
    }

    private let stored: Locked<Stored>

    /// Creates a manager without a delegate that uses the main queue.
    public convenience init() {
        self.init(delegate: nil, queue: nil, options: nil)
    }

    /// Creates a manager without options.
    public convenience init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// Creates a manager. Its state is ``CBManagerState/unknown`` until the delegate's first call.
    ///
    /// - Parameters:
    ///   - queue: a serial queue on which the delegate is called; the main queue if nil.
    ///   - options: by the keys `CBPeripheralManagerOption…`; among them, on Linux,
    ///     `CBPeripheralManagerOptionAdapterKey`.
    public init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
        stored = Locked(Stored(delegate: delegate))
        self.options = options ?? [:]
        super.init(queue: queue)
        startEngine(agent: AgentAccess(), session: .shared)
    }

    /// Creates a manager on another bluetoothd than the system's, and perhaps with another agent than the user's.
    ///
    /// - Parameter pairing: who answers while centrals pair, from the start.
    package init(
        delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil,
        agent: AgentAccess = AgentAccess(), session: BlueZSession,
        pairing: (delegate: any CBPairingDelegate, capability: CBPairingCapability)? = nil
    ) {
        stored = Locked(Stored(delegate: delegate))
        self.options = options ?? [:]
        super.init(queue: queue)
        startEngine(agent: agent, session: session, pairing: pairing)
    }

    private func startEngine(
        agent: AgentAccess, session: BlueZSession,
        pairing: (delegate: any CBPairingDelegate, capability: CBPairingCapability)? = nil
    ) {
        guard let identifier = options[CBPeripheralManagerOptionRestoreIdentifierKey] as? String else {
            let engine = BlueZPeripheralEngine(manager: self, session: session)
            self.engine = engine
            // Before the agent is registered, so that it is registered once.
            if let pairing { setPairingDelegate(pairing.delegate, capability: pairing.capability) }
            return engine.start()
        }
        let registration = AppRegistration(
            identifier: identifier, command: options[CBPeripheralManagerOptionRestoreCommandKey] as? [String],
            role: .peripheral, adapter: AdapterChoice(option: options[CBPeripheralManagerOptionAdapterKey]).name)
        let engine = RestorablePeripheralEngine(
            manager: self, registration: registration, agent: agent, session: session)
        self.engine = engine
        if let pairing { setPairingDelegate(pairing.delegate, capability: pairing.capability) }
        engine.start()
    }

    deinit {
        engine?.invalidate()
    }

    /// Starts to advertise; answered by `peripheralManagerDidStartAdvertising(_:error:)`.
    ///
    /// - Parameter advertisementData: `CBAdvertisementDataLocalNameKey` and `CBAdvertisementDataServiceUUIDsKey`; on
    ///   Linux also `CBAdvertisementDataManufacturerDataKey`, `CBAdvertisementDataAllManufacturerDataKey`,
    ///   `CBAdvertisementDataServiceDataKey` and, with any number, `CBAdvertisementDataTxPowerLevelKey`: the
    ///   controller's own transmit power goes with the advertisement. Other keys are ignored with a warning.
    open func startAdvertising(_ advertisementData: [String: Any]?) {
        guard isPoweredOn(#function) else { return }
        engine?.startAdvertising(advertisementData ?? [:])
    }

    /// Stops advertising, if it is on.
    open func stopAdvertising() {
        // The engine first: what ``advertisingStarted(unless:)`` asks it then says so, or comes before.
        engine?.stopAdvertising()
        isAdvertising = false
    }

    /// Calls `done` once, on any thread, when bluetoothd has done or refused all that this manager has asked for. A
    /// program that ends earlier may leave its advertisement to bluetoothd.
    package func settle(_ done: @escaping @Sendable () -> Void) {
        guard let engine else { return done() }
        engine.settle(done)
    }

    /// The services are advertised now, unless the program has stopped that meanwhile, on whatever thread.
    func advertisingStarted(unless wasStopped: () -> Bool) {
        stored.withLock { $0.isAdvertising = !wasStopped() }
    }

    /// Publishes a service; answered by `peripheralManager(_:didAdd:error:)` with the same object. The services that it
    /// includes have to be published before.
    open func add(_ service: CBMutableService) {
        guard isPoweredOn(#function) else { return }
        engine?.add(service)
    }

    /// Withdraws a service. Connected centrals get an indication that the services have changed; links and
    /// subscriptions to other services stay. The service may be added again.
    open func remove(_ service: CBMutableService) {
        guard isPoweredOn(#function) else { return }
        engine?.remove(service)
    }

    /// Withdraws all services of this manager.
    open func removeAllServices() {
        guard isPoweredOn(#function) else { return }
        engine?.removeAllServices()
    }

    /// Answers a request, with any code of ``CBATTError``; bluetoothd (5.66) passes on `readNotPermitted` for reads,
    /// `writeNotPermitted` for writes, `requestNotSupported`, `invalidOffset`, `insufficientAuthorization`,
    /// `invalidAttributeValueLength`, 0x80 to 0x9F and 0xFE, and makes `unlikelyError` of all others.
    ///
    /// Exactly once for each `didReceiveRead` and `didReceiveWrite`, there to the first of the requests;
    /// for a read after ``CBATTRequest/value`` was set.
    ///
    /// A central that gets no answer gives the connection up after 30 seconds.
    open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {
        guard isPoweredOn(#function) else { return }
        engine?.respond(to: request, with: result)
    }

    /// Sends a notification or an indication.
    ///
    /// - Parameters:
    ///   - value: what does not fit into ``CBCentral/maximumUpdateValueLength`` is cut off.
    ///   - centrals: to which of the subscribed centrals; to all if nil. Linux: bluetoothd (5.66) cannot choose among
    ///     them; the value goes to all if one of these is subscribed, else to none.
    /// - Returns: false if the queue is full: nothing was sent, and `peripheralManagerIsReady(toUpdateSubscribers:)`
    ///   is called when there is room again.
    @discardableResult
    open func updateValue(
        _ value: Data, for characteristic: CBMutableCharacteristic, onSubscribedCentrals centrals: [CBCentral]?
    ) -> Bool {
        guard isPoweredOn(#function) else { return false }
        return engine?.updateValue(value, for: characteristic, on: centrals) ?? false
    }

    /// Asks for a connection that reacts more quickly or more sparingly. Without effect on Linux.
    open func setDesiredConnectionLatency(_ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral) {}

    /// Offers an L2CAP channel at a number (PSM) from 0x80 to 0xFF that is free; answered by
    /// `peripheralManager(_:didPublishL2CAPChannel:error:)`, and then by `peripheralManager(_:didOpen:error:)` for each
    /// channel that a central opens. A central learns the number from the program, commonly by a characteristic with
    /// the UUID ``CBUUIDL2CAPPSMCharacteristicString``.
    ///
    /// - Parameter encryptionRequired: whether a central has to pair first.
    open func publishL2CAPChannel(withEncryption encryptionRequired: Bool) {
        publishL2CAPChannel(at: nil, withEncryption: encryptionRequired)
    }

    /// - Parameter psm: nil for the first that is free. Below 0x80 the program needs the capability
    ///   CAP_NET_BIND_SERVICE.
    package func publishL2CAPChannel(at psm: CBL2CAPPSM?, withEncryption encryptionRequired: Bool) {
        guard isPoweredOn("publishL2CAPChannel") else { return }
        engine?.publishL2CAPChannel(psm, encrypted: encryptionRequired)
    }

    /// Withdraws an L2CAP channel; answered by `peripheralManager(_:didUnpublishL2CAPChannel:error:)`. Channels that
    /// centrals have opened stay open.
    open func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) {
        guard isPoweredOn(#function) else { return }
        engine?.unpublishL2CAPChannel(PSM)
    }

    /// Always authorized on Linux.
    @available(*, deprecated, message: "Use authorization")
    @discardableResult
    open class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus { .authorized }

    override func pairingSettingsChanged(_ settings: PairingSettings?) { engine?.setPairing(settings) }

    private func isPoweredOn(_ call: String) -> Bool {
        if state == .poweredOn { return true }
        Diagnostics.misuse("\(call) while the peripheral manager is not powered on (its state is \(state))")
        return false
    }
}
