import BlueZ
import DBus
import MainLoop

/// A central manager's work on the loop: its state, its scan and its links.
@LoopActor
final class CentralCore {
    nonisolated let registry = PeripheralRegistry()
    nonisolated let epochs = CallEpochs()
    let session: BlueZSession
    private(set) var adapter: Adapter?
    /// The connections of the whole system that are reported to the app; nil means none.
    var connectionEvents: ConnectionEventFilter?

    // Weak references may be read from any thread; it is set once, in `init`.
    nonisolated(unsafe) private(set) weak var manager: CBCentralManager?
    private let delegateQueue: DelegateQueue
    private let choice: AdapterChoice
    /// The agent that keeps the program's state while the program does not run; nil without a restore identifier.
    nonisolated let restoration: RestorationClient?
    /// What the agent has kept; nil when there is nothing to restore, or it was restored.
    private var welcome: Welcome?
    private var isAwaitingWelcome = false
    /// The next check whether a restored link can be used.
    var resolving: LoopSource?
    private var watch: AdapterWatch?
    private var observation: Registration?
    private var state: CBManagerState = .unknown
    /// Counts the states that were reported.
    private var epoch = 0
    private var links: [UUID: PeripheralLink] = [:]
    /// Of the peripherals that have not been connected to since.
    var failedConnections: [UUID: FailedConnections] = [:]
    private var scanning: Registration?
    private var scanFilter: DiscoveryFilter?
    private var reported: [UUID: Sighting] = [:]
    /// The delegate that answers while peers pair.
    var pairing: Registration?

    nonisolated init(
        manager: CBCentralManager, choice: AdapterChoice, registration: AppRegistration?,
        agent: AgentAccess, session: BlueZSession
    ) {
        self.session = session
        let delegateQueue = manager.delegateQueue
        restoration = registration.map {
            RestorationClient($0, at: agent, inbox: RestorationInbox(delegateQueue: delegateQueue))
        }
        self.manager = manager
        self.delegateQueue = delegateQueue
        self.choice = choice
    }

    func start() {
        observation = session.observe { [weak self] in self?.handle($0) }
        if let restoration {
            isAwaitingWelcome = true
            restoration.open { [weak self] in self?.welcomed($0) }
        }
        watch = AdapterWatch(choice: choice, role: .central, session: session) { [weak self] state, adapter in
            self?.stateChanged(state, adapter)
        }
    }

    /// The manager was released: its links end, and nothing more is reported.
    func stop() {
        watch?.cancel()
        watch = nil
        observation?.cancel()
        observation = nil
        pairing = nil
        stopScan()
        resolving = nil
        links.values.forEach { $0.cancel() }
        links = [:]
        restoration?.close()
    }

    /// Runs `event` on the manager's queue, after all that was posted before.
    func post(_ event: @escaping @Sendable (CBCentralManager) -> Void) {
        delegateQueue.post { [self] in
            if let manager { event(manager) }
        }
    }

    /// The same for an event of one peripheral.
    func post(to peripheral: CBPeripheral, _ event: @escaping @Sendable (CBPeripheral) -> Void) {
        delegateQueue.post { [self] in
            if manager != nil { event(peripheral) }
        }
    }

    // MARK: State

    private func stateChanged(_ state: CBManagerState, _ newAdapter: Adapter?) {
        adapter = newAdapter
        // The restored state comes before the first state.
        guard !isAwaitingWelcome else { return }
        if let welcome { return restore(welcome, state) }
        report(state)
    }

    /// The agent has answered, or there is none.
    private func welcomed(_ welcome: Welcome?) {
        isAwaitingWelcome = false
        self.welcome = welcome
        guard let watch, watch.state != .unknown else { return }
        stateChanged(watch.state, watch.adapter)
    }

    /// Reports the state to the app, and ends what does not outlast it.
    func report(_ state: CBManagerState) {
        welcome = nil
        self.state = state
        epoch += 1
        if state != .poweredOn {
            stopScan()
            // No individual callbacks: the state says enough.
            links.values.forEach { $0.abandon() }
            for identifier in links.keys { restoration?.released(identifier) }
            links = [:]
        }
        post { [epochs, epoch] manager in
            manager.state = state
            if state != .poweredOn { manager.isScanning = false }
            epochs.enter(epoch)
            manager.delegate?.centralManagerDidUpdateState(manager)
        }
    }

    /// Whether a call that the app made when it knew `call.epoch` still means something. It has no answer of its own
    /// else: the app learns the manager's state.
    private func isCurrent(_ call: CallEpochs.Call) -> Bool { call.epoch == epoch && state == .poweredOn }

    private func handle(_ event: BlueZEvent) {
        switch event {
        case .deviceChanged(let device, let changes):
            guard let identifier = identifier(of: device) else { return }
            links[identifier]?.deviceChanged(device, changes)
            if let connected = changes[Device1.connected] {
                reportConnectionEvent(connected ? .peerConnected : .peerDisconnected, device, identifier)
            }
        case .deviceAdded(let device):
            guard let identifier = identifier(of: device) else { return }
            links[identifier]?.deviceAdded(device)
        case .deviceRemoved(let device):
            links.values.first { $0.device === device }?.deviceRemoved()
        case .serviceAdded(let service):
            links.values.first { $0.device === service.device }?.serviceAdded(service)
        case .serviceRemoved(let service):
            links.values.first { $0.device === service.device }?.serviceRemoved(service)
        case .attributeAdded(let service):
            links.values.first { $0.device === service.device }?.attributeAdded(to: service)
        case .pairing(let device, let step):
            links.values.first { $0.device === device }?.pairingWatch.handle(step)
        default: break
        }
    }

