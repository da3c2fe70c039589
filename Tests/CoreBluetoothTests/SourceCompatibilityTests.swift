import CoreBluetooth  // nothing else: it must bring Foundation and Dispatch along
import Testing

// Code as programs for Apple's platforms write it, in Swift 6. Most of it only has to compile.

extension CBUUID {
    static let heartRate = CBUUID(string: "180D")
    fileprivate static let measurement = CBUUID(string: "2A37")
}

extension CBPeripheral {
    fileprivate var displayName: String { name ?? identifier.uuidString }
}

/// Has every optional method of the three delegates, in both spellings of the error.
private class FullDelegate: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, CBPeripheralManagerDelegate {
    var seen: [CBPeripheral: NSNumber] = [:]

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        switch central.state {
        case .poweredOn:
            central.scanForPeripherals(withServices: [.heartRate])
        case .unknown, .resetting, .unsupported, .unauthorized, .poweredOff:
            seen.removeAll()
        @unknown default:
            break
        }
    }
    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        for peripheral in dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? [] {
            peripheral.delegate = self
        }
    }
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard RSSI.intValue > -80, RSSI != 127 else { return }
        seen[peripheral] = RSSI
        central.connect(peripheral, options: nil)
    }
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.delegate = self
        peripheral.discoverServices([.heartRate])
    }
    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?) {}
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {}
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: Error?
    ) {}
    func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
    ) {}
    func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {}

    func peripheralDidUpdateName(_ peripheral: CBPeripheral) {}
    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {}
    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: Error?) {}
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        guard error == nil else { return }
        for service in peripheral.services ?? [] {
            peripheral.discoverCharacteristics([.measurement], for: service)
        }
    }
    func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: Error?) {}
    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        service.characteristics?.forEach { characteristic in
            if characteristic.properties.contains(.notify) { peripheral.setNotifyValue(true, for: characteristic) }
            if characteristic.properties.contains(.read) { peripheral.readValue(for: characteristic) }
        }
    }
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: Error?
    ) {}
    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        guard let value = characteristic.value, let first = value.first else { return }
        print(first, characteristic.service?.uuid as Any)
    }
    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: Error?) {}
    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?) {}
    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: Error?) {}
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
    ) {}
    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {}
    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: Error?) {}

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {}
    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {}
    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {}
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {}
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {}
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        guard request.characteristic.uuid == .measurement else {
            peripheral.respond(to: request, withResult: .attributeNotFound)
            return
        }
        let value = Data([0, 60])
        guard request.offset <= value.count else {
            peripheral.respond(to: request, withResult: CBATTError.Code.invalidOffset)
            return
        }
        request.value = value.subdata(in: request.offset..<value.count)
        peripheral.respond(to: request, withResult: .success)
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        peripheral.respond(to: requests[0], withResult: CBATTError.Code(rawValue: 0x80)!)
    }
    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {}
    func peripheralManager(_ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: Error?) {}
    func peripheralManager(_ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: Error?) {
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: Error?) {}
}

/// Has only what is required.
private final class MinimalDelegate: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate,
    CBPeripheralManagerDelegate
{
    func centralManagerDidUpdateState(_ central: CBCentralManager) {}
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
}

/// The usual shape of an app's Bluetooth object: owns the manager and is its delegate.
private final class Owner: NSObject, CBCentralManagerDelegate {
    private var central: CBCentralManager!
    private let queue = DispatchQueue(label: "owner")

    override init() {
        super.init()
        central = CBCentralManager(delegate: self, queue: queue)
    }
    func centralManagerDidUpdateState(_ central: CBCentralManager) {}
}

/// The usual shape in Swift 6: isolated to the main actor, delegate methods not.
@MainActor
private final class MainActorOwner: NSObject, CBCentralManagerDelegate {
    private(set) var isOn = false
    private var central: CBCentralManager?

