/// Makes sure that a characteristic is known before it is used.
final class DiscoverCharacteristicOperation: QueuedOperation {
    private let characteristic: CharacteristicIdentifier
    private let peripheral: ConnectedPeripheral
    /// The operation that needs the characteristic.
    private let dependent: QueuedOperation
    /// The services that may still have it.
    private var unsearched: ArraySlice<CBService> = []

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
        unsearched = peripheral.services(characteristic.service)[...]
        // The service may have been removed since it was discovered.
        if !searchNext() { complete { report(BluejayError.missingService(characteristic.service)) } }
    }

    /// - Returns: false if there is no service left to search.
    private func searchNext() -> Bool {
        guard let service = unsearched.popFirst() else { return false }
        peripheral.discover(characteristic, in: service)
        return true
    }

    override func process(_ event: BluetoothEvent) -> Bool {
        guard case .characteristicsDiscovered(let service, let error) = event, service == characteristic.service
        else { return false }
        if let error {
            complete { report(error) }
        } else if peripheral.known(characteristic) != nil {
            complete {}
        } else if !searchNext() {
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