    /// The one that the app knows, if it has a link with the device: bluetoothd reports another address for a device
    /// that was found by a private one and then paired.
    private func identifier(of device: Device) -> UUID? {
        guard connectionEvents != nil || !links.isEmpty else { return nil }
        return knownIdentifier(of: device)
    }

    func knownIdentifier(of device: Device) -> UUID? {
        guard device.adapter === adapter else { return nil }
        return links.first { $0.value.device === device }?.key ?? PeerIdentifier(device)?.uuid
    }

    private func reportConnectionEvent(_ event: CBConnectionEvent, _ device: Device, _ identifier: UUID) {
        guard let connectionEvents else { return }
        if let identifiers = connectionEvents.identifiers, !identifiers.contains(identifier) { return }
        if let services = connectionEvents.services, services.isDisjoint(with: device.serviceUUIDs) { return }
        post { [registry] manager in
            manager.delegate?.centralManager(
                manager, connectionEventDidOccur: event, for: registry.peripheral(identifier, of: manager))
        }
    }

    // MARK: Scanning

    func scan(_ filter: DiscoveryFilter, in call: CallEpochs.Call) {
        guard isCurrent(call) else { return }
        scan(filter)
    }

    func scan(_ filter: DiscoveryFilter) {
        guard let adapter else { return }
        restoration?.scanning(ScanRecord(filter, on: adapter))
        reported = [:]
        scanFilter = filter
        scanning?.cancel()
        scanning = adapter.discovery.start(filter) { [weak self] in self?.sighted($0) }
    }

    func stopScan() {
        restoration?.scanning(nil)
        scanning?.cancel()
        scanning = nil
        scanFilter = nil
        reported = [:]
    }

    func settle(_ done: @escaping @Sendable () -> Void) {
        guard let discovery = adapter?.discovery else { return done() }
        Task {
            await discovery.waitUntilStopped()
            await discovery.takeFilterBack()
            done()
        }
    }

    private func sighted(_ device: Device) {
        guard let scanFilter, let sighting = Sighting(device) else { return }
        if !scanFilter.reportsDuplicates, let earlier = reported[sighting.identifier], !sighting.adds(to: earlier) {
            return
        }
        reported[sighting.identifier] = sighting
        post { [registry] manager in
            guard manager.isScanning else { return }
            let peripheral = registry.peripheral(sighting.identifier, of: manager)
            peripheral.name = sighting.name ?? peripheral.name
            manager.delegate?.centralManager(
                manager, didDiscover: peripheral, advertisementData: sighting.advertisementData,
                rssi: NSNumber(value: sighting.rssi))
        }
    }

    // MARK: Links

    func link(of peripheral: CBPeripheral) -> PeripheralLink? { links[peripheral.identifier] }

    func connect(_ peripheral: CBPeripheral, _ options: ConnectOptions, in call: CallEpochs.Call) {
        guard isCurrent(call), adapter != nil else {
            return post(to: peripheral) { $0.connectionIsDown(request: options.request) }
        }
        if let link = links[peripheral.identifier] { return link.connectAgain(options) }
        connect(peripheral, options)
    }

    /// Connects to a peripheral that there is no link with.
    func connect(_ peripheral: CBPeripheral, _ options: ConnectOptions) {
        guard let peer = PeerIdentifier(peripheral.identifier) else { return }
        let link = PeripheralLink(peripheral, peer: peer, options: options, core: self)
        links[peripheral.identifier] = link
        link.start()
    }

    /// A link that an earlier run of the program has left.
    func adopt(
        _ peripheral: CBPeripheral, peer: PeerIdentifier, _ device: Device, reconnects: Bool
    ) -> PeripheralLink {
        let options = ConnectOptions(
            [CBConnectPeripheralOptionEnableAutoReconnect: reconnects], usesNotifySockets: false)
        let link = PeripheralLink(peripheral, peer: peer, options: options, core: self)
        links[peripheral.identifier] = link
        link.adopt(device)
        return link
    }

    func cancelConnection(_ peripheral: CBPeripheral) {
        guard let link = links[peripheral.identifier] else { return }
        link.cancel()
    }

    /// The link has ended, and its reports to the app have been posted.
    func forget(_ link: PeripheralLink) {
        guard links[link.peripheral.identifier] === link else { return }
        links[link.peripheral.identifier] = nil
        restoration?.released(link.peripheral.identifier)
    }

    /// The identifiers of the devices that are connected, by any program, and offer one of `services`.
    func connectedDevices(offering services: Set<String>) -> [UUID] {
        (adapter?.devices ?? [])
            .filter { $0.isConnected && !services.isDisjoint(with: $0.serviceUUIDs) }
            .compactMap { PeerIdentifier($0)?.uuid }
    }

    /// bluetoothd's object for a peer, if it has one. A peer that has paired since may be known by another address.
    func device(_ peer: PeerIdentifier) -> Device? {
        guard let devices = adapter?.devices else { return nil }
        return devices.first { PeerIdentifier($0) == peer } ?? devices.first(where: peer.isFormerAddress)
    }
}
