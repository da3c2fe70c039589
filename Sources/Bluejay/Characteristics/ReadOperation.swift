/// Reads a characteristic.
final class ReadOperation: QueuedOperation {
    private let characteristic: CharacteristicIdentifier
    private let peripheral: ConnectedPeripheral
    private let completion: Completion<ReadResult<Data?>>

    init(
        _ characteristic: CharacteristicIdentifier, on peripheral: ConnectedPeripheral,
        completion: Completion<ReadResult<Data?>>
    ) {
        self.characteristic = characteristic
        self.peripheral = peripheral
        self.completion = completion
    }

    override var summary: String { "read of \(characteristic.description)" }

    override func start() {
        guard let found = peripheral.known(characteristic) else {
            return complete { report(BluejayError.missingCharacteristic(characteristic)) }
        }
        peripheral.read(found)
    }

    override func process(_ event: BluetoothEvent) -> Bool {
        guard case .valueUpdated(characteristic, let value, let error) = event else { return false }
        complete { completion(error.map { .failure($0) } ?? .success(value)) }
        return true
    }

    override func interrupt() {
        peripheral.abandon(.read(characteristic))
    }

    override func report(_ error: any Error) {
        completion(.failure(error))
    }
}
