/// Turns the notifications of a characteristic on for a listener.
final class ListenOperation: QueuedOperation {
    let characteristic: CharacteristicIdentifier
    private let peripheral: ConnectedPeripheral
    private let listener: Listener

    init(_ listener: Listener, to characteristic: CharacteristicIdentifier, on peripheral: ConnectedPeripheral) {
        self.listener = listener
        self.characteristic = characteristic
        self.peripheral = peripheral
    }

    override var summary: String { "listen to \(characteristic.description)" }

    override func start() {
        // The program may have ended the listen already.
        if listener.isEnded { return complete {} }
        guard let found = peripheral.known(characteristic) else {
            return complete { report(BluejayError.missingCharacteristic(characteristic)) }
        }
        listener.source = found
        peripheral.setNotifying(true, found)
    }

    override func process(_ event: BluetoothEvent) -> Bool {
        guard case .notificationStateUpdated(characteristic, let error) = event else { return false }
        complete {
            if let error {
                peripheral.listeners.failed(listener, characteristic, error)
            } else {
                peripheral.listeners.installed(listener, characteristic)
            }
        }
        return true
    }

    override func interrupt() {
        peripheral.abandon(.notificationState(characteristic))
    }

    override func report(_ error: any Error) {
        peripheral.listeners.failed(listener, characteristic, error)
    }
}
