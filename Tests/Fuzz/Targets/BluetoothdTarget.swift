import BlueZ
import CoreBluetooth
import DBus
import Foundation
import MainLoop
import Synchronization
import TestSupport

extension FuzzTarget {
    /// A bluetoothd that is late, wrong, silent or gone, beneath an app with both roles. The input is the seed of what
    /// happens.
    static let bluetoothd = FuzzTarget(
        name: "bluetoothd", weight: 1, generate: { $0.bytes(8) },
        run: { bytes in
            let seed = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            try finish { try await ChaoticStory(seed).run() }
        })
}

/// Waits for asynchronous work, which does not need this thread.
private func finish(_ work: @escaping @Sendable () async throws -> Void) throws {
    let failure = Failure()
    let end = DispatchSemaphore(value: 0)
    Task {
        do { try await work() } catch { failure.error.withLock { $0 = error } }
        end.signal()
    }
    end.wait()
    if let error = failure.error.withLock({ $0 }) { throw error }
}

private final class Failure: Sendable {
    let error = Mutex<(any Error)?>(nil)
}

/// Bluetooth and the app do what the dice say; then bluetoothd is started again, and everything has to work.
@LoopActor
private final class ChaoticStory {
    private static var bus: PrivateBus?
    private static let methods = [
        "Connect", "Disconnect", "StartDiscovery", "StopDiscovery", "SetDiscoveryFilter", "ReadValue", "WriteValue",
        "StartNotify", "StopNotify", "AcquireNotify", "AcquireWrite", "GetManagedObjects", "RegisterApplication",
        "UnregisterApplication", "RegisterAdvertisement", "UnregisterAdvertisement", "RegisterAgent", "RemoveDevice",
    ]
    private static let errors = [
        "Failed", "InProgress", "NotReady", "NotConnected", "DoesNotExist", "NotPermitted", "",
    ]
    private static let properties = [
        "Connected", "ServicesResolved", "Name", "Alias", "RSSI", "UUIDs", "ManufacturerData", "ServiceData", "Address",
        "Powered", "Notifying", "Value", "Flags", "MTU", "UUID", "Device", "Service", "Paired", "Nonsense",
    ]

    private var dice: TestSupport.Dice
    private var isOver = false

    nonisolated init(_ seed: UInt64) { dice = TestSupport.Dice(state: seed) }

    func run() async throws {
        if Self.bus == nil { Self.bus = try await PrivateBus.start() }
        guard let bus = Self.bus else { return }
        let daemon = try await FakeBluetoothd(on: bus)
        weak var kept: BlueZSession?
        do {
            let session = BlueZSession { () throws(BusError) in try bus.connect() }
            kept = session
            try await run(daemon, session)
        }
        daemon.die()
        try await eventually("everything is released", within: .seconds(20)) { kept == nil }
    }

    private func run(_ daemon: FakeBluetoothd, _ session: BlueZSession) async throws {
        let device = addSensor(daemon)
        let app = ChaoticApp(session)
        defer { app.end() }
        for _ in 0..<20 + dice.below(60) {
            switch dice.below(10) {
            case 0...3: app.act(dice.next(), device.identifier)
            case 4...8: try await happen(daemon, device)
            default: try await Task.sleep(for: .milliseconds(dice.below(4)))
            }
            if dice.happens(50) { await Task.yield() }
        }
        do {
            try await recover(app, daemon, device)
        } catch {
            let calls = daemon.calls.suffix(12).map { "\($0.method) \($0.path.string.suffix(16))" }
            throw BrokenPromise(
                description: "\(error); \(app.status); bluetoothd \(session.state); last calls: "
                    + calls.joined(separator: ", "))
        }
    }

    private func addSensor(_ daemon: FakeBluetoothd) -> FakeDevice {
        let device = daemon.adapter.addDevice()
        device.addService(
            "180D",
            [.init("2A37", ["notify"]), .init("2A38", ["read", "write"], value: Data([1]), descriptors: ["2901"])])
        device.addService("180F", [.init("2A19", ["read", "indicate"], value: Data([50]))])
        return device
    }