    func start() {
        central = CBCentralManager(delegate: self, queue: .main)
    }
    nonisolated func centralManagerDidUpdateState(_ central: CBCentralManager) {
        MainActor.assumeIsolated { isOn = central.state == .poweredOn }
    }
    nonisolated func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        Task { @MainActor in
            self.central?.connect(peripheral)
        }
    }
}

/// Subclasses of the open classes, with settable overrides.
private final class ChirpService: CBMutableService, @unchecked Sendable {
    override var characteristics: [CBCharacteristic]? {
        get { super.characteristics }
        set { super.characteristics = newValue }
    }
}
private final class FixedCharacteristic: CBMutableCharacteristic, @unchecked Sendable {
    override var value: Data? {
        get { Data([7]) }
        set { super.value = newValue }
    }
    override var properties: CBCharacteristicProperties { didSet {} }
    override var descriptors: [CBDescriptor]? {
        get { nil }
        set {}
    }
}
private final class MyManager: CBCentralManager, @unchecked Sendable {
    private(set) var scans = 0
    override var state: CBManagerState { .poweredOff }
    override func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
        scans += 1
    }
}

@Suite struct SourceCompatibilityTests {
    @Test func `a value type of the API can be used in generic and concurrent code`() {
        func needsSendable(_ value: some Sendable) {}
        needsSendable(CBManagerState.poweredOn)
        needsSendable(CBCharacteristicProperties.notify)
        needsSendable(CBError(.unknown))
        needsSendable(CBATTError.Code.success)
        needsSendable(CBUUID.heartRate)
    }

