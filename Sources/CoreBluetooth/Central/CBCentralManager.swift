package import BlueZ
import MainLoop

/// Finds peripherals and connects to them.
///
/// Every method returns at once; what comes of it is reported to the delegate on the manager's queue. A call while the
/// manager is not powered on is ignored and reported on standard error.
open class CBCentralManager: CBManager, @unchecked Swift.Sendable {
    /// Receives what happens. May be replaced at any time; the next event goes to the new one.
    open var delegate: (any CBCentralManagerDelegate)? {
        get { stored.withLock { $0.delegate } }
        set { stored.withLock { $0.delegate = newValue } }
    }

    /// Whether a scan is on: from ``scanForPeripherals(withServices:options:)`` until ``stopScan()`` or loss of power.
    open internal(set) var isScanning: Bool {
        get { stored.withLock { $0.isScanning } }
        set { stored.withLock { $0.isScanning = newValue } }
    }

    /// The options that the manager was created with.
    let options: [String: Any]
    /// Does the work. Not exchanged once the manager is in use.
    var engine: (any CentralEngine)?

    private struct Stored {
        weak var delegate: (any CBCentralManagerDelegate)?
        var isScanning = false
    }

    private let stored: Locked<Stored>

    /// Creates a manager without a delegate that uses the main queue.
    public convenience init() {
        self.init(delegate: nil, queue: nil, options: nil)
    }

