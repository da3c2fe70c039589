import Synchronization
import Testing

@testable import CoreBluetooth

/// What managers and peripherals decide by themselves before anything reaches an engine.
@Suite struct ManagerTests {
    /// A queue that never runs anything, so that what the real engines report does not interfere.
    static let idleQueue = DispatchQueue(label: "idle", attributes: .initiallyInactive)

    private func central(_ state: CBManagerState) -> (CBCentralManager, RecordingCentralEngine) {
        let manager = CBCentralManager(delegate: nil, queue: Self.idleQueue)
        let engine = RecordingCentralEngine()
        manager.engine = engine
        manager.state = state
        return (manager, engine)
    }

    private func peripheral(_ state: CBManagerState) -> (CBPeripheralManager, RecordingPeripheralEngine) {
        let manager = CBPeripheralManager(delegate: nil, queue: Self.idleQueue)
        let engine = RecordingPeripheralEngine()
        manager.engine = engine
        manager.state = state
        return (manager, engine)
    }

    @Test func `a manager starts in the unknown state, on the main queue by default`() {
        #expect(CBCentralManager(delegate: nil, queue: Self.idleQueue).state == .unknown)
        #expect(CBPeripheralManager(delegate: nil, queue: Self.idleQueue).state == .unknown)
        #expect(CBCentralManager(delegate: nil, queue: nil).queue.label == DispatchQueue.main.label)
    }

    @Test(arguments: [CBManagerState.unknown, .resetting, .unsupported, .unauthorized, .poweredOff])
    func `commands are ignored while not powered on`(state: CBManagerState) {
        let (manager, engine) = central(state)
        let device = CBPeripheral(identifier: UUID(), manager: manager)
        manager.scanForPeripherals(withServices: nil)
        manager.connect(device)
        manager.cancelPeripheralConnection(device)
        #expect(manager.retrievePeripherals(withIdentifiers: [device.identifier]).isEmpty)
        #expect(manager.retrieveConnectedPeripherals(withServices: []).isEmpty)
        #expect(!manager.isScanning)
        #expect(engine.calls == [])

        let (server, serverEngine) = peripheral(state)
        let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
        server.startAdvertising(nil)
        server.add(service)
        server.remove(service)
        server.removeAllServices()
        #expect(serverEngine.calls == [])
    }

    @Test func `scanning is on from the call until it is stopped, and stopping twice is harmless`() {
        let (manager, engine) = central(.poweredOn)
        manager.stopScan()
        manager.scanForPeripherals(withServices: [])
        #expect(manager.isScanning)
        manager.scanForPeripherals(withServices: [CBUUID(string: "180D")])
        manager.stopScan()
        manager.stopScan()
        #expect(!manager.isScanning)
        #expect(engine.calls == ["scan nil", "scan [Heart Rate]", "stopScan"])
    }

    @Test func `a peripheral of another manager is not accepted`() {
        let (manager, engine) = central(.poweredOn)
        let (other, _) = central(.poweredOn)
        manager.connect(CBPeripheral(identifier: UUID(), manager: other))
        manager.cancelPeripheralConnection(CBPeripheral(identifier: UUID(), manager: other))
        #expect(engine.calls == [])
        manager.connect(CBPeripheral(identifier: UUID(), manager: manager))
        #expect(engine.calls == ["connect"])
    }

    @Test(arguments: [CBPeripheralState.disconnected, .connecting, .disconnecting])
    func `commands to a peripheral that is not connected are ignored`(state: CBPeripheralState) {
        let (manager, engine) = central(.poweredOn)
        let device = CBPeripheral(identifier: UUID(), manager: manager)
        let service = CBService(uuid: CBUUID(string: "180D"), isPrimary: true, peripheral: device)
        let value = CBCharacteristic(uuid: CBUUID(string: "2A37"), properties: .read)
        device.state = state
        device.readRSSI()
        device.discoverServices(nil)
        device.discoverCharacteristics(nil, for: service)
        device.readValue(for: value)
        device.writeValue(Data(), for: value, type: .withResponse)
        device.setNotifyValue(true, for: value)
        #expect(engine.calls == [])

        device.state = .connected
        device.discoverServices([])
        device.discoverCharacteristics([CBUUID(string: "2A37")], for: service)
        device.setNotifyValue(true, for: value)
        #expect(engine.calls == ["services nil", "characteristics [Heart Rate Measurement]", "notify true"])
    }

    @Test func `a manager that goes ends its engine`() {
        let engine: RecordingCentralEngine
        do { engine = central(.poweredOn).1 }
        #expect(engine.calls == ["invalidate"])
    }

