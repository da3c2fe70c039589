package import CoreBluetooth
package import RestorationProtocol

/// The agent's Bluetooth: connections and subscriptions by CoreBluetooth. Used on the main queue only.
package final class BluetoothBackend: NSObject, AgentBackend {
    package weak var observer: (any AgentBackendObserver)?

    /// One for each controller, by its address.
    var managers: [String: CBCentralManager] = [:]
    var kept: [UUID: KeptPeripheral] = [:]
    /// The controllers of peripherals that are no longer kept and whose links are still up: a link ends with its
    /// manager.
    private(set) var leaving: [UUID: String] = [:]
    /// The scans that are on, by controllers.
    private var scans: [String: [ScanRecord]] = [:]

    private func manager(for adapter: String) -> CBCentralManager {
        if let known = managers[adapter] { return known }
        let manager = CBCentralManager(
            delegate: self, queue: .main,
            options: [CBCentralManagerOptionAdapterKey: adapter, CBCentralManagerOptionUseNotifySocketsKey: true])
        managers[adapter] = manager
        return manager
    }

    /// Releases the managers that keep nothing any longer.
    private func releaseManagers() {
        let used = Set(kept.values.map(\.request.adapter)).union(leaving.values).union(scans.keys)
        for adapter in managers.keys where !used.contains(adapter) { managers[adapter] = nil }
    }

    /// A peripheral is no longer kept, and its link is down.
    func isDown(_ identifier: UUID, of manager: CBCentralManager) {
        if let adapter = leaving[identifier], managers[adapter] === manager { leaving[identifier] = nil }
        releaseManagers()
    }

    /// No link of this manager is up.
    func areDown(of manager: CBCentralManager) {
        leaving = leaving.filter { managers[$0.value] !== manager }
        releaseManagers()
    }

    /// The peripherals that this manager keeps.
    func kept(_ identifier: UUID, by manager: CBCentralManager) -> KeptPeripheral? {
        kept[identifier].flatMap { managers[$0.request.adapter] === manager ? $0 : nil }
    }

    // MARK: Connections

    package func keep(_ request: PeripheralRequest) {
        if let known = kept[request.peripheral], known.loss == nil {
            if known.isReady || known.request.adapter == request.adapter {
                // A link that is up stays on its controller.
                known.request.reconnects = request.reconnects
                if known.isReady { observer?.connected(request.peripheral) }
                return
            }
            release(request.peripheral, disconnecting: true)
        }
        if leaving[request.peripheral] == request.adapter { leaving[request.peripheral] = nil }
        let new = KeptPeripheral(request)
        kept[request.peripheral] = new
        connect(new)
    }

    /// Connects, at once if Bluetooth is on, otherwise when it is.
    func connect(_ kept: KeptPeripheral) {
        let manager = manager(for: kept.request.adapter)
        guard manager.state == .poweredOn,
            let peripheral = manager.retrievePeripherals(withIdentifiers: [kept.request.peripheral]).first
        else { return }
        peripheral.delegate = self
        kept.peripheral = peripheral
        manager.connect(peripheral, options: kept.connectOptions)
    }

    package func release(_ identifier: UUID, disconnecting: Bool) {
        guard let known = kept.removeValue(forKey: identifier) else { return }
        known.failAll(AgentFailure(CBError(.peripheralDisconnected)))
        defer { releaseManagers() }
        guard let peripheral = known.peripheral, let manager = managers[known.request.adapter] else { return }
        if peripheral.state != .disconnected { leaving[identifier] = known.request.adapter }
        if disconnecting || peripheral.state == .connecting {
            manager.cancelPeripheralConnection(peripheral)
        } else if peripheral.state == .connected {
            // The program takes care of the link.
            for characteristic in peripheral.allCharacteristics where characteristic.isNotifying {
                peripheral.setNotifyValue(false, for: characteristic)
            }
        }
    }

    // MARK: Scans

    package func scan(_ scans: [ScanRecord]) {
        let former = self.scans
        self.scans = Dictionary(grouping: scans, by: \.adapter)
        for adapter in Set(former.keys).union(self.scans.keys) where former[adapter] != self.scans[adapter] {
            scan(on: manager(for: adapter))
        }
        releaseManagers()
    }

    /// Scans as it should now, if Bluetooth is on.
    func scan(on manager: CBCentralManager) {
        guard manager.state == .poweredOn, let adapter = managers.first(where: { $0.value === manager })?.key else {
            return
        }
        let services = Self.services(of: scans[adapter] ?? [])
        guard !services.isEmpty else { return manager.stopScan() }
        manager.scanForPeripherals(withServices: services)
    }

    /// What programs have named, as far as these are UUIDs.
    static func services(of scans: [ScanRecord]) -> [CBUUID] {
        Set(scans.flatMap { $0.services ?? [] }).sorted().compactMap(CBUUID.init(validating:))
    }

    // MARK: Subscriptions

    package func subscribe(
        _ identifier: UUID, _ key: CharacteristicKey, usesSocket: Bool?,
        completion: @escaping (Result<CharacteristicKey, AgentFailure>) -> Void
    ) {
        guard let known = kept[identifier] else {
            return completion(.failure(AgentFailure(CBError(.notConnected))))
        }
        let wish = KeptPeripheral.Wish(key: key, usesSocket: usesSocket ?? true, completion: completion)
        if known.isReady { subscribe(wish, known) } else { known.waiting.append(wish) }
    }

    /// The services are known.
    func subscribe(_ wish: KeptPeripheral.Wish, _ known: KeptPeripheral) {
        guard let peripheral = known.peripheral, let characteristic = peripheral.characteristic(wish.key) else {
            guard wish.mayLookAgain, let peripheral = known.peripheral else {
                return wish.completion(.failure(AgentFailure(CBError(.invalidHandle))))
            }
            // The characteristic may be a new one.
            var wish = wish
            wish.mayLookAgain = false
            known.waiting.append(wish)
            return peripheral.discoverServices(nil)
        }
        guard !characteristic.isNotifying else { return wish.completion(.success(wish.key.moved(to: characteristic))) }
        known.useSockets(wish.usesSocket, managers[known.request.adapter])
        known.starting.append((characteristic, wish))
        if known.starting.count(where: { $0.0 === characteristic }) == 1 {
            peripheral.setNotifyValue(true, for: characteristic)
        }
    }

    package func unsubscribe(
        _ identifier: UUID, _ key: CharacteristicKey, completion: @escaping (Result<Void, AgentFailure>) -> Void
    ) {
        guard let known = kept[identifier], known.isReady, let peripheral = known.peripheral,
            let characteristic = peripheral.characteristic(key), characteristic.isNotifying
        else { return completion(.success(())) }
        known.stopping.append((characteristic, completion))
        peripheral.setNotifyValue(false, for: characteristic)
    }
}

