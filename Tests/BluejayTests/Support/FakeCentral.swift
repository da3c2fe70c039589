@testable import CoreBluetooth

/// A central manager whose system is the test: it records what it is asked for and reports what the test says.
final class FakeCentral: CBCentralManager, @unchecked Swift.Sendable {
    /// A queue that never runs anything, so that no event of the real system arrives.
    private static let idleQueue = DispatchQueue(label: "idle", attributes: .initiallyInactive)

    /// What the manager was asked for, by name.
    var calls: [String] = []
    var known: [CBPeripheral] = []
    /// Whether connecting and disconnecting succeed by themselves, later on the main queue.
    var answersByItself = false
    private(set) var lastScanServices: [CBUUID]?
    private(set) var lastScanOptions: [String: Any] = [:]

    init(_ state: CBManagerState = .poweredOn) {
        super.init(delegate: nil, queue: Self.idleQueue, options: nil)
        engine?.invalidate()
        engine = nil
        self.state = state
    }

    // What Bluejay calls.

    override func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
        calls.append("scan")
        lastScanServices = serviceUUIDs
        lastScanOptions = options ?? [:]
    }

    override func stopScan() {
        calls.append("stopScan")
    }

    override func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
        calls.append("connect")
        peripheral.state = .connecting
        if answersByItself { DispatchQueue.main.async { self.accept(peripheral) } }
    }

    override func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
        calls.append("cancelConnection")
        if peripheral.state == .connected { peripheral.state = .disconnecting }
        if answersByItself { DispatchQueue.main.async { self.drop(peripheral) } }
    }

    override func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
        guard state == .poweredOn else { return [] }
        return identifiers.compactMap { identifier in known.first { $0.identifier == identifier } }
    }

    // What the test says.

    func power(_ state: CBManagerState) {
        self.state = state
        if state != .poweredOn {
            for peripheral in known { (peripheral as? FakePeripheral)?.linkIsGone() }
        }
        delegate?.centralManagerDidUpdateState(self)
    }

    func sight(_ peripheral: CBPeripheral, rssi: Int = -50, _ advertisement: [String: Any] = [:]) {
        delegate?.centralManager(
            self, didDiscover: peripheral, advertisementData: advertisement, rssi: NSNumber(value: rssi))
    }

    func accept(_ peripheral: CBPeripheral) {
        guard peripheral.state == .connecting else { return }
        peripheral.state = .connected
        peripheral.canSendWriteWithoutResponse = true
        delegate?.centralManager(self, didConnect: peripheral)
    }

    func refuse(_ peripheral: CBPeripheral) {
        peripheral.state = .disconnected
        delegate?.centralManager(self, didFailToConnect: peripheral, error: CBError(.connectionFailed))
    }

    /// The link ends: as asked for, or with an error by itself.
    func drop(_ peripheral: CBPeripheral, _ error: (any Error)? = nil) {
        guard peripheral.state != .disconnected else { return }
        (peripheral as? FakePeripheral)?.linkIsGone()
        delegate?.centralManager(
            self, didDisconnectPeripheral: peripheral, timestamp: 0, isReconnecting: false, error: error)
    }
}