    /// Something that bluetoothd or a device does.
    private func happen(_ daemon: FakeBluetoothd, _ device: FakeDevice) async throws {
        guard daemon.isRunning else { return try await daemon.restart() }
        switch dice.below(16) {
        case 0: device.isInRange.toggle()
        case 1: device.lose(silently: dice.happens(20))
        case 2: device.comeUp()
        case 3: device.resolutionTime = dice.happens(30) ? nil : .milliseconds(dice.below(20))
        case 4: daemon.adapter.power(dice.happens(60))
        case 5: daemon.die()
        case 6:
            if let service = device.services.last, device.services.count > 1 { device.remove(service) }
        case 7:
            let service = device.addService(
                dice.pick(["180F", "180A", "180D"]), [.init("2A29", ["read", "notify"], value: Data(dice.bytes(20)))])
            if device.isConnected { service.appear() }
        case 8:
            let characteristic = device.services.flatMap(\.characteristics).first
            for _ in 0..<dice.length(upTo: 200) { _ = characteristic?.notify(Data(dice.bytes(4))) }
        case 9:
            for service in device.services { if dice.happens(50) { service.disappear() } else { service.appear() } }
        case 10: device.set(dice.pick(Self.properties), oddValue(depth: 0), silently: dice.happens(10))
        case 11: device.services.first?.set(dice.pick(Self.properties), oddValue(depth: 0))
        case 12:
            device.services.first?.characteristics.first?.set(dice.pick(Self.properties), oddValue(depth: 0))
        case 13: daemon.adapter.set(dice.pick(Self.properties), oddValue(depth: 0))
        default:
            daemon.react(
                to: dice.happens(90) ? dice.pick(Self.methods) : nil, times: dice.happens(70) ? 1 + dice.below(3) : nil,
                with: reaction())
        }
    }

    private func reaction() -> FakeReaction {
        switch dice.below(5) {
        case 0: .late(.milliseconds(dice.below(30)))
        case 1: .silent
        case 2: .refuse(dice.pick(Self.errors))
        case 3: .answer([])
        default: .answer((0...dice.below(3)).compactMap { _ in oddValue(depth: 0) })
        }
    }

    /// A value of any type; nil for none.
    private func oddValue(depth: Int) -> BusValue? {
        switch dice.below(depth < 3 ? 15 : 10) {
        case 0: .boolean(dice.happens(50))
        case 1: .byte(UInt8(truncatingIfNeeded: dice.next()))
        case 2: .int16(Int16(truncatingIfNeeded: dice.next()))
        case 3: .uint32(UInt32(truncatingIfNeeded: dice.next()))
        case 4: .double(Double(bitPattern: dice.next()))
        case 5: .string(dice.pick(Oddities.texts.filter { !$0.contains("\u{0}") }))
        case 6: .string(dice.pick(["0000180d-0000-1000-8000-00805f9b34fb", "00:AA:01:00:00:00", "random", "notify"]))
        case 7: .bytes(Data(dice.bytes(dice.length(upTo: 600))))
        case 8: .objectPath(dice.happens(50) ? .root : ObjectPath.root.appending("org").appending("bluez"))
        case 9: nil
        case 10: ["read", "notify", dice.pick(Oddities.texts.filter { !$0.contains("\u{0}") })].busValue
        case 11: [UInt16(truncatingIfNeeded: dice.next()): Data(dice.bytes(3))].busValue
        case 12: [dice.pick(["180d", "x", "0000180d-0000-1000-8000-00805f9b34fb"]): Data(dice.bytes(3))].busValue
        case 13: .structure([oddValue(depth: depth + 1) ?? .byte(0)])
        default: .variant(oddValue(depth: depth + 1) ?? .byte(0))
        }
    }

    /// Whatever has happened: with a bluetoothd that was started again, a sensor is connected to and read.
    private func recover(_ app: ChaoticApp, _ daemon: FakeBluetoothd, _ device: FakeDevice) async throws {
        app.rest()
        daemon.reactOrdinarily()
        daemon.die()
        try await eventually("the manager knows that bluetoothd has ended", within: .seconds(20)) { !app.isPoweredOn }
        daemon.adapter.removeFromAir(device)
        daemon.remove(daemon.adapter)
        daemon.addAdapter(0)
        let fresh = addSensor(daemon)
        try await daemon.restart()
        try await eventually("the manager is powered on again", within: .seconds(20)) { app.isPoweredOn }
        app.connect(fresh.identifier)
        try await eventually("connected and read after the chaos", within: .seconds(20)) { app.hasRead }
    }
}

extension FakeDevice {
    fileprivate var identifier: UUID {
        CBPeer.identifier(forBluetoothAddress: "C0:00:00:00:00:01", isRandom: true) ?? UUID()
    }
}

/// An app that uses all of a central and of a peripheral manager, in no order.
// @unchecked: the state is touched on `queue` only, or in locks.
private final class ChaoticApp: NSObject, @unchecked Sendable {
    private let queue = DispatchQueue(label: "app")
    private var central: CBCentralManager?
    private var local: CBPeripheralManager?
    private let read = Mutex(false)
    private let powered = Mutex(false)
    private var isResting = false
    private var characteristic: CBMutableCharacteristic?
    /// What it wants to be connected to in the end, and what became of that.
    private var wanted: UUID?
    private var sensor: CBPeripheral?
    private var lines: [String] = []

