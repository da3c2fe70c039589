import BluetoothLab
import CoreBluetooth
import Foundation

/// A central on CoreBluetooth itself, its calls as async ones.
// @unchecked: its state is touched on its queue only.
final class PlainCentral: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Swift.Sendable {
    /// What `didModifyServices` was called with, call by call.
    let changes = Collector<[CBService]>()
    /// Values that nothing had asked for.
    let values = Collector<(characteristic: CBCharacteristic, value: Data)>()
    let disconnections = Collector<String>()
    /// The manager's states, each with that of the peripheral.
    let states = Collector<String>()

    private enum Event: Hashable {
        case powered, found, connected, disconnected, services
        case characteristics(ObjectIdentifier)
        case included(ObjectIdentifier)
        case descriptors(ObjectIdentifier)
        case channel(CBL2CAPPSM)
        case room
        case value(ObjectIdentifier)
        case written(ObjectIdentifier)
        case notifying(ObjectIdentifier)
    }

    let queue = DispatchQueue(label: "plain central")
    private let options: [String: Any]
    private var manager: CBCentralManager?
    private var found: CBPeripheral?
    private var channels: [CBL2CAPPSM: CBL2CAPChannel] = [:]
    private var waiting: [Event: [Promise<(any Error)?>]] = [:]

    /// - Parameter sockets: whether notifications are taken from sockets.
    init(sockets: Bool = false) {
        options = [CBConnectPeripheralOptionUseNotifySocketsKey: sockets]
    }

    var peripheral: CBPeripheral {
        get throws {
            guard let found else { throw LabError("there is no peripheral yet") }
            return found
        }
    }

    // MARK: The link

    /// Finds the peripheral that advertises a service, and connects to it.
    func connect(advertising service: String) async throws {
        try await ask(.powered, "Bluetooth") { [self] in
            manager = CBCentralManager(
                delegate: self, queue: queue, options: [CBCentralManagerOptionAdapterKey: Lab.centralAdapter])
        }
        try await ask(.found, "the peripheral") { [self] in
            manager?.scanForPeripherals(withServices: [CBUUID(string: service)])
        }
        try await connect()
    }

    /// Connects to the peripheral that was found before.
    func connect() async throws {
        try await ask(.connected, "the connection") { [self] in
            if let found { manager?.connect(found, options: options) }
        }
    }

    /// Connects to a peripheral that is paired and discovers everything, and does both once more if the link was mute:
    /// its bluetoothd may come too late to take it up ("setsockopt(BT_SECURITY): Invalid argument" in its log), and
    /// then the link ends some seconds later, before or after the central takes it for a connection.
    func connectToPairedAndDiscover() async throws {
        do {
            try await connect()
            try await discoverEverything()
        } catch let error as CBError where error.code == .peripheralDisconnected {
            try await connect()
            try await discoverEverything()
        }
    }

    func disconnect() async throws {
        try await ask(.disconnected, "the disconnection") { [self] in
            if let found { manager?.cancelPeripheralConnection(found) }
        }
    }

    /// The manager goes, and its link with it.
    func giveUp() {
        queue.async { self.manager = nil }
    }

    // MARK: The peripheral

    /// Discovers all services with all their characteristics.
    func discoverEverything() async throws {
        try await ask(.services, "the services") { try? self.peripheral.discoverServices(nil) }
        for service in try await services { try await discoverCharacteristics(of: service) }
    }

    /// The services that are known, as the app sees them.
    var services: [CBService] {
        get async throws { try await on { try self.peripheral.services ?? [] } }
    }

    /// The only one with the UUID.
    func service(_ uuid: CBUUID) async throws -> CBService {
        let all = try await services.filter { $0.uuid == uuid }
        guard let only = all.first, all.count == 1 else { throw LabError("\(all.count) services \(uuid)") }
        return only
    }

    func discoverCharacteristics(of service: CBService) async throws {
        try await ask(.characteristics(ObjectIdentifier(service)), "the characteristics of \(service)") {
            try? self.peripheral.discoverCharacteristics(nil, for: service)
        }
    }

    func discoverIncludedServices(of service: CBService) async throws {
        try await ask(.included(ObjectIdentifier(service)), "the services that \(service) includes") {
            try? self.peripheral.discoverIncludedServices(nil, for: service)
        }
    }

    func discoverDescriptors(of characteristic: CBCharacteristic) async throws {
        try await ask(.descriptors(ObjectIdentifier(characteristic)), "the descriptors of \(characteristic)") {
            try? self.peripheral.discoverDescriptors(for: characteristic)
        }
    }

    func read(_ characteristic: CBCharacteristic) async throws -> Data? {
        try await ask(.value(ObjectIdentifier(characteristic)), "the value of \(characteristic)") {
            try? self.peripheral.readValue(for: characteristic)
        }
        return try await on { characteristic.value }
    }

