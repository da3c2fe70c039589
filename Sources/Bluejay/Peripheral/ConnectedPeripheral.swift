/// Receives the reports of a connected peripheral.
protocol ConnectedPeripheralDelegate: AnyObject {
    /// Passes an event to the running operation.
    ///
    /// - Returns: whether the operation has used it.
    func process(_ event: BluetoothEvent) -> Bool
    func didReadRSSI(_ rssi: NSNumber, error: (any Error)?)
    func didModifyServices(_ invalidated: [ServiceIdentifier])
    /// A value has arrived that no listener and no operation was waiting for.
    func didReceiveUnhandledValue(_ value: Data?, of characteristic: CharacteristicIdentifier)
}

/// The peripheral of one connection: sends the requests of operations, passes its reports on, and holds the listeners.
///
/// Released, with the listeners, when the connection ends.
// @unchecked: used on the main queue only, on which the central manager calls its delegates.
final class ConnectedPeripheral: NSObject, CBPeripheralDelegate, @unchecked Swift.Sendable {
    /// A request to the peripheral that is answered by a call of the delegate.
    enum Request: Hashable {
        case services
        case characteristics(ServiceIdentifier)
        case read(CharacteristicIdentifier)
        case write(CharacteristicIdentifier)
        case notificationState(CharacteristicIdentifier)
    }

    let cbPeripheral: CBPeripheral
    let listeners = ListenerTable()
    private weak var delegate: (any ConnectedPeripheralDelegate)?
    private let log: Log
    /// How many requests of cancelled operations are still unanswered. CoreBluetooth answers in order, so the next
    /// answers belong to them and not to later operations with the same request.
    private var abandoned: [Request: Int] = [:]
    /// The services that were discovered after the peripheral's last change of services; nil if there was no change.
    private var searchedServices: Set<ServiceIdentifier>?

    init(_ cbPeripheral: CBPeripheral, delegate: any ConnectedPeripheralDelegate, log: Log) {
        self.cbPeripheral = cbPeripheral
        self.delegate = delegate
        self.log = log
        super.init()
        cbPeripheral.delegate = self
    }

    var identifier: PeripheralIdentifier { PeripheralIdentifier(cbPeripheral) }

    /// Stops receiving the peripheral's reports.
    func detach() {
        if cbPeripheral.delegate === self { cbPeripheral.delegate = nil }
        delegate = nil
    }

    /// The characteristic, if it has been discovered.
    func known(_ characteristic: CharacteristicIdentifier) -> CBCharacteristic? {
        for service in cbPeripheral.services ?? [] where service.uuid == characteristic.service.uuid {
            if let found = service.characteristic(with: characteristic.uuid) { return found }
        }
        return nil
    }

    /// The discovered services with the identifier. There may be several: a peripheral on BlueZ, for example, may have
    /// a Device Information service of its own beside that of bluetoothd.
    func services(_ service: ServiceIdentifier) -> [CBService] {
        (cbPeripheral.services ?? []).filter { $0.uuid == service.uuid }
    }

    /// Whether all services with the identifier have been discovered, and there is one.
    func isDiscovered(_ service: ServiceIdentifier) -> Bool {
        cbPeripheral.service(with: service.uuid) != nil && searchedServices?.contains(service) != false
    }

    /// All services with the identifier have been discovered.
    func discovered(_ service: ServiceIdentifier) {
        searchedServices?.insert(service)
    }

    // Requests.

    func discover(_ service: ServiceIdentifier) {
        cbPeripheral.discoverServices([service.uuid])
    }

    func discover(_ characteristic: CharacteristicIdentifier, in service: CBService) {
        cbPeripheral.discoverCharacteristics([characteristic.uuid], for: service)
    }

    func read(_ found: CBCharacteristic) {
        cbPeripheral.readValue(for: found)
    }

    func write(_ value: Data, to found: CBCharacteristic, type: CBCharacteristicWriteType) {
        cbPeripheral.writeValue(value, for: found, type: type)
    }

    func setNotifying(_ enabled: Bool, _ found: CBCharacteristic) {
        cbPeripheral.setNotifyValue(enabled, for: found)
    }

    /// The operation that made a request has been cancelled: its answer will be dropped.
    func abandon(_ request: Request) {
        abandoned[request, default: 0] += 1
    }

    /// Whether an answer belongs to an abandoned request.
    private func wasAbandoned(_ request: Request) -> Bool {
        guard let count = abandoned[request] else { return false }
        abandoned[request] = count > 1 ? count - 1 : nil
        log.detail("Dropped the answer to a cancelled request: \(request)")
        return true
    }

    private func offer(_ event: BluetoothEvent) {
        if delegate?.process(event) != true { log.detail("Nothing was waiting for \(event)") }
    }

    private func identifier(of characteristic: CBCharacteristic) -> CharacteristicIdentifier? {
        if let identifier = CharacteristicIdentifier(characteristic) { return identifier }
        log("Ignored characteristic \(characteristic.uuid.uuidString): its service was removed")
        return nil
    }

    // CBPeripheralDelegate

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        if wasAbandoned(.services) { return }
        offer(.servicesDiscovered(error: error))
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        let identifier = ServiceIdentifier(uuid: service.uuid)
        if wasAbandoned(.characteristics(identifier)) { return }
        offer(.characteristicsDiscovered(identifier, error: error))
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let identifier = identifier(of: characteristic) else { return }
        let value = characteristic.value
        if listeners.receive(value, error, identifier) { return }
        if wasAbandoned(.read(identifier)) { return }
        if delegate?.process(.valueUpdated(identifier, value, error: error)) == true { return }
        if listeners.isEnding(identifier) {
            log.detail("Dropped a value of \(identifier.description), which no longer has a listener")
        } else {
            delegate?.didReceiveUnhandledValue(value, of: identifier)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let identifier = identifier(of: characteristic), !wasAbandoned(.write(identifier)) else { return }
        offer(.valueWritten(identifier, error: error))
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        guard let identifier = identifier(of: characteristic), !wasAbandoned(.notificationState(identifier))
        else { return }
        // Reads that were abandoned before have been answered by now; a value is the listener's from here on.
        abandoned[.read(identifier)] = nil
        offer(.notificationStateUpdated(identifier, error: error))
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        _ = delegate?.process(.readyToWriteWithoutResponse)
    }

    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        delegate?.didReadRSSI(RSSI, error: error)
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        searchedServices = []
        listeners.servicesWereRemoved(invalidatedServices)
        delegate?.didModifyServices(invalidatedServices.map { ServiceIdentifier(uuid: $0.uuid) })
    }
}