    init(_ session: BlueZSession) {
        super.init()
        queue.sync {
            central = CBCentralManager(delegate: self, queue: queue, session: session)
            local = CBPeripheralManager(delegate: nil, queue: queue, session: session)
        }
    }

    var isPoweredOn: Bool { powered.withLock(\.self) }
    var hasRead: Bool { read.withLock(\.self) }

    var status: String {
        queue.sync {
            let services = sensor?.services?.map { "\($0.uuid) \($0.characteristics?.count ?? -1)" }
            return "central \(central?.state ?? .unknown), sensor \(sensor?.state.rawValue ?? -1), services "
                + "\(services?.joined(separator: " ") ?? "unknown"), \(lines.suffix(12).joined(separator: ", "))"
        }
    }

    /// It does nothing by itself after this.
    func rest() {
        queue.async { [self] in
            isResting = true
            central?.stopScan()
            local?.stopAdvertising()
            local?.removeAllServices()
        }
    }

    func end() {
        queue.sync {
            central = nil
            local = nil
        }
    }

    func connect(_ identifier: UUID) {
        queue.async { [self] in
            read.withLock { $0 = false }
            wanted = identifier
            guard let central, let peripheral = central.retrievePeripherals(withIdentifiers: [identifier]).first else {
                return
            }
            peripheral.delegate = self
            sensor = peripheral
            central.connect(peripheral)
        }
    }

    func act(_ number: UInt64, _ identifier: UUID) {
        queue.async { [self] in
            guard let central, let local, central.state == .poweredOn else { return }
            var dice = TestSupport.Dice(state: number)
            guard let peripheral = central.retrievePeripherals(withIdentifiers: [identifier]).first else { return }
            peripheral.delegate = self
            let found = (peripheral.services ?? []).flatMap { $0.characteristics ?? [] }
            switch dice.below(14) {
            case 0: central.scanForPeripherals(withServices: dice.happens(50) ? nil : [CBUUID(string: "180D")])
            case 1: central.stopScan()
            case 2, 3: central.connect(peripheral)
            case 4: central.cancelPeripheralConnection(peripheral)
            case 5: peripheral.discoverServices(dice.happens(50) ? nil : [CBUUID(string: "180D")])
            case 6: for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
            case 7: for characteristic in found { peripheral.readValue(for: characteristic) }
            case 8: for characteristic in found { peripheral.setNotifyValue(dice.happens(60), for: characteristic) }
            case 9:
                for characteristic in found {
                    peripheral.writeValue(
                        Data(dice.bytes(3)), for: characteristic,
                        type: dice.happens(50) ? .withResponse : .withoutResponse)
                }
            case 10: for characteristic in found { peripheral.discoverDescriptors(for: characteristic) }
            case 11: publish(local)
            case 12:
                if let characteristic {
                    _ = local.updateValue(Data(dice.bytes(8)), for: characteristic, onSubscribedCentrals: nil)
                }
            default: local.removeAllServices()
            }
        }
    }

    private func publish(_ local: CBPeripheralManager) {
        guard local.state == .poweredOn else { return }
        let service = CBMutableService(type: CBUUID(string: "FFF0"), primary: true)
        let characteristic = CBMutableCharacteristic(
            type: CBUUID(string: "FFF1"), properties: [.read, .notify], value: nil, permissions: [.readable])
        service.characteristics = [characteristic]
        self.characteristic = characteristic
        local.add(service)
        local.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [service.uuid]])
    }
}

extension ChaoticApp: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        lines.append("\(central.state)")
        // Bluetooth was off once more since: what was asked for before is void.
        if isResting, central.state == .poweredOn, let wanted { connect(wanted) }
        powered.withLock { $0 = central.state == .poweredOn }
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        lines.append("connected")
        peripheral.discoverServices(nil)
    }

    func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) {
        lines.append("not connected: \(String(describing: error))")
        if isResting { central.connect(peripheral) }
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?
    ) {
        lines.append("disconnected: \(String(describing: error))")
        if isResting { central.connect(peripheral) }
    }
}

extension ChaoticApp: CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        lines.append("services \(peripheral.services?.count ?? -1)")
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        lines.append("characteristics \(service.characteristics?.count ?? -1)")
        for characteristic in service.characteristics ?? [] where characteristic.uuid == CBUUID(string: "2A38") {
            peripheral.readValue(for: characteristic)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        lines.append("value \(String(describing: error))")
        if isResting, error == nil, characteristic.value == Data([1]) { read.withLock { $0 = true } }
    }
}
