import CoreBluetooth

private func creation() {
    let _: () -> CBCentralManager = CBCentralManager.init
    let _: ((any CBCentralManagerDelegate)?, DispatchQueue?) -> CBCentralManager =
        CBCentralManager.init(delegate:queue:)
    let _: ((any CBCentralManagerDelegate)?, DispatchQueue?, [String: Any]?) -> CBCentralManager =
        CBCentralManager.init(delegate:queue:options:)
    _ = CBCentralManager(delegate: nil, queue: nil)
}

private func members(_ manager: CBCentralManager, _ peripheral: CBPeripheral) {
    let _: CBManager.Type = CBCentralManager.self
    let _: ReferenceWritableKeyPath<CBCentralManager, (any CBCentralManagerDelegate)?> = \.delegate
    let _: KeyPath<CBCentralManager, Bool> = \.isScanning
    let _: (CBCentralManager) -> ([CBUUID]?, [String: Any]?) -> Void =
        CBCentralManager.scanForPeripherals(withServices:options:)
    let _: (CBCentralManager) -> () -> Void = CBCentralManager.stopScan
    let _: (CBCentralManager) -> (CBPeripheral, [String: Any]?) -> Void = CBCentralManager.connect(_:options:)
    let _: (CBCentralManager) -> (CBPeripheral) -> Void = CBCentralManager.cancelPeripheralConnection
    let _: (CBCentralManager) -> ([UUID]) -> [CBPeripheral] = CBCentralManager.retrievePeripherals(withIdentifiers:)
    let _: (CBCentralManager) -> ([CBUUID]) -> [CBPeripheral] =
        CBCentralManager.retrieveConnectedPeripherals(withServices:)
    let _: (CBCentralManager.Feature) -> Bool = CBCentralManager.supports
    let _: (CBCentralManager) -> ([CBConnectionEventMatchingOption: Any]?) -> Void =
        CBCentralManager.registerForConnectionEvents(options:)
    // What may be left out.
    manager.scanForPeripherals(withServices: nil)
    manager.connect(peripheral)
    manager.registerForConnectionEvents()
}

private func features() {
    let _: any (OptionSet & Sendable).Type = CBCentralManager.Feature.self
    let _: (UInt) -> CBCentralManager.Feature = CBCentralManager.Feature.init(rawValue:)
    let _: KeyPath<CBCentralManager.Feature, UInt> = \.rawValue
    let _: CBCentralManager.Feature = .extendedScanAndConnect
}

private func connectionEvents(_ event: CBConnectionEvent) {
    switch event {
    case .peerDisconnected, .peerConnected: break
    }
    let _: (Int) -> CBConnectionEvent? = CBConnectionEvent.init(rawValue:)
    let _: Int = event.rawValue
    let _: any (RawRepresentable & Hashable & Sendable).Type = CBConnectionEventMatchingOption.self
    let _: (String) -> CBConnectionEventMatchingOption = CBConnectionEventMatchingOption.init(rawValue:)
    let _: KeyPath<CBConnectionEventMatchingOption, String> = \.rawValue
    let _: [CBConnectionEventMatchingOption] = [.serviceUUIDs, .peripheralUUIDs]
}

private func delegate(_ delegate: any CBCentralManagerDelegate) {
    typealias Manager = CBCentralManager
    let _: any NSObjectProtocol = delegate
    let _: (Manager) -> Void = delegate.centralManagerDidUpdateState
    let _: (Manager, [String: Any]) -> Void = delegate.centralManager(_:willRestoreState:)
    let _: (Manager, CBPeripheral, [String: Any], NSNumber) -> Void =
        delegate.centralManager(_:didDiscover:advertisementData:rssi:)
    let _: (Manager, CBPeripheral) -> Void = delegate.centralManager(_:didConnect:)
    let _: (Manager, CBPeripheral, (any Error)?) -> Void = delegate.centralManager(_:didFailToConnect:error:)
    let _: (Manager, CBPeripheral, (any Error)?) -> Void = delegate.centralManager(_:didDisconnectPeripheral:error:)
    let _: (Manager, CBPeripheral, CFAbsoluteTime, Bool, (any Error)?) -> Void =
        delegate.centralManager(_:didDisconnectPeripheral:timestamp:isReconnecting:error:)
    let _: (Manager, CBConnectionEvent, CBPeripheral) -> Void =
        delegate.centralManager(_:connectionEventDidOccur:for:)
    let _: (Manager, CBPeripheral) -> Void = delegate.centralManager(_:didUpdateANCSAuthorizationFor:)
}

/// Every other method of the protocol is optional.
private final class RequiredOnly: NSObject, CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {}
}

private final class OwnCentralManager: CBCentralManager, @unchecked Sendable {
    override var delegate: (any CBCentralManagerDelegate)? {
        get { super.delegate }
        set { super.delegate = newValue }
    }
    override var isScanning: Bool { false }
    override func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]?) {}
    override func stopScan() {}
    override func connect(_ peripheral: CBPeripheral, options: [String: Any]?) {}
    override func cancelPeripheralConnection(_ peripheral: CBPeripheral) {}
    override func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] { [] }
    override func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] { [] }
    override class func supports(_ features: CBCentralManager.Feature) -> Bool { true }
    override func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]?) {}
}