    @Test func `managers are created in every usual form`() {
        let full = FullDelegate()
        let queue = DispatchQueue(label: "bluetooth")
        let managers = [
            CBCentralManager(delegate: full, queue: nil),
            CBCentralManager(delegate: full, queue: .main),
            CBCentralManager(
                delegate: nil, queue: queue, options: [CBCentralManagerOptionShowPowerAlertKey: false]),
            CBCentralManager(delegate: nil, queue: queue, options: nil),
            CBCentralManager(),
            CBCentralManager.init(delegate: MinimalDelegate(), queue: queue),
        ]
        for manager in managers { #expect(manager.state.rawValue <= CBManagerState.poweredOn.rawValue) }
        #expect(managers[0].delegate === full)
        #expect(managers[5].delegate == nil, "a delegate is not retained")

        let servers = [
            CBPeripheralManager(delegate: full, queue: nil),
            CBPeripheralManager(
                delegate: full, queue: nil, options: [CBPeripheralManagerOptionShowPowerAlertKey: true]),
            CBPeripheralManager(),
        ]
        #expect(servers[1].delegate === full)
        _ = Owner()
        #expect(CBManager.authorization == .allowedAlways)
        #expect(CBCentralManager.authorization == .allowedAlways)
        #expect(CBPeripheralManager.authorization == .allowedAlways)
        #expect(!CBCentralManager.supports(.extendedScanAndConnect))
    }

    @Test @MainActor func `an owner on the main actor compiles and starts in the unknown state`() {
        let owner = MainActorOwner()
        owner.start()
        #expect(!owner.isOn)
    }

    @Test func `methods of subclasses are called`() {
        let manager = MyManager(delegate: nil, queue: nil, options: nil)
        manager.scanForPeripherals(withServices: nil)
        #expect(manager.scans == 1)
        let service = ChirpService(type: .heartRate, primary: false)
        let characteristic = FixedCharacteristic(
            type: .measurement, properties: [.read, .notify], value: nil, permissions: [.readable])
        service.characteristics = [characteristic]
        #expect((service as CBService).characteristics?.first?.value == Data([7]))
        #expect(characteristic.service?.peripheral?.identifier == nil)
    }

    /// Never run: needs a peripheral. Every form of use that must compile.
    private func commands(central: CBCentralManager, peripheral: CBPeripheral, other: CBPeripheral) {
        guard central.state == .poweredOn, central.state.rawValue > CBManagerState.poweredOff.rawValue else { return }
        central.scanForPeripherals(withServices: nil)
        central.scanForPeripherals(withServices: nil, options: nil)
        central.scanForPeripherals(withServices: [.heartRate], options: [:])
        central.scanForPeripherals(
            withServices: [CBUUID(string: "180D")],
            options: [CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: true)])
        central.scanForPeripherals(withServices: [], options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        central.stopScan()
        central.connect(peripheral)
        central.connect(peripheral, options: nil)
        central.connect(
            peripheral,
            options: [
                CBConnectPeripheralOptionNotifyOnConnectionKey: true, CBConnectPeripheralOptionStartDelayKey: 1,
                CBConnectPeripheralOptionUseNotifySocketsKey: true,
            ])
        central.cancelPeripheralConnection(peripheral)
        central.registerForConnectionEvents(options: [.serviceUUIDs: [CBUUID.heartRate]])
        for known in central.retrievePeripherals(withIdentifiers: [peripheral.identifier]) where known === other {}
        _ = central.retrieveConnectedPeripherals(withServices: [.heartRate]).first
        // For the effect alone.
        central.retrievePeripherals(withIdentifiers: [])
        central.retrieveConnectedPeripherals(withServices: [])
        peripheral.maximumWriteValueLength(for: .withResponse)
        CBCentralManager.supports(.extendedScanAndConnect)
        central.delegate = nil

        let set: Set<CBPeripheral> = [peripheral, other]
        var names: [CBPeripheral: String] = [peripheral: peripheral.displayName]
        names[other] = "\(other)"
        _ = set.contains(peripheral) && [other].contains(peripheral) && peripheral != other

        if let service = peripheral.services?.first(where: { $0.uuid == .heartRate }) {
            peripheral.discoverIncludedServices(nil, for: service)
            peripheral.discoverCharacteristics(nil, for: service)
        }
        for characteristic in peripheral.services?.flatMap({ $0.characteristics ?? [] }) ?? [] {
            peripheral.discoverDescriptors(for: characteristic)
            peripheral.readValue(for: characteristic)
            if characteristic.properties.intersection([.write, .writeWithoutResponse]).isEmpty { continue }
            let length = peripheral.maximumWriteValueLength(for: .withoutResponse)
            if peripheral.canSendWriteWithoutResponse {
                peripheral.writeValue(Data(count: length), for: characteristic, type: .withoutResponse)
            }
            peripheral.writeValue(Data([1]), for: characteristic, type: .withResponse)
            peripheral.setNotifyValue(!characteristic.isNotifying, for: characteristic)
            for descriptor in characteristic.descriptors ?? [] {
                peripheral.readValue(for: descriptor)
                peripheral.writeValue(Data(), for: descriptor)
                _ = descriptor.value as? NSNumber
            }
            _ = characteristic.service?.peripheral?.identifier
            _ = characteristic.debugDescription
        }
        peripheral.readRSSI()
        peripheral.openL2CAPChannel(0x80)
        _ = peripheral.ancsAuthorized
    }

    /// Never run: every form of use in the peripheral role that must compile.
    private func serve(manager: CBPeripheralManager, central: CBCentral) {
        let notifying = CBMutableCharacteristic(
            type: .measurement, properties: .notify, value: nil, permissions: .readable)
        let encrypted = CBMutableCharacteristic(
            type: CBUUID(string: "E4D4A76C-B9F1-422F-8BBA-18508356A145"), properties: [.read], value: nil,
            permissions: [.readable, .readEncryptionRequired])
        let service = CBMutableService(type: .heartRate, primary: true)
        service.characteristics = [notifying, encrypted]
        service.includedServices = nil
        notifying.descriptors = [
            CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "beats")
        ]
        manager.add(service)
        manager.startAdvertising([
            CBAdvertisementDataServiceUUIDsKey: [service.uuid], CBAdvertisementDataLocalNameKey: "Sensor",
        ])
        _ = manager.updateValue(Data([0, 60]), for: notifying, onSubscribedCentrals: nil)
        manager.updateValue(Data([0, 60]), for: notifying, onSubscribedCentrals: nil)
        if !manager.updateValue(Data(), for: notifying, onSubscribedCentrals: [central]) {}
        _ = notifying.subscribedCentrals?.count
        manager.setDesiredConnectionLatency(.low, for: central)
        if manager.isAdvertising { manager.stopAdvertising() }
        manager.remove(service)
        manager.removeAllServices()
        manager.publishL2CAPChannel(withEncryption: false)
        manager.unpublishL2CAPChannel(0x80)
        _ = central.maximumUpdateValueLength
    }

