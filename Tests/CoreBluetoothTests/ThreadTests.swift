import Synchronization
import Testing

@testable import CoreBluetooth

/// Programs use managers, peers and attributes on any thread, while the manager's queue changes them. Run these with
/// `--sanitize=thread` as well: it sees accesses that happen to go well.
@Suite struct ThreadTests {
    private static let idleQueue = DispatchQueue(label: "idle", attributes: .initiallyInactive)

    /// Runs all of `bodies` at the same time.
    private func together(_ bodies: @Sendable () -> Void...) {
        DispatchQueue.concurrentPerform(iterations: bodies.count) { bodies[$0]() }
    }

    private func central() -> CBCentralManager {
        let manager = CBCentralManager(delegate: nil, queue: Self.idleQueue)
        manager.state = .poweredOn
        return manager
    }

    @Test func `no write without response is lost from the count, whatever threads they come from`() {
        let peripheral = CBPeripheral(identifier: UUID(), manager: nil)
        peripheral.connectionIsUp(name: nil)
        let (threads, writes) = (8, 500)
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            for _ in 0..<writes where !peripheral.commandBegins() { Issue.record("a write was dropped") }
        }
        #expect(!peripheral.canSendWriteWithoutResponse)
        let ready = Atomic(0)
        let ended = threads * writes - CommandWindow.size / 2
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            for _ in stride(from: thread, to: ended - 1, by: threads) where peripheral.commandEnds(failure: nil).isReady
            {
                ready.add(1, ordering: .relaxed)
            }
        }
        // One more is the one that frees half of the window.
        #expect(ready.load(ordering: .relaxed) == 0)
        #expect(!peripheral.canSendWriteWithoutResponse)
        #expect(peripheral.commandEnds(failure: nil).isReady)
        #expect(peripheral.canSendWriteWithoutResponse)
    }

    @Test func `what one thread does under the lock, no other interrupts`() async {
        let locked = Locked([Int]())
        let (done, ends) = AsyncStream<Void>.makeStream()
        locked.withLock { numbers in
            let before = numbers
            interrupt {
                locked.withLock { $0.append(2) }
                ends.yield()
            }
            numbers = before + [1]
        }
        for await _ in done { break }
        #expect(locked.withLock { $0 } == [1, 2])
    }

    @Test func `what a new value replaces is released outside of the lock`() {
        final class Last: Swift.Sendable {
            let action: @Sendable () -> Void
            init(_ action: @escaping @Sendable () -> Void) { self.action = action }
            deinit { action() }
        }
        let locked = Locked<Last?>(nil)
        let isReleased = LockedFlag()
        // A mutex that is taken twice by one thread ends the program, or waits without end.
        locked.withLock { $0 = Last { [unowned locked] in locked.withLock { _ in isReleased.set() } } }
        locked.store(nil) { swap(&$0, &$1) }
        #expect(isReleased.isSet)
    }

    @Test func `a scan that is stopped on another thread while it starts is off, for the engine as well`() async throws
    {
        let manager = CBCentralManager(delegate: nil, queue: Self.idleQueue)
        let (stopped, stops) = AsyncStream<Void>.makeStream()
        let engine = ScanEngine {
            interrupt {
                manager.stopScan()
                stops.yield()
            }
        }
        manager.engine = engine
        manager.state = .poweredOn
        manager.scanForPeripherals(withServices: nil)
        for await _ in stopped { break }
        #expect(!manager.isScanning)
        #expect(!engine.isScanning)
    }

    @Test func `advertising that is stopped on another thread while it starts is not reported as on`() async throws {
        let manager = CBPeripheralManager(delegate: nil, queue: Self.idleQueue)
        let engine = StopEngine()
        let (stopped, stops) = AsyncStream<Void>.makeStream()
        manager.engine = engine
        manager.advertisingStarted {
            let wasStopped = engine.isStopped.load(ordering: .relaxed)
            interrupt {
                manager.stopAdvertising()
                stops.yield()
            }
            return wasStopped
        }
        for await _ in stopped { break }
        #expect(!manager.isAdvertising)
    }

    @Test func `what the queue changes can be read on any thread, and is whole`() {
        let manager = central()
        let peripheral = CBPeripheral(identifier: UUID(), manager: manager)
        let service = CBService(uuid: CBUUID(string: "180D"), isPrimary: true, peripheral: peripheral)
        let characteristic = CBCharacteristic(uuid: CBUUID(string: "2A37"), properties: .notify, service: service)
        let descriptor = CBDescriptor(uuid: CBUUID(string: "2901"), characteristic: characteristic)
        let client = CBCentral(identifier: UUID())
        let torn = Atomic(0)
        let rounds = 2_000
        let delegate = Delegate()
        together(
            {  // the manager's queue
                for round in 0..<rounds {
                    manager.state = round.isMultiple(of: 2) ? .poweredOff : .poweredOn
                    manager.isScanning = false
                    peripheral.name = String(repeating: "n", count: 20 + round % 20)
                    peripheral.services = [service]
                    peripheral.connectionIsUp(name: nil)
                    peripheral.mtu = 23 + round % 200
                    service.characteristics = [characteristic]
                    characteristic.value = Data(repeating: UInt8(truncatingIfNeeded: round), count: 20 + round % 40)
                    characteristic.isNotifying.toggle()
                    characteristic.descriptors = [descriptor]
                    descriptor.value = "\(round) and some more text"
                    client.attMTU = 23 + round % 200
                    peripheral.connectionIsDown(request: 0)
                }
            },
            {  // a thread that looks
                for _ in 0..<rounds {
                    let value = characteristic.value ?? Data()
                    if Set(value).count > 1 { torn.add(1, ordering: .relaxed) }
                    if peripheral.name?.allSatisfy({ $0 == "n" }) == false { torn.add(1, ordering: .relaxed) }
                    _ = peripheral.services?.first?.characteristics?.first?.descriptors?.first?.value
                    _ = peripheral.maximumWriteValueLength(for: .withoutResponse)
                    _ = (peripheral.description, characteristic.description, descriptor.description, client.description)
                    _ = (characteristic.service, service.peripheral, descriptor.characteristic)
                }
            },
            {  // a thread that calls
                for _ in 0..<rounds {
                    manager.delegate = delegate
                    peripheral.delegate = delegate
                    if peripheral.state == .connecting || manager.isScanning { _ = manager.state }
                    peripheral.connectionIsWanted()
                    _ = peripheral.commandBegins()
                    peripheral.connectionIsUnwanted()
                    peripheral.delegate = nil
                    manager.delegate = nil
                }
            })
        #expect(torn.load(ordering: .relaxed) == 0)
    }

    private final class Delegate: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, Swift.Sendable {
        func centralManagerDidUpdateState(_ central: CBCentralManager) {}
    }
}

