import BlueZ
import MainLoop

/// Taking up what an earlier run of the program has left with the agent.
extension CentralCore {
    /// How long bluetoothd may take to find the services of a link that is up.
    private static let resolutionTimeout: Duration = .seconds(3)
    private static let resolutionPause: Duration = .milliseconds(20)

    /// Restores, and then reports the first state.
    func restore(_ welcome: Welcome, _ state: CBManagerState, deadline: ContinuousClock.Instant? = nil) {
        let deadline = deadline ?? .now + Self.resolutionTimeout
        if state == .poweredOn, welcome.peripherals.contains(where: { isResolving($0) }), deadline > .now {
            resolving = .timer(after: Self.resolutionPause) { [weak self] in
                self?.restore(welcome, state, deadline: deadline)
            }
            return
        }
        resolving = nil
        let restored = welcome.peripherals.compactMap { restore($0, state) }
        if let scan = welcome.scan { restoration?.adopt(scan) }
        let scan = state == .poweredOn ? welcome.scan : nil
        if scan == nil { restoration?.scanning(nil) }
        post { manager in
            var options = scan?.restoredState ?? [:]
            manager.isScanning = scan != nil
            let peripherals = restored.map { $0.prepare() }
            if !peripherals.isEmpty { options[CBCentralManagerRestoredStatePeripheralsKey] = peripherals }
            if !options.isEmpty { manager.delegate?.centralManager(manager, willRestoreState: options) }
        }
        report(state)
        if let scan { self.scan(DiscoveryFilter(scan)) }
        post { _ in
            for peripheral in restored { peripheral.reportServiceChange() }
        }
        restoration?.inbox.start()
    }

    private func isResolving(_ record: PeripheralRecord) -> Bool {
        guard record.state == .connected, let peer = PeerIdentifier(record.identifier), let device = device(peer) else {
            return false
        }
        return device.isConnected && !device.areServicesResolved
    }

    private func restore(_ record: PeripheralRecord, _ state: CBManagerState) -> RestoredPeripheral? {
        guard let manager, let peer = PeerIdentifier(record.identifier) else { return nil }
        let peripheral = registry.peripheral(record.identifier, of: manager)
        let device = device(peer)
        let isConnected = device.map { $0.isConnected && $0.areServicesResolved } ?? false
        switch record.state {
        case .connected where state == .poweredOn && isConnected:
            guard let device, let restoration else { return nil }
            let link = adopt(peripheral, peer: peer, device, reconnects: record.reconnects)
            let services = link.takeUp(record.subscriptions, restoration)
            return RestoredPeripheral(
                peripheral: peripheral, state: .connected, name: device.name, services: services,
                invalidated: record.serviceChange?.invalidated)
        case .connecting where state == .poweredOn:
            return RestoredPeripheral(peripheral: peripheral, state: .connecting, name: device?.name)
        default:
            restoration?.giveBack(record.identifier)
            return RestoredPeripheral(peripheral: peripheral, state: .disconnected, name: device?.name)
        }
    }
}

extension ScanRecord {
    @LoopActor
    init(_ filter: DiscoveryFilter, on adapter: Adapter) {
        self.init(
            adapter: adapter.address, services: filter.serviceUUIDs.nilIfEmpty,
            allowsDuplicates: filter.reportsDuplicates)
    }

    /// As the app gets it.
    fileprivate var restoredState: [String: Any] {
        var state: [String: Any] = [
            CBCentralManagerRestoredStateScanOptionsKey: [
                CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: allowsDuplicates)
            ]
        ]
        if let services {
            state[CBCentralManagerRestoredStateScanServicesKey] = services.compactMap(CBUUID.init(shortening:))
        }
        return state
    }
}

extension DiscoveryFilter {
    fileprivate init(_ scan: ScanRecord) {
        self.init(serviceUUIDs: scan.services ?? [], reportsDuplicates: scan.allowsDuplicates)
    }
}

/// A peripheral of an earlier run, to be completed on the manager's queue.
struct RestoredPeripheral: Swift.Sendable {
    let peripheral: CBPeripheral
    let state: CBPeripheralState
    let name: String?
    var services: [RestoredService] = []
    /// The UUIDs of services that were removed meanwhile; empty when some were added; nil when nothing has changed.
    var invalidated: [String]?

    func prepare() -> CBPeripheral {
        if let name { peripheral.name = name }
        peripheral.state = state
        guard state == .connected else { return peripheral }
        peripheral.connectionIsUp(name: name)
        for service in services {
            service.service.characteristics = service.characteristics
            for characteristic in service.notifying { characteristic.isNotifying = true }
        }
        peripheral.services = services.map(\.service)
        return peripheral
    }

    func reportServiceChange() {
        guard let invalidated else { return }
        let gone = invalidated.compactMap(CBUUID.init(shortening:)).map {
            CBService(uuid: $0, isPrimary: true, peripheral: peripheral)
        }
        peripheral.delegate?.peripheral(peripheral, didModifyServices: gone)
    }
}

/// A service of a peripheral of an earlier run.
struct RestoredService: Swift.Sendable {
    let service: CBService
    let characteristics: [CBCharacteristic]
    /// Those of them that the agent is subscribed to.
    var notifying: [CBCharacteristic] = []
}