/// A peripheral whose connection the agent keeps.
final class KeptPeripheral {
    /// A characteristic whose notifications are wanted.
    struct Wish {
        let key: CharacteristicKey
        var usesSocket: Bool
        let completion: (Result<CharacteristicKey, AgentFailure>) -> Void
        /// Whether to look for the characteristic once more if it is not there.
        var mayLookAgain = true
    }

    var request: PeripheralRequest
    var peripheral: CBPeripheral?
    /// Whether it is connected and its characteristics are known.
    var isReady = false
    /// Reports the loss of the link, after a moment.
    var loss: (any DispatchSourceTimer)?
    /// The number of services whose characteristics are awaited.
    var servicesToCome = 0
    var waiting: [Wish] = []
    var starting: [(CBCharacteristic, Wish)] = []
    var stopping: [(CBCharacteristic, (Result<Void, AgentFailure>) -> Void)] = []
    private var usesSockets = true

    init(_ request: PeripheralRequest) {
        self.request = request
    }

    var connectOptions: [String: Any] {
        [
            CBConnectPeripheralOptionEnableAutoReconnect: request.reconnects,
            CBConnectPeripheralOptionUseNotifySocketsKey: usesSockets,
            CBConnectPeripheralOptionTakeLinkOverKey: true,
        ]
    }

    /// How the values of the next subscription come.
    func useSockets(_ use: Bool, _ manager: CBCentralManager?) {
        guard use != usesSockets, let peripheral else { return }
        usesSockets = use
        // On a link that is up this only changes the options.
        manager?.connect(peripheral, options: connectOptions)
    }

    /// The link is down.
    func failAll(_ failure: AgentFailure) {
        isReady = false
        servicesToCome = 0
        let (waiting, starting, stopping) = (waiting, starting, stopping)
        self.waiting = []
        self.starting = []
        self.stopping = []
        for wish in waiting { wish.completion(.failure(failure)) }
        for (_, wish) in starting { wish.completion(.failure(failure)) }
        for (_, completion) in stopping { completion(.success(())) }
    }
}

extension CBPeripheral {
    fileprivate var allCharacteristics: [CBCharacteristic] {
        (services ?? []).flatMap { $0.characteristics ?? [] }
    }

    /// The characteristic at the path that the key names, or else the first one of its UUIDs.
    fileprivate func characteristic(_ key: CharacteristicKey) -> CBCharacteristic? {
        let candidates = allCharacteristics.filter { CharacteristicKey($0).hasSameUUIDs(as: key) }
        return candidates.first { CharacteristicKey($0).path == key.path } ?? candidates.first
    }
}

extension CharacteristicKey {
    init(_ characteristic: CBCharacteristic) {
        self.init(
            service: characteristic.service?.uuid.bluezText ?? "", characteristic: characteristic.uuid.bluezText,
            path: Self.relative(characteristic.objectPath ?? ""))
    }

    fileprivate func hasSameUUIDs(as other: CharacteristicKey) -> Bool {
        service == other.service && characteristic == other.characteristic
    }

    func moved(to characteristic: CBCharacteristic) -> CharacteristicKey {
        CharacteristicKey(characteristic)
    }
}

extension AgentFailure {
    init(_ error: any Error) {
        switch error {
        case let error as CBATTError:
            self.init(domain: .att, code: error.code.rawValue, text: error.localizedDescription)
        case let error as CBError:
            self.init(domain: .core, code: error.code.rawValue, text: error.localizedDescription)
        default: self.init(domain: .core, code: 0, text: "\(error)")
        }
    }
}
