/// Makes sure that a characteristic is known before it is used.
final class DiscoverCharacteristicOperation: QueuedOperation {
    private let characteristic: CharacteristicIdentifier
    private let peripheral: ConnectedPeripheral
    /// What cannot be done without the characteristic.
    private let dependent: QueuedOperation
    /// How many of the services with the characteristic's service identifier have been asked.
    private var servicesAsked = 0

    init(
        _ characteristic: CharacteristicIdentifier, on peripheral: ConnectedPeripheral,
        for dependent: QueuedOperation
    ) {
        self.characteristic = characteristic
        self.peripheral = peripheral
        self.dependent = dependent
    }

    override var summary: String { "discovery of \(characteristic.description)" }
    override var prepares: QueuedOperation? { dependent }

    override func start() {
        if dependent.phase == .ended || peripheral.known(characteristic) != nil { return complete {} }
        // The service may have gone since it was discovered.
        guard discoverInNextService() else {
            return complete { report(BluejayError.missingService(characteristic.service)) }
        }
    }

    private func discoverInNextService() -> Bool {
        guard peripheral.discover(characteristic, inService: servicesAsked) else { return false }
        servicesAsked += 1
        return true
    }

    override func process(_ event: BluetoothEvent) -> Bool {
        guard case .characteristicsDiscovered(let service, let error) = event, service == characteristic.service
        else { return false }
        if let error {
            complete { report(error) }
        } else if peripheral.known(characteristic) != nil {
            complete {}
        } else if !discoverInNextService() {
            complete { report(BluejayError.missingCharacteristic(characteristic)) }
        }
        return true
    }

    override func interrupt() {
        peripheral.abandon(.characteristics(characteristic.service))
    }

    override func report(_ error: any Error) {
        dependent.fail(error)
    }
}
