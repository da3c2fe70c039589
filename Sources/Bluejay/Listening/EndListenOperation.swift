/// Turns the notifications of a characteristic off. Its listener has been removed already.
final class EndListenOperation: QueuedOperation {
    private let characteristic: CharacteristicIdentifier
    private let peripheral: ConnectedPeripheral
    private let completion: Completion<WriteResult>

    init(
        _ characteristic: CharacteristicIdentifier, on peripheral: ConnectedPeripheral,
        completion: Completion<WriteResult>
    ) {
        self.characteristic = characteristic
        self.peripheral = peripheral
        self.completion = completion
    }

    override var summary: String { "end of listen to \(characteristic.description)" }

    override func start() {
        guard let found = peripheral.known(characteristic) else {
            return complete { report(BluejayError.missingCharacteristic(characteristic)) }
        }
        peripheral.setNotifying(false, found)
    }

    override func process(_ event: BluetoothEvent) -> Bool {
        guard case .notificationStateUpdated(characteristic, let error) = event else { return false }
        complete {
            peripheral.listeners.ended(characteristic)
            completion(error.map { .failure($0) } ?? .success)
        }
        return true
    }

    override func interrupt() {
        peripheral.abandon(.notificationState(characteristic))
    }

    override func report(_ error: any Error) {
        peripheral.listeners.ended(characteristic)
        completion(.failure(error))
    }
}