private final class LockedFlag: Swift.Sendable {
    private let flag = Atomic(false)
    var isSet: Bool { flag.load(ordering: .relaxed) }
    func set() { flag.store(true, ordering: .relaxed) }
}

/// Knows whether a scan is on.
private final class ScanEngine: CentralEngine {
    private let scanning = Atomic(false)
    var isScanning: Bool { scanning.load(ordering: .relaxed) }
    /// Called before a scan starts.
    private let onScan: @Sendable () -> Void

    init(onScan: @escaping @Sendable () -> Void) {
        self.onScan = onScan
    }

    func invalidate() {}
    func scan(for services: [CBUUID]?, options: [String: Any]) {
        onScan()
        scanning.store(true, ordering: .relaxed)
    }
    func stopScan() { scanning.store(false, ordering: .relaxed) }
    func settle(_ done: @escaping @Sendable () -> Void) { done() }
    func connect(_ peripheral: CBPeripheral, options: [String: Any]) {}
    func cancelConnection(_ peripheral: CBPeripheral) {}
    func peripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] { [] }
    func connectedPeripherals(withServices services: [CBUUID]) -> [CBPeripheral] { [] }
    func registerForConnectionEvents(_ options: [CBConnectionEventMatchingOption: Any]?) {}
    func setPairing(_ settings: PairingSettings?) {}
    func pair(_ peripheral: CBPeripheral, completion: @escaping @Sendable (CBPairingError?) -> Void) {}
    func perform(_ request: GATTRequest, on peripheral: CBPeripheral) {}
}

/// Knows whether advertising was stopped.
private final class StopEngine: PeripheralEngine {
    let isStopped = Atomic(false)

    func invalidate() {}
    func startAdvertising(_ data: [String: Any]) {}
    func stopAdvertising() { isStopped.store(true, ordering: .relaxed) }
    func add(_ service: CBMutableService) {}
    func remove(_ service: CBMutableService) {}
    func removeAllServices() {}
    func respond(to request: CBATTRequest, with result: CBATTError.Code) {}
    func updateValue(_ value: Data, for characteristic: CBMutableCharacteristic, on centrals: [CBCentral]?) -> Bool {
        true
    }
    func setPairing(_ settings: PairingSettings?) {}
    func publishL2CAPChannel(_ psm: CBL2CAPPSM?, encrypted: Bool) {}
    func unpublishL2CAPChannel(_ psm: CBL2CAPPSM) {}
    func settle(_ done: @escaping @Sendable () -> Void) { done() }
}

/// Runs `body` on another thread and gives it the time to finish, which it has not where it must wait for the caller.
private func interrupt(_ body: @escaping @Sendable () -> Void) {
    let finished = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        body()
        finished.signal()
    }
    _ = finished.wait(timeout: .now() + .milliseconds(50))
}
