import DBus
import Dispatch
import Foundation
import TestSupport

@testable import BlueZ
@testable import CoreBluetooth

/// A program with a central manager on a fake bluetoothd: it notes every call of its delegate as a line.
final class CentralApp: NSObject, Sendable {
    let queue = DispatchQueue(label: "app")
    let manager: CBCentralManager
    let session: BlueZSession
    private let journal = Journal()

    /// - Parameters:
    ///   - options: as a central manager takes them.
    ///   - agent: where its state is kept, if it has a restore identifier.
    ///   - other: one in the same process.
    init(
        on daemon: FakeBluetoothd, options: [String: Any]? = nil, agent: AgentAccess = AgentAccess(),
        timing: BlueZSession.Timing = .init(), beside other: CentralApp? = nil
    ) {
        let bus = daemon.bus
        // The first state is for the delegate.
        queue.suspend()
        session =
            other?.session
            ?? BlueZSession(timing: timing, handleFolder: "/dev/null") { () throws(BusError) in try bus.connect() }
        manager = CBCentralManager(delegate: nil, queue: queue, options: options, agent: agent, session: session)
        super.init()
        manager.delegate = self
        queue.resume()
    }

    /// All that the delegate was called for, in order.
    var lines: [String] { journal.lines }

    /// Does something on the manager's queue, as an app does.
    func act<T: Sendable>(_ body: @Sendable (CBCentralManager) throws -> T) rethrows -> T {
        try queue.sync { try body(manager) }
    }

    /// Waits until the delegate has been called for `line`, this many times.
    func saw(_ line: String, count: Int = 1, within limit: Duration = .seconds(30)) async throws {
        try await journal.saw(line, count: count, within: limit)
    }

    /// The peripheral of an address.
    func peripheral(_ device: FakeDevice) async throws -> CBPeripheral {
        let (address, isRandom) = await (device.address, device.text("AddressType") == "random")
        let identifier = try required(PeerIdentifier(addressText: address, isRandom: isRandom)).uuid
        let found = act { $0.retrievePeripherals(withIdentifiers: [identifier]).first }
        let peripheral = try required(found)
        queue.sync { peripheral.delegate = self }
        return peripheral
    }

    /// Powered on, and asked to connect to a device of the fake.
    @discardableResult
    func connect(to device: FakeDevice, options: [String: Any]? = nil) async throws -> CBPeripheral {
        try await saw("state on")
        let peripheral = try await peripheral(device)
        nonisolated(unsafe) let options = options
        act { $0.connect(peripheral, options: options) }
        return peripheral
    }

    /// Powered on, and connected to a device of the fake.
    func connected(to device: FakeDevice, options: [String: Any]? = nil) async throws -> CBPeripheral {
        let peripheral = try await connect(to: device, options: options)
        try await saw("connected")
        return peripheral
    }

    /// Discovers a characteristic.
    func characteristic(_ uuid: String, of peripheral: CBPeripheral) async throws -> CBCharacteristic {
        try await discoverEverything(of: peripheral)
        guard let found = find(uuid, in: peripheral) else { throw NotSeen(line: uuid, lines: lines) }
        return found
    }

    func discoverEverything(of peripheral: CBPeripheral) async throws {
        let known = lines
        func count(_ line: String) -> Int { known.count { $0 == line } + 1 }
        queue.sync { peripheral.discoverServices(nil) }
        try await saw("services", count: count("services"))
        let services = queue.sync { peripheral.services ?? [] }
        queue.sync { for service in services { peripheral.discoverCharacteristics(nil, for: service) } }
        for service in services {
            let line = "characteristics of \(service.uuid.uuidString)"
            try await saw(line, count: count(line))
        }
    }

    func find(_ uuid: String, in peripheral: CBPeripheral) -> CBCharacteristic? {
        queue.sync {
            (peripheral.services ?? []).lazy.flatMap { $0.characteristics ?? [] }.first {
                $0.uuid == CBUUID(string: uuid)
            }
        }
    }

    func note(_ line: String) { journal.note(line) }
}

func words(_ state: CBManagerState) -> String {
    switch state {
    case .unknown: "unknown"
    case .resetting: "resetting"
    case .unsupported: "unsupported"
    case .unauthorized: "unauthorized"
    case .poweredOff: "off"
    case .poweredOn: "on"
    }
}

func words(_ error: (any Error)?) -> String {
    guard let error else { return "" }
    if let error = error as? CBATTError {
        let refusal = " refused 0x" + String(error.code.rawValue, radix: 16)
        return error.isUnansweredSincePairing ? refusal + " after pairing" : refusal
    }
    return " failed: \(error.localizedDescription)"
}

extension CentralApp: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) { note("state " + words(central.state)) }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi: NSNumber
    ) {
        note("found \(peripheral.name ?? "?") \(rssi)")
        if let companies = advertisementData[CBAdvertisementDataAllManufacturerDataKey] as? [Data] {
            let one = advertisementData[CBAdvertisementDataManufacturerDataKey] as? Data
            note("companies \(companies.map(hex)), one \(hex(one ?? Data()))")
        }
    }

    func centralManager(_ central: CBCentralManager, willRestoreState state: [String: Any]) {
        if let options = state[CBCentralManagerRestoredStateScanOptionsKey] as? [String: Any] {
            let services = state[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID]
            note("restored scan \(services?.map(\.uuidString) ?? []) \(options.mapValues { "\($0)" })")
        }
        for case let peripheral as CBPeripheral in state[CBCentralManagerRestoredStatePeripheralsKey] as? [Any] ?? [] {
            peripheral.delegate = self
            let notifying = (peripheral.services ?? []).flatMap { $0.characteristics ?? [] }.filter(\.isNotifying)
            note("restored \(peripheral.state) \(notifying.map { $0.uuid.uuidString })")
        }
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { note("connected") }

    func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) {
        note("not connected" + words(error))
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?
    ) {
        note("disconnected" + (isReconnecting ? ", reconnecting" : "") + words(error))
    }

    func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
    ) {
        note("event \(event)")
    }
}

extension CentralApp: CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didUpdateNotificationLossFor characteristic: CBCharacteristic) {
        let loss = characteristic.notificationLoss
        note("lost \(characteristic.uuid.uuidString) \(loss.droppedValues) \(loss.fullSockets)")
    }

    func peripheralDidUpdateName(_ peripheral: CBPeripheral) { note("name \(peripheral.name ?? "")") }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        note("modified \(invalidatedServices.map { $0.uuid.uuidString }.sorted())")
    }

    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        note("rssi \(RSSI)" + words(error))
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        note("services" + words(error))
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
    ) {
        note("included \((service.includedServices ?? []).map { $0.uuid.uuidString })" + words(error))
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        note("characteristics of \(service.uuid.uuidString)" + words(error))
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        note("\(characteristic.uuid.uuidString)" + (error == nil ? " = \(hex(characteristic.value))" : words(error)))
    }

    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        note("written \(characteristic.uuid.uuidString)" + words(error))
    }

    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        note("channel " + (channel.map { "\($0.psm) to \($0.peer === peripheral)" } ?? "none") + words(error))
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { note("ready") }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        note("notifying \(characteristic.uuid.uuidString) \(characteristic.isNotifying)" + words(error))
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        note("descriptors \((characteristic.descriptors ?? []).map { $0.uuid.uuidString })" + words(error))
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        note("descriptor \(descriptor.uuid.uuidString) = \(descriptor.value ?? "nothing")" + words(error))
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
        note("descriptor \(descriptor.uuid.uuidString) written" + words(error))
    }
}
