import BluetoothLab
import CoreBluetooth
import Foundation
import GATTProfiles

/// A central that is connected to several devices with `CBConnectPeripheralOptionEnableAutoReconnect`, and journals
/// what it is told of each.
// @unchecked: its state is touched on its queue only.
final class ReturningDevices: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Swift.Sendable {
    /// What happened to a device.
    enum Event: Hashable {
        case connected, encrypted
        case disconnected(isReconnecting: Bool, hasError: Bool)
        case reported(CBConnectionEvent)
    }

    struct Entry {
        let event: Event
        let time: ContinuousClock.Instant
    }

    /// What happened to each, in order.
    let journals: [UUID: Sequence<Entry>]

    private let queue = DispatchQueue(label: "returning devices")
    private let adapter: String
    private let isOn = Promise<Void>("Bluetooth")
    private var manager: CBCentralManager?
    private var peripherals: [UUID: CBPeripheral] = [:]
    private var awaitsText: Set<UUID> = []

    init(_ devices: [UUID], on adapter: String) {
        self.adapter = adapter
        journals = Dictionary(uniqueKeysWithValues: devices.map { ($0, Sequence<Entry>()) })
    }

    /// Returns when Bluetooth is on.
    func start() async throws {
        queue.async { [self] in
            manager = CBCentralManager(
                delegate: self, queue: queue, options: [CBCentralManagerOptionAdapterKey: adapter])
        }
        try await isOn.value(within: .seconds(30))
    }

    /// Asks for all connections at once, for as long as it takes.
    func connect() {
        queue.async { [self] in
            for peripheral in manager?.retrievePeripherals(withIdentifiers: Array(journals.keys)) ?? [] {
                peripherals[peripheral.identifier] = peripheral
                peripheral.delegate = self
                manager?.connect(peripheral, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
            }
        }
    }

    /// Starts to note the connections of any program to these devices in their journals.
    func reportConnections(of devices: [UUID]) {
        queue.async { [self] in manager?.registerForConnectionEvents(options: [.peripheralUUIDs: devices]) }
    }

    func cancel(_ device: UUID) {
        queue.async { [self] in
            if let peripheral = peripherals[device] { manager?.cancelPeripheralConnection(peripheral) }
        }
    }

    /// Reads what needs an encrypted link, so that the two pair.
    func pair(_ device: UUID) {
        queue.async { [self] in
            awaitsText.insert(device)
            peripherals[device]?.discoverServices([CBUUID(string: PairingService.uuid)])
        }
    }

    func release() {
        queue.sync { manager = nil }
    }

    /// How much has happened to a device.
    func position(of device: UUID) -> Int { journals[device]?.values.count ?? 0 }

    func events(of device: UUID, from position: Int = 0) -> [Event] {
        (journals[device]?.values ?? []).dropFirst(position).map(\.event)
    }

    /// Waits for an event of a device.
    ///
    /// - Parameter position: in its journal, where to begin.
    @discardableResult
    func event(
        of device: UUID, from position: Int = 0, within limit: Duration = .seconds(60),
        where isWanted: (Event) -> Bool
    ) async throws -> Entry {
        guard let journal = journals[device] else { throw LabError("\(device) is none of the devices") }
        return try await journal.first(after: position, within: limit) { isWanted($0.event) }
    }

    private func note(_ peripheral: CBPeripheral, _ event: Event) {
        journals[peripheral.identifier]?.add(Entry(event: event, time: .now))
    }

    // MARK: Delegates

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { isOn.fulfil(()) }
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        note(peripheral, .connected)
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?
    ) {
        note(peripheral, .disconnected(isReconnecting: isReconnecting, hasError: error != nil))
    }

    func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
    ) {
        note(peripheral, .reported(event))
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        for characteristic in service.characteristics ?? [] { peripheral.readValue(for: characteristic) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if error == nil, awaitsText.remove(peripheral.identifier) != nil { note(peripheral, .encrypted) }
    }
}