    func text(_ characteristic: CBCharacteristic) async throws -> String {
        String(decoding: try await read(characteristic) ?? Data(), as: UTF8.self)
    }

    func read(_ descriptor: CBDescriptor) async throws {
        try await ask(.value(ObjectIdentifier(descriptor)), "the value of \(descriptor)") {
            try? self.peripheral.readValue(for: descriptor)
        }
    }

    func write(_ text: String, to characteristic: CBCharacteristic) async throws {
        try await ask(.written(ObjectIdentifier(characteristic)), "the writing of \(characteristic)") {
            try? self.peripheral.writeValue(Data(text.utf8), for: characteristic, type: .withResponse)
        }
    }

    /// Writes without response, one value after another, no faster than there is room.
    func writeCommands(_ values: [Data], to characteristic: CBCharacteristic) async throws {
        var rest = values[...]
        while !rest.isEmpty {
            rest = try await on { [rest] in
                var rest = rest
                let peripheral = try self.peripheral
                while peripheral.canSendWriteWithoutResponse, let value = rest.popFirst() {
                    peripheral.writeValue(value, for: characteristic, type: .withoutResponse)
                }
                return rest
            }
            guard !rest.isEmpty else { return }
            try await ask(.room, "room for a write") {
                // There may be some by now.
                if (try? self.peripheral.canSendWriteWithoutResponse) == true { self.answer(.room) }
            }
        }
    }

    func setNotify(_ enabled: Bool, _ characteristic: CBCharacteristic) async throws {
        try await ask(.notifying(ObjectIdentifier(characteristic)), "the notifications of \(characteristic)") {
            try? self.peripheral.setNotifyValue(enabled, for: characteristic)
        }
    }

    /// Opens an L2CAP channel and its streams.
    func openChannel(_ psm: CBL2CAPPSM) async throws -> OpenChannel {
        try await ask(.channel(psm), "the channel at PSM \(psm)") { try? self.peripheral.openL2CAPChannel(psm) }
        let channel = try await on { self.channels.removeValue(forKey: psm) }
        guard let channel else { throw LabError("there is no channel at PSM \(psm)") }
        return OpenChannel(channel)
    }

    /// Runs `body` on the queue.
    func on<T: Swift.Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }

    private func ask(_ event: Event, _ what: String, _ request: @escaping @Sendable () -> Void) async throws {
        let promise = Promise<(any Error)?>(what)
        queue.async {
            self.waiting[event, default: []].append(promise)
            request()
        }
        if let error = try await promise.value(within: .seconds(40)) { throw error }
    }

    @discardableResult
    private func answer(_ event: Event, _ error: (any Error)? = nil) -> Bool {
        guard var promises = waiting[event], !promises.isEmpty else { return false }
        promises.removeFirst().fulfil(error)
        waiting[event] = promises
        return true
    }

    // MARK: Delegates

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { answer(.room) }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        let state = central.state == .poweredOn ? "on" : central.state == .poweredOff ? "off" : "\(central.state)"
        states.add(
            "\(state), \((found?.state ?? .disconnected) == .disconnected ? "disconnected" : "not disconnected")")
        if central.state == .poweredOn { answer(.powered) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard !peripheral.identifier.isBehindProxy else { return }
        central.stopScan()
        found = peripheral
        peripheral.delegate = self
        answer(.found)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        answer(.connected)
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        disconnections.add(error?.short ?? "asked for")
        answer(.disconnected, error)
        // What was asked of the link is dropped with it.
        for promise in waiting.values.joined() { promise.fulfil(CBError(.peripheralDisconnected)) }
        waiting = [:]
    }

    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        guard let channel else {
            // The error does not say which one.
            for case .channel(let psm) in Array(waiting.keys) { answer(.channel(psm), error) }
            return
        }
        channels[channel.psm] = channel
        answer(.channel(channel.psm), error)
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        changes.add(invalidatedServices)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        answer(.services, error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        answer(.characteristics(ObjectIdentifier(service)), error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
    ) {
        answer(.included(ObjectIdentifier(service)), error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        answer(.descriptors(ObjectIdentifier(characteristic)), error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if answer(.value(ObjectIdentifier(characteristic)), error) { return }
        if let value = characteristic.value { values.add((characteristic, value)) }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        answer(.value(ObjectIdentifier(descriptor)), error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        answer(.written(ObjectIdentifier(characteristic)), error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        answer(.notifying(ObjectIdentifier(characteristic)), error)
    }
}

extension CBService {
    /// The characteristic with a UUID. On the central's queue, or when nothing changes it.
    func found(_ uuid: CBUUID) throws -> CBCharacteristic {
        guard let found = characteristics?.first(where: { $0.uuid == uuid }) else {
            throw LabError("\(self) has no characteristic \(uuid)")
        }
        return found
    }
}