    /// Creates a manager without options.
    public convenience init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// Creates a manager. Its state is ``CBManagerState/unknown`` until the delegate's first call.
    ///
    /// - Parameters:
    ///   - queue: a serial queue on which the delegate is called; the main queue if nil.
    ///   - options: by the keys `CBCentralManagerOption…`; among them, on Linux, `CBCentralManagerOptionAdapterKey`.
    public init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
        stored = Locked(Stored(delegate: delegate))
        self.options = options ?? [:]
        super.init(queue: queue)
        startEngine(agent: AgentAccess(), session: .shared)
    }

    /// Creates a manager on another bluetoothd than the system's, and perhaps with another agent than the user's.
    package init(
        delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil,
        agent: AgentAccess = AgentAccess(), session: BlueZSession
    ) {
        stored = Locked(Stored(delegate: delegate))
        self.options = options ?? [:]
        super.init(queue: queue)
        startEngine(agent: agent, session: session)
    }

    private func startEngine(agent: AgentAccess, session: BlueZSession) {
        let engine = BlueZCentralEngine(manager: self, agent: agent, session: session)
        self.engine = engine
        engine.start()
    }

    deinit {
        engine?.invalidate()
    }

    /// Scans until ``stopScan()``. A scan that is on already is replaced, and everything is reported again.
    ///
    /// - Parameters:
    ///   - serviceUUIDs: report peripherals that advertise any of these services; all peripherals if nil or empty.
    ///   - options: by the keys `CBCentralManagerScanOption…`.
    open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
        guard isPoweredOn(#function) else { return }
        // In one step: of two threads that start and stop, the engine must not hear the one last and `isScanning` the
        // other.
        stored.withLock {
            $0.isScanning = true
            engine?.scan(for: serviceUUIDs?.nilIfEmpty, options: options ?? [:])
        }
    }

    /// Stops the scan, if there is one.
    open func stopScan() {
        stored.withLock {
            guard $0.isScanning else { return }
            $0.isScanning = false
            engine?.stopScan()
        }
    }

    /// Calls `done` once, on any thread, when bluetoothd has ended the scan that was stopped. A program that ends
    /// earlier may leave bluetoothd scanning.
    package func settle(_ done: @escaping @Sendable () -> Void) {
        guard let engine else { return done() }
        engine.settle(done)
    }

    /// Connects to a peripheral, however long it takes: there is no timeout, and a peripheral that is away is connected
    /// when it comes back.
    ///
    /// - Parameter options: by the keys `CBConnectPeripheralOption…`.
    open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
        guard isPoweredOn(#function), isOwn(peripheral, #function) else { return }
        engine?.connect(peripheral, options: options ?? [:])
    }

    /// Ends a connection or gives up a pending one. The delegate's disconnect method confirms it in both cases, without
    /// an error. The link itself stays if another program had made it before, or another manager of this program uses
    /// it.
    ///
    /// A ``connect(_:options:)`` that follows is pending until then.
    open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
        guard isPoweredOn(#function), isOwn(peripheral, #function) else { return }
        engine?.cancelConnection(peripheral)
    }

    /// The peripherals with these identifiers that the system knows, in the order asked for. Empty unless powered on.
    @discardableResult
    open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
        guard isPoweredOn(#function) else { return [] }
        return engine?.peripherals(withIdentifiers: identifiers) ?? []
    }

    /// The peripherals that some program on this machine is connected to and that have one of the services. They can be
    /// used after ``connect(_:options:)``, which is quick then. Empty unless powered on.
    @discardableResult
    open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
        guard isPoweredOn(#function) else { return [] }
        return engine?.connectedPeripherals(withServices: serviceUUIDs) ?? []
    }

    /// Whether the system has a feature, on Linux: the controller that managers use unless they are given another.
    ///
    /// It is known when a manager of the program has reported its state; until then the answer is false.
    @discardableResult
    open class func supports(_ features: CBCentralManager.Feature) -> Bool {
        supports(features, session: .shared)
    }

    class func supports(_ features: CBCentralManager.Feature, session: BlueZSession) -> Bool {
        guard features.isSubset(of: .extendedScanAndConnect) else { return false }
        guard !features.isEmpty else { return true }
        return MainLoop.shared.sync {
            let adapters = session.adapters
            let index = AdapterChoice(option: nil).pick(from: adapters.map(AdapterChoice.Candidate.init))
            return index.map { adapters[$0].isExtended } ?? false
        }
    }

    /// Asks for `connectionEventDidOccur` whenever any program connects or disconnects a matching device.
    ///
    /// - Parameter options: which devices; nil to stop.
    open func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]? = nil) {
        guard isPoweredOn(#function) else { return }
        engine?.registerForConnectionEvents(options)
    }

    // MARK: Pairing, on Linux

    /// Pairs with a peripheral, with the help of the ``CBManager/pairingDelegate``. Connects first if it is not
    /// connected, and ends that connection afterwards. A Linux addition.
    ///
    /// A request that needs it makes bluetoothd pair as well; this reports what comes of it.
    ///
    /// - Parameters:
    ///   - peripheral: one that was discovered. Nothing happens if it is paired already.
    ///   - completion: called once, on the manager's queue: without an error when the keys are kept on this machine.
    public func pair(
        _ peripheral: CBPeripheral, completion: @escaping @Sendable (CBPairingError?) -> Void
    ) {
        guard isPoweredOn(#function), isOwn(peripheral, #function), let engine else {
            return queue.async { completion(.failed("the central manager cannot be used")) }
        }
        engine.pair(peripheral, completion: completion)
    }

    /// As ``pair(_:completion:)``. A Linux addition.
    ///
    /// - Throws: ``CBPairingError``.
    public func pair(_ peripheral: CBPeripheral) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            pair(peripheral) { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }

    override func pairingSettingsChanged(_ settings: PairingSettings?) { engine?.setPairing(settings) }

    private func isPoweredOn(_ call: String) -> Bool {
        if state == .poweredOn { return true }
        Diagnostics.misuse("\(call) while the central manager is not powered on (its state is \(state))")
        return false
    }

    private func isOwn(_ peripheral: CBPeripheral, _ call: String) -> Bool {
        if peripheral.manager === self { return true }
        Diagnostics.misuse("\(call) with a peripheral of another central manager; use retrievePeripherals of this one")
        return false
    }
}

extension CBCentralManager {
    /// What a system may be able to do.
    public struct Feature: OptionSet, Hashable, Swift.Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// Scanning for extended advertisements and connecting to the devices that send them.
        public static let extendedScanAndConnect = Self(rawValue: 1 << 0)
    }
}

extension Array {
    /// An empty filter means the same as none.
    var nilIfEmpty: Self? { isEmpty ? nil : self }
}