    @Test func `advertisement data is read by the usual casts`() {
        let data: [String: Any] = [
            CBAdvertisementDataIsConnectable: NSNumber(value: true),
            CBAdvertisementDataServiceDataKey: [CBUUID.heartRate: Data([1])],
            CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "180D")],
            CBAdvertisementDataLocalNameKey: "Sensor",
            CBAdvertisementDataTxPowerLevelKey: NSNumber(value: -4),
        ]
        #expect(data[CBAdvertisementDataIsConnectable] as? Bool ?? false)
        #expect((data[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue == true)
        #expect((data[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data])?[.heartRate] == Data([1]))
        #expect((data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID])?.contains(.heartRate) == true)
        #expect(data[CBAdvertisementDataLocalNameKey] as? String == "Sensor")
        #expect(data[CBAdvertisementDataTxPowerLevelKey] as? Int == -4)
    }

    @Test func `the time of a disconnection is compared with the present one`() {
        let before: CFAbsoluteTime = Date().timeIntervalSinceReferenceDate
        let elapsed: CFTimeInterval = CFAbsoluteTimeGetCurrent() - before
        #expect(elapsed >= 0)
    }

    @Test func `a UUID that is to be set later is made from nothing`() {
        struct Sighting {
            var service = CBUUID()
        }
        #expect(Sighting().service == CBUUID())
    }

    @Test func `option sets are written in every usual form`() {
        let properties: CBCharacteristicProperties = [.read, .notify]
        #expect(properties.contains(.notify))
        #expect(CBCharacteristicProperties.init(rawValue: 0x0A) == [.read, .write])
        #expect(properties.intersection([.write, .writeWithoutResponse]).isEmpty)
        let permissions: CBAttributePermissions = [.readable, .writeable]
        #expect(permissions.rawValue == 3)
    }
}

/// Names that Apple's platforms have and Swift on Linux has not.
@Suite struct ForeignNameTests {
    private func manager(on queue: dispatch_queue_t?) -> CBCentralManager {
        CBCentralManager(delegate: nil, queue: queue)
    }

    @Test func `times are counted in C's units`() {
        let half = Int64(0.5 * Double(NSEC_PER_SEC))
        #expect(half == 500_000_000 && NSEC_PER_SEC / NSEC_PER_MSEC == MSEC_PER_SEC)
        #expect(USEC_PER_SEC * NSEC_PER_USEC == NSEC_PER_SEC)
    }

    @Test func `objects are arguments of formats`() {
        let characteristic = CBMutableCharacteristic(
            type: .heartRate, properties: .read, value: nil, permissions: .readable)
        let service = CBMutableService(type: .heartRate, primary: true)
        #expect(
            String(format: "%@ has %@ and %d more", service, characteristic, 2)
                == "\(service.description) has \(characteristic.description) and 2 more")
        let objects: [any CVarArg] = [service, CBUUID.heartRate, manager(on: nil), "text"]
        let texts = [service.description, CBUUID.heartRate.description, "", "text"]
        let formatted = String(format: "%@|%@|%@|%@", arguments: objects)
        #expect(zip(formatted.split(separator: "|"), texts).allSatisfy { $0.hasPrefix($1) }, "\(formatted)")
    }

    /// As in CGMBLEKit.
    private func log(_ peripheral: CBPeripheral, _ request: CBATTRequest) { NSLog("%@ %@", peripheral, request) }
}