    @Test func `the newer disconnect method passes the call on to the older one by default`() {
        final class Older: NSObject, CBCentralManagerDelegate {
            var errors: [CBError.Code?] = []
            func centralManagerDidUpdateState(_ central: CBCentralManager) {}
            func centralManager(
                _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?
            ) {
                errors.append((error as? CBError)?.code)
            }
        }
        final class Both: NSObject, CBCentralManagerDelegate {
            var calls: [String] = []
            func centralManagerDidUpdateState(_ central: CBCentralManager) {}
            func centralManager(
                _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?
            ) {
                calls.append("older")
            }
            func centralManager(
                _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
                timestamp: CFAbsoluteTime, isReconnecting: Bool, error: Error?
            ) {
                calls.append("newer")
            }
        }
        let (manager, _) = central(.poweredOn)
        let device = CBPeripheral(identifier: UUID(), manager: manager)
        let older = Older()
        let both = Both()
        for delegate in [older, both] as [any CBCentralManagerDelegate] {
            delegate.centralManager(
                manager, didDisconnectPeripheral: device, timestamp: 0, isReconnecting: false,
                error: CBError(.connectionTimeout))
        }
        #expect(older.errors == [.connectionTimeout])
        #expect(both.calls == ["newer"])
    }

    @Test(arguments: [(23, 20), (247, 244), (515, 512), (517, 512)])
    func `an update fits into a packet and is no longer than a value`(mtu: Int, length: Int) {
        #expect(CBCentral(identifier: UUID(), attMTU: mtu).maximumUpdateValueLength == length)
    }

    @Test func `requests that a delegate does not handle are refused, once`() {
        final class Minimal: NSObject, CBPeripheralManagerDelegate {
            func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
        }
        let (manager, engine) = peripheral(.poweredOn)
        let value = CBMutableCharacteristic(
            type: CBUUID(string: "2A39"), properties: .write, value: nil, permissions: .writeable)
        func request(offset: Int) -> CBATTRequest {
            CBATTRequest(
                central: CBCentral(identifier: UUID()), characteristic: value, offset: offset, value: Data([1]))
        }
        let delegate: any CBPeripheralManagerDelegate = Minimal()
        delegate.peripheralManager(manager, didReceiveRead: request(offset: 0))
        delegate.peripheralManager(manager, didReceiveWrite: [request(offset: 3), request(offset: 4)])
        delegate.peripheralManager(manager, didReceiveWrite: [])
        #expect(engine.calls == ["respond 0 0x6", "respond 3 0x6"])
    }
}

private final class RecordingCentralEngine: CentralEngine {
    private let recorded = Mutex<[String]>([])
    var calls: [String] { recorded.withLock { $0 } }
    private func record(_ call: String) { recorded.withLock { $0.append(call) } }
    private func text(_ filter: [CBUUID]?) -> String { filter.map { "\($0)" } ?? "nil" }

    func invalidate() { record("invalidate") }
    func scan(for services: [CBUUID]?, options: [String: Any]) { record("scan \(text(services))") }
    func stopScan() { record("stopScan") }
    func settle(_ done: @escaping @Sendable () -> Void) { done() }
    func connect(_ peripheral: CBPeripheral, options: [String: Any]) { record("connect") }
    func cancelConnection(_ peripheral: CBPeripheral) { record("cancelConnection") }
    func peripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
        record("peripherals")
        return []
    }
    func connectedPeripherals(withServices services: [CBUUID]) -> [CBPeripheral] {
        record("connectedPeripherals")
        return []
    }
    func registerForConnectionEvents(_ options: [CBConnectionEventMatchingOption: Any]?) { record("register") }
    func setPairing(_ settings: PairingSettings?) { record("setPairing") }
    func pair(_ peripheral: CBPeripheral, completion: @escaping @Sendable (CBPairingError?) -> Void) {
        record("pair")
    }
    func perform(_ request: GATTRequest, on peripheral: CBPeripheral) {
        switch request {
        case .discoverServices(let filter, _): record("services \(text(filter))")
        case .discoverCharacteristics(let filter, _, _): record("characteristics \(text(filter))")
        case .setNotifying(let enabled, _, _): record("notify \(enabled)")
        default: record("\(request)")
        }
    }
}

private final class RecordingPeripheralEngine: PeripheralEngine {
    private let recorded = Mutex<[String]>([])
    var calls: [String] { recorded.withLock { $0 } }
    private func record(_ call: String) { recorded.withLock { $0.append(call) } }

    func invalidate() { record("invalidate") }
    func startAdvertising(_ data: [String: Any]) { record("startAdvertising") }
    func stopAdvertising() { record("stopAdvertising") }
    func add(_ service: CBMutableService) { record("add") }
    func remove(_ service: CBMutableService) { record("remove") }
    func removeAllServices() { record("removeAll") }
    func respond(to request: CBATTRequest, with result: CBATTError.Code) {
        record("respond \(request.offset) 0x\(String(result.rawValue, radix: 16))")
    }
    func updateValue(_ value: Data, for characteristic: CBMutableCharacteristic, on centrals: [CBCentral]?) -> Bool {
        record("update")
        return true
    }
    func setPairing(_ settings: PairingSettings?) { record("setPairing") }
    func publishL2CAPChannel(_ psm: CBL2CAPPSM?, encrypted: Bool) { record("publish") }
    func unpublishL2CAPChannel(_ psm: CBL2CAPPSM) { record("unpublish") }
    func settle(_ done: @escaping @Sendable () -> Void) { done() }
}
