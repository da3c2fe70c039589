/// Writes a characteristic.
final class WriteOperation: QueuedOperation {
    private let characteristic: CharacteristicIdentifier
    private let peripheral: ConnectedPeripheral
    private let value: any Sendable
    private let type: CBCharacteristicWriteType
    private let completion: Completion<WriteResult>
    private var isAwaitingAnswer = false

    init(
        _ value: any Sendable, to characteristic: CharacteristicIdentifier, type: CBCharacteristicWriteType,
        on peripheral: ConnectedPeripheral, completion: Completion<WriteResult>
    ) {
        self.value = value
        self.characteristic = characteristic
        self.type = type
        self.peripheral = peripheral
        self.completion = completion
    }

    override var summary: String { "write to \(characteristic.description)" }

    override func start() {
        guard let found = peripheral.known(characteristic) else {
            return complete { report(BluejayError.missingCharacteristic(characteristic)) }
        }
        switch type {
        case .withResponse:
            isAwaitingAnswer = true
            peripheral.write(value.toBluetoothData(), to: found, type: type)
        case .withoutResponse:
            // CoreBluetooth drops a value that it has no room for, so wait for room.
            guard peripheral.cbPeripheral.canSendWriteWithoutResponse else { return }
            peripheral.write(value.toBluetoothData(), to: found, type: type)
            complete { completion(.success) }
        }
    }

    override func process(_ event: BluetoothEvent) -> Bool {
        switch event {
        case .valueWritten(characteristic, let error) where isAwaitingAnswer:
            complete { completion(error.map { .failure($0) } ?? .success) }
            return true
        case .readyToWriteWithoutResponse where !isAwaitingAnswer:
            start()
            return true
        default:
            return false
        }
    }

    override func interrupt() {
        if isAwaitingAnswer { peripheral.abandon(.write(characteristic)) }
    }

    override func report(_ error: any Error) {
        completion(.failure(error))
    }
}
