import Bluejay
import CoreBluetooth

private func identifiers(
    _ service: ServiceIdentifier, _ characteristic: CharacteristicIdentifier, _ peripheral: PeripheralIdentifier,
    _ discovered: CBCharacteristic
) {
    let _: [any (Hashable & Swift.Sendable)] = [service, characteristic, peripheral]
    let _: (String) -> ServiceIdentifier = ServiceIdentifier.init(uuid:)
    let _: (CBUUID) -> ServiceIdentifier = ServiceIdentifier.init(uuid:)
    let _: KeyPath<ServiceIdentifier, CBUUID> = \.uuid

    let _: (CBCharacteristic) -> CharacteristicIdentifier? = CharacteristicIdentifier.init(_:)
    let _: (String, ServiceIdentifier) -> CharacteristicIdentifier = CharacteristicIdentifier.init(uuid:service:)
    let _: (CBUUID, ServiceIdentifier) -> CharacteristicIdentifier = CharacteristicIdentifier.init(uuid:service:)
    let _: KeyPath<CharacteristicIdentifier, ServiceIdentifier> = \.service
    let _: KeyPath<CharacteristicIdentifier, CBUUID> = \.uuid
    let _: KeyPath<CharacteristicIdentifier, String> = \.description
    let _: Bool = characteristic == discovered

    let _: (UUID, String?) -> PeripheralIdentifier = PeripheralIdentifier.init(uuid:name:)
    let _: KeyPath<PeripheralIdentifier, UUID> = \.uuid
    let _: KeyPath<PeripheralIdentifier, String> = \.name
    let _: KeyPath<PeripheralIdentifier, String> = \.description
}

// The name of the protocol hides the concurrency one's in files that import Bluejay.
private func serialization(_ sendable: any Sendable, _ type: any Receivable.Type) {
    let _: () -> Data = sendable.toBluetoothData
    let _: (Data) throws -> any Receivable = type.init(bluetoothData:)
    let _: ([any Sendable]) -> Data = Bluejay.combine(sendables:)
    let _: [any (Sendable & Receivable).Type] = [
        Int8.self, Int16.self, Int32.self, Int64.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self,
        Data.self, String.self,
    ]
    let _: any Sendable.Type = DataPadding.self
    let _: (Int) -> DataPadding = DataPadding.init(_:)
    // These do not throw, unlike the requirement.
    let _: (Data) -> Data = Data.init(bluetoothData:)
    let _: (Data) -> String = String.init(bluetoothData:)
    let _: (Data) -> UInt8 = UInt8.init(bluetoothData:)
    // Int has the members, but is neither received nor sent: its width depends on the machine.
    let _: (Data) -> Int = Int.init(bluetoothData:)
    let _: (Int) -> () -> Data = Int.toBluetoothData
    let _: (Data) -> (Int, Int) throws -> UInt16 = Data.extract(start:length:)
}

private func errors(_ error: BluejayError) {
    let _: any (LocalizedError & CustomNSError).Type = BluejayError.self
    let _: KeyPath<BluejayError, String?> = \.errorDescription
    let _: KeyPath<BluejayError, Int> = \.errorCode
    let _: KeyPath<BluejayError, [String: Any]> = \.errorUserInfo
    let _: String = BluejayError.errorDomain
    switch error {
    case .bluetoothUnavailable, .multipleScanNotSupported, .multipleConnectNotSupported,
        .multipleDisconnectNotSupported, .connectionTimedOut, .notConnected, .cancelled, .explicitDisconnect,
        .unexpectedDisconnect, .disconnectQueued, .listenTimedOut, .readFailed, .writeFailed, .missingData,
        .allowDuplicatesInBackgroundNotSupported, .missingServiceIdentifiersInBackground, .backgroundTaskRunning,
        .multipleBackgroundTaskNotSupported, .indefiniteFlush, .stopped, .backgroundRestorationInProgress,
        .startupBackgroundTaskExpired, .multipleListenTrapped, .multipleListenReplaced:
        break
    case .missingService(let service): let _: ServiceIdentifier = service
    case .missingCharacteristic(let characteristic): let _: CharacteristicIdentifier = characteristic
    case .dataOutOfBounds(let start, let length, let count): let _: [Int] = [start, length, count]
    case .unexpectedPeripheral(let peripheral): let _: PeripheralIdentifier = peripheral
    case .tooMuchData(let expected, let received): let _: (Int, Data) = (expected, received)
    }
    // With their labels.
    let _: [BluejayError] = [
        .dataOutOfBounds(start: 0, length: 2, count: 1), .tooMuchData(expected: 1, received: Data()),
    ]
    let _: any (LocalizedError & CustomNSError & Hashable & Swift.Sendable).Type = BluejayNotStartedError.self
    let _: () -> BluejayNotStartedError = BluejayNotStartedError.init
    let _: KeyPath<BluejayNotStartedError, Int> = \.errorCode
    let _: KeyPath<BluejayNotStartedError, String?> = \.errorDescription
    let _: KeyPath<BluejayNotStartedError, [String: Any]> = \.errorUserInfo
    let _: String = BluejayNotStartedError.errorDomain
}
