import CoreBluetooth

private func creation() {
    let _: () -> CBPeripheralManager = CBPeripheralManager.init
    let _: ((any CBPeripheralManagerDelegate)?, DispatchQueue?) -> CBPeripheralManager =
        CBPeripheralManager.init(delegate:queue:)
    let _: ((any CBPeripheralManagerDelegate)?, DispatchQueue?, [String: Any]?) -> CBPeripheralManager =
        CBPeripheralManager.init(delegate:queue:options:)
    _ = CBPeripheralManager(delegate: nil, queue: nil)
}

private func members() {
    typealias Manager = CBPeripheralManager
    let _: CBManager.Type = Manager.self
    let _: ReferenceWritableKeyPath<Manager, (any CBPeripheralManagerDelegate)?> = \.delegate
    let _: KeyPath<Manager, Bool> = \.isAdvertising
    let _: (Manager) -> ([String: Any]?) -> Void = Manager.startAdvertising
    let _: (Manager) -> () -> Void = Manager.stopAdvertising
    let _: (Manager) -> (CBMutableService) -> Void = Manager.add
    let _: (Manager) -> (CBMutableService) -> Void = Manager.remove
    let _: (Manager) -> () -> Void = Manager.removeAllServices
    let _: (Manager) -> (CBATTRequest, CBATTError.Code) -> Void = Manager.respond(to:withResult:)
    let _: (Manager) -> (Data, CBMutableCharacteristic, [CBCentral]?) -> Bool =
        Manager.updateValue(_:for:onSubscribedCentrals:)
    let _: (Manager) -> (CBPeripheralManagerConnectionLatency, CBCentral) -> Void =
        Manager.setDesiredConnectionLatency(_:for:)
    let _: (Manager) -> (Bool) -> Void = Manager.publishL2CAPChannel(withEncryption:)
    let _: (Manager) -> (CBL2CAPPSM) -> Void = Manager.unpublishL2CAPChannel
}

private func latencies(_ latency: CBPeripheralManagerConnectionLatency) {
    switch latency {
    case .low, .medium, .high: break
    }
    let _: (Int) -> CBPeripheralManagerConnectionLatency? = CBPeripheralManagerConnectionLatency.init(rawValue:)
    let _: Int = latency.rawValue
    let _: any Sendable = latency
}

@available(*, deprecated, message: "uses what is deprecated")
private func deprecated() {
    let _: () -> CBPeripheralManagerAuthorizationStatus = CBPeripheralManager.authorizationStatus
}

private func delegate(_ delegate: any CBPeripheralManagerDelegate) {
    typealias Manager = CBPeripheralManager
    typealias Failure = (any Error)?
    let _: any NSObjectProtocol = delegate
    let _: (Manager) -> Void = delegate.peripheralManagerDidUpdateState
    let _: (Manager, [String: Any]) -> Void = delegate.peripheralManager(_:willRestoreState:)
    let _: (Manager, Failure) -> Void = delegate.peripheralManagerDidStartAdvertising(_:error:)
    let _: (Manager, CBService, Failure) -> Void = delegate.peripheralManager(_:didAdd:error:)
    let _: (Manager, CBCentral, CBCharacteristic) -> Void = delegate.peripheralManager(_:central:didSubscribeTo:)
    let _: (Manager, CBCentral, CBCharacteristic) -> Void = delegate.peripheralManager(_:central:didUnsubscribeFrom:)
    let _: (Manager, CBATTRequest) -> Void = delegate.peripheralManager(_:didReceiveRead:)
    let _: (Manager, [CBATTRequest]) -> Void = delegate.peripheralManager(_:didReceiveWrite:)
    let _: (Manager) -> Void = delegate.peripheralManagerIsReady(toUpdateSubscribers:)
    let _: (Manager, CBL2CAPPSM, Failure) -> Void = delegate.peripheralManager(_:didPublishL2CAPChannel:error:)
    let _: (Manager, CBL2CAPPSM, Failure) -> Void = delegate.peripheralManager(_:didUnpublishL2CAPChannel:error:)
    let _: (Manager, CBL2CAPChannel?, Failure) -> Void = delegate.peripheralManager(_:didOpen:error:)
}

/// Every other method of the protocol is optional.
private final class RequiredOnly: NSObject, CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
}

private final class OwnPeripheralManager: CBPeripheralManager, @unchecked Sendable {
    override var delegate: (any CBPeripheralManagerDelegate)? {
        get { super.delegate }
        set { super.delegate = newValue }
    }
    override var isAdvertising: Bool { false }
    override func startAdvertising(_ advertisementData: [String: Any]?) {}
    override func stopAdvertising() {}
    override func add(_ service: CBMutableService) {}
    override func remove(_ service: CBMutableService) {}
    override func removeAllServices() {}
    override func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {}
    override func updateValue(
        _ value: Data, for characteristic: CBMutableCharacteristic, onSubscribedCentrals centrals: [CBCentral]?
    ) -> Bool { true }
    override func setDesiredConnectionLatency(
        _ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral
    ) {}
    override func publishL2CAPChannel(withEncryption encryptionRequired: Bool) {}
    override func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) {}
}

private func requests() {
    let _: CBPeer.Type = CBCentral.self
    let _: KeyPath<CBCentral, Int> = \.maximumUpdateValueLength
    let _: NSObject.Type = CBATTRequest.self
    let _: KeyPath<CBATTRequest, CBCentral> = \.central
    let _: KeyPath<CBATTRequest, CBCharacteristic> = \.characteristic
    let _: KeyPath<CBATTRequest, Int> = \.offset
    let _: ReferenceWritableKeyPath<CBATTRequest, Data?> = \.value
}

private func channels() {
    let _: CBL2CAPPSM.Type = UInt16.self
    let _: NSObject.Type = CBL2CAPChannel.self
    let _: KeyPath<CBL2CAPChannel, CBPeer?> = \.peer
    let _: KeyPath<CBL2CAPChannel, InputStream?> = \.inputStream
    let _: KeyPath<CBL2CAPChannel, OutputStream?> = \.outputStream
    let _: KeyPath<CBL2CAPChannel, CBL2CAPPSM> = \.psm
}
