/// A central for tasks of the main actor: finds peripherals, connects to them, and waits for what comes of it.
///
/// Limits are in seconds; nil is no limit. A call whose task is cancelled throws ``CentralError/cancelled`` and leaves
/// nothing behind.
@MainActor
package final class AsyncCentral: NSObject {
    /// Its delegate is this object.
    package let manager: CBCentralManager
    private let calls = PendingCalls()
    /// What waits for a state of Bluetooth, and for which.
    private var waitingForState: [(isAwaited: (CBManagerState) -> Bool, finish: PendingCalls.Finish<Void>)] = []
    private var scanner: ((Advertisement) -> Void)?
    private var attempts: [UUID: Attempt] = [:]
    private var connections: [UUID: AsyncPeripheral] = [:]
    /// Called when there is no connection any longer, and no attempt.
    private var onIdle: PendingCalls.Finish<Void>?

    /// An attempt to connect.
    private struct Attempt {
        let peripheral: CBPeripheral
        /// Nil when nobody waits for it any longer: it is to end.
        var finish: PendingCalls.Finish<AsyncPeripheral>?
        /// Called when it has ended.
        var ended: PendingCalls.Finish<Void>?
    }

    /// - Parameter options: as those of a ``CBCentralManager``.
    package convenience init(options: [String: Any]) {
        self.init(CBCentralManager(delegate: nil, queue: .main, options: options))
    }

    /// - Parameter manager: one whose queue is the main queue.
    init(_ manager: CBCentralManager) {
        self.manager = manager
        super.init()
        manager.delegate = self
    }

    // MARK: State

    /// The state of Bluetooth as soon as it is known, or when the time is over.
    package func knownState(within limit: TimeInterval) async -> CBManagerState {
        try? await waitForState(within: limit) { $0 != .unknown && $0 != .resetting }
        return manager.state
    }

    /// Waits until Bluetooth is on.
    package func waitUntilOn() async throws(CentralError) {
        try await waitForState(within: nil) { $0 == .poweredOn }
    }

    private func waitForState(
        within limit: TimeInterval?, _ isAwaited: @escaping (CBManagerState) -> Bool
    ) async throws(CentralError) {
        guard !isAwaited(manager.state) else { return }
        try await calls.wait(for: .state, within: limit) { waitingForState.append((isAwaited, $0)) }
    }

    // MARK: Scanning

    /// What a peripheral has advertised.
    package struct Advertisement {
        package let peripheral: CBPeripheral
        /// By the keys `CBAdvertisementData…`.
        package let data: [String: Any]
        /// In dBm; 127 if unknown.
        package let rssi: Int
    }

    /// What follows an advertisement.
    package enum ScanStep {
        case goOn
        case stop
        /// Stop after this many seconds.
        case stopAfter(TimeInterval)
    }

    /// Scans until `take` wants no more, or the time is over. One scan at a time.
    ///
    /// - Parameters:
    ///   - services: only peripherals that advertise any of these; nil for all.
    ///   - reportsAll: whether every advertisement is reported, and not only what adds to the last of its peripheral.
    ///   - take: called with each advertisement, at once.
    package func scan(
        for services: [CBUUID]? = nil, reportsAll: Bool = false, within limit: TimeInterval?,
        take: @escaping (Advertisement) -> ScanStep
    ) async throws(CentralError) {
        try checkPower()
        defer { stopScan() }
        do throws(CentralError) {
            try await calls.wait(within: limit) { finish in
                scanner = { [weak self] advertisement in
                    switch take(advertisement) {
                    case .goOn: break
                    case .stop:
                        self?.stopScan()
                        finish(.success(()))
                    case .stopAfter(let seconds):
                        DispatchQueue.main.asyncAfter(deadline: .now() + seconds) {
                            MainActor.assumeIsolated { finish(.success(())) }
                        }
                    }
                }
                manager.scanForPeripherals(
                    withServices: services, options: [CBCentralManagerScanOptionAllowDuplicatesKey: reportsAll])
            }
        } catch {
            if case .noAnswer = error { return }
            throw error
        }
    }

    private func stopScan() {
        scanner = nil
        manager.stopScan()
    }

    // MARK: Connecting

    /// The peripheral with an identifier; nil if it is not the identifier of one.
    package func peripheral(_ identifier: UUID) -> CBPeripheral? {
        manager.retrievePeripherals(withIdentifiers: [identifier]).first
    }

    /// Connects to a peripheral, wherever it is: one that does not advertise yet is waited for.
    ///
    /// When the time is over, or the task is cancelled, the attempt is given up.
    package func connect(_ identifier: UUID, within limit: TimeInterval?) async throws(CentralError) -> AsyncPeripheral
    {
        try checkPower()
        guard let peripheral = peripheral(identifier) else { throw .unknownPeripheral(identifier) }
        do throws(CentralError) {
            return try await calls.wait(within: limit) { finish in
                attempts[identifier] = Attempt(peripheral: peripheral, finish: finish)
                manager.connect(peripheral)
            }
        } catch {
            if attempts[identifier] != nil { await endAttempt(identifier) }
            // It may have been made at the last moment.
            await connections[identifier]?.disconnect()
            throw error
        }
    }

    private func endAttempt(_ identifier: UUID) async {
        guard manager.state == .poweredOn, let attempt = attempts[identifier] else { return }
        attempts[identifier]?.finish = nil
        manager.cancelPeripheralConnection(attempt.peripheral)
        try? await calls.wait(within: AsyncPeripheral.endTimeout) { attempts[identifier]?.ended = $0 }
    }

    /// Pairs with a peripheral: ``CBManager/pairingDelegate`` answers what is asked meanwhile.
    ///
    /// - Throws: ``CBPairingError``.
    package func pair(_ peripheral: CBPeripheral) async throws { try await manager.pair(peripheral) }

    /// Ends the scan, all connections and all attempts to connect, and waits for that.
    package func end(within limit: TimeInterval) async {
        guard manager.state == .poweredOn else { return }
        let deadline = ContinuousClock.now + .seconds(limit)
        stopScan()
        for attempt in attempts.values { manager.cancelPeripheralConnection(attempt.peripheral) }
        for connection in connections.values { manager.cancelPeripheralConnection(connection.peripheral) }
        if !isIdle { try? await calls.wait(for: .state, within: limit) { onIdle = $0 } }
        try? await calls.wait(for: .state, within: deadline.secondsLeft) {
            (finish: @escaping PendingCalls.Finish<Void>) in
            manager.settle { DispatchQueue.main.async { MainActor.assumeIsolated { finish(.success(())) } } }
        }
    }

    private var isIdle: Bool { attempts.isEmpty && connections.isEmpty }

    private func checkPower() throws(CentralError) {
        guard manager.state == .poweredOn else { throw .bluetoothOff }
    }

    /// A connection has ended, or an attempt.
    private func ended(_ peripheral: CBPeripheral, _ error: (any Error)?) {
        let reason = CentralError(endOfLink: error)
        let attempt = attempts.removeValue(forKey: peripheral.identifier)
        attempt?.finish?(.failure(reason))
        attempt?.ended?(.success(()))
        connections.removeValue(forKey: peripheral.identifier)?.ended(reason)
        if isIdle { onIdle?(.success(())) }
    }
}

extension AsyncCentral: @preconcurrency CBCentralManagerDelegate {
    package func centralManagerDidUpdateState(_ central: CBCentralManager) {
        let state = central.state
        if state != .poweredOn {
            scanner = nil
            attempts = [:]
            let lost = connections.values
            connections = [:]
            for connection in lost { connection.ended(.bluetoothOff) }
            calls.fail { kind, _ in kind == .state ? nil : .bluetoothOff }
            onIdle?(.success(()))
        }
        let waiting = waitingForState
        waitingForState = waiting.filter { !$0.isAwaited(state) }
        for wait in waiting where wait.isAwaited(state) { wait.finish(.success(())) }
    }

    package func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        scanner?(Advertisement(peripheral: peripheral, data: advertisementData, rssi: RSSI.intValue))
    }

    package func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        // One that nobody waits for any longer is being ended.
        guard let finish = attempts[peripheral.identifier]?.finish else { return }
        attempts[peripheral.identifier] = nil
        let connection = connections[peripheral.identifier] ?? AsyncPeripheral(peripheral, of: self)
        connections[peripheral.identifier] = connection
        finish(.success(connection))
    }

    package func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) {
        ended(peripheral, error)
    }

    package func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        ended(peripheral, error)
    }
}
