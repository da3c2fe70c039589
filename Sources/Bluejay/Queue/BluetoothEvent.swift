/// A report of CoreBluetooth that the running operation may be waiting for.
enum BluetoothEvent {
    case discovered(CBPeripheral, advertisement: [String: Any], rssi: Int)
    case servicesDiscovered(error: (any Error)?)
    case characteristicsDiscovered(ServiceIdentifier, error: (any Error)?)
    case valueUpdated(CharacteristicIdentifier, Data?, error: (any Error)?)
    case valueWritten(CharacteristicIdentifier, error: (any Error)?)
    case notificationStateUpdated(CharacteristicIdentifier, error: (any Error)?)
    case readyToWriteWithoutResponse
}
