import Bluejay
import CoreBluetooth

private func scanning(_ bluejay: Bluejay, _ action: ScanAction, _ discovery: ScanDiscovery) {
    typealias Discovery = (ScanDiscovery, [ScanDiscovery]) -> ScanAction
    typealias Stopped = ([ScanDiscovery], (any Error)?) -> Void
    let _:
        (Bluejay) -> (
            TimeInterval, Bool, Int, [ServiceIdentifier]?, @escaping Discovery, Discovery?, @escaping Stopped
        ) -> Void =
            Bluejay.scan(duration:allowDuplicates:throttleRSSIDelta:serviceIdentifiers:discovery:expired:stopped:)
    bluejay.scan(serviceIdentifiers: nil, discovery: { _, _ in .continue }, stopped: { _, _ in })
    let _: (Bluejay) -> () -> Void = Bluejay.stopScanning
    let _: KeyPath<ScanDiscovery, PeripheralIdentifier> = \.peripheralIdentifier
    let _: KeyPath<ScanDiscovery, [String: Any]> = \.advertisementPacket
    let _: KeyPath<ScanDiscovery, Int> = \.rssi
    switch action {
    case .continue, .blacklist, .stop: break
    case .connect(let discovery, let timeout, let options, let completion):
        let _: (ScanDiscovery, Timeout, WarningOptions) = (discovery, timeout, options)
        let _: (ConnectionResult) -> Void = completion
    }
    let _: (ScanDiscovery, Timeout, WarningOptions, @escaping (ConnectionResult) -> Void) -> ScanAction =
        ScanAction.connect
}

private func connecting(_ bluejay: Bluejay, _ peripheral: PeripheralIdentifier) {
    let _: (Bluejay) -> (PeripheralIdentifier, Timeout, WarningOptions?, @escaping (ConnectionResult) -> Void) -> Void =
        Bluejay.connect(_:timeout:warningOptions:completion:)
    bluejay.connect(peripheral) { _ in }
    let _: (Bluejay) -> (Bool, ((DisconnectionResult) -> Void)?) -> Void = Bluejay.disconnect(immediate:completion:)
    bluejay.disconnect()
    bluejay.disconnect(immediate: true)
    bluejay.disconnect { _ in }
}

private func characteristics(_ bluejay: Bluejay, _ identifier: CharacteristicIdentifier) throws {
    let _: (Bluejay) -> (CharacteristicIdentifier, @escaping (ReadResult<String>) -> Void) -> Void =
        Bluejay.read(from:completion:)
    let _:
        (Bluejay) -> (
            CharacteristicIdentifier, UInt8, CBCharacteristicWriteType, @escaping (WriteResult) -> Void
        ) -> Void = Bluejay.write(to:value:type:completion:)
    bluejay.write(to: identifier, value: "text") { _ in }
    let _: (Bluejay) -> (CharacteristicIdentifier, MultipleListenOption, @escaping (ReadResult<Data>) -> Void) -> Void =
        Bluejay.listen(to:multipleListenOption:completion:)
    bluejay.listen(to: identifier) { (_: ReadResult<UInt16>) in }
    let _: (Bluejay) -> (CharacteristicIdentifier, ((WriteResult) -> Void)?) -> Void =
        Bluejay.endListen(to:completion:)
    bluejay.endListen(to: identifier)
    let _: (Bluejay) -> (CharacteristicIdentifier) throws -> Bool = Bluejay.isListening(to:)
    let _: (Bluejay) -> () throws -> Void = Bluejay.readRSSI
}

private func results(
    _ connection: ConnectionResult, _ disconnection: DisconnectionResult, _ read: ReadResult<UInt8>,
    _ write: WriteResult, _ run: RunResult<String>
) {
    switch connection {
    case .success(let peripheral): let _: PeripheralIdentifier = peripheral
    case .failure(let error): let _: any Error = error
    }
    switch disconnection {
    case .disconnected(let peripheral): let _: PeripheralIdentifier = peripheral
    case .failure(let error): let _: any Error = error
    }
    switch read {
    case .success(let value): let _: UInt8 = value
    case .failure(let error): let _: any Error = error
    }
    switch write {
    case .success: break
    case .failure(let error): let _: any Error = error
    }
    switch run {
    case .success(let value): let _: String = value
    case .failure(let error): let _: any Error = error
    }
    let _: [any Swift.Sendable] = [connection, disconnection, write]
}

private func options(_ timeout: Timeout, _ option: MultipleListenOption, _ action: ListenAction) {
    switch timeout {
    case .seconds(let seconds): let _: TimeInterval = seconds
    case .none: break
    }
    switch option {
    case .trap, .replaceable: break
    }
    let _: Int = option.rawValue
    let _: (Int) -> MultipleListenOption? = MultipleListenOption.init(rawValue:)
    switch action {
    case .keepListening, .done: break
    }
    let _: ListenCallback.Type = ((ReadResult<Data?>) -> Void).self
    let _: (Bool, Bool, Bool) -> WarningOptions =
        WarningOptions.init(notifyOnConnection:notifyOnDisconnection:notifyOnNotification:)
    let _: WarningOptions = .default
    let _: [any Swift.Sendable] = [timeout, action, WarningOptions.default]
}
