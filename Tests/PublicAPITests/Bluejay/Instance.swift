import Bluejay
import CoreBluetooth

// The public API, each declaration with the type that programs use it with. Nothing here runs: the compiler checks it,
// as a program sees it. A declaration that is missing or has another type does not compile.

private func lifecycle(_ bluejay: Bluejay) {
    let _: NSObject.Type = Bluejay.self
    let _: any Swift.Sendable.Type = Bluejay.self
    let _: (LogObserver?) -> Bluejay = Bluejay.init(logObserver:)
    let _: (Bluejay) -> (StartMode) -> Void = Bluejay.start(mode:)
    let _: (Bluejay) -> () -> (manager: CBCentralManager, peripheral: CBPeripheral?) =
        Bluejay.stopAndExtractBluetoothState
    let _: (Bluejay) -> (any Error, Bool) -> Void = Bluejay.cancelEverything(error:shouldDisconnect:)
    // What may be left out.
    _ = Bluejay()
    bluejay.start()
    bluejay.cancelEverything()
    bluejay.cancelEverything(shouldDisconnect: false)
}

private func properties() {
    let _: KeyPath<Bluejay, UUID> = \.uuid
    let _: KeyPath<Bluejay, WarningOptions> = \.defaultWarningOptions
    let _: ReferenceWritableKeyPath<Bluejay, Bool> = \.broadcastErrorsToListeners
    let _: [KeyPath<Bluejay, Bool>] = [
        \.isBluetoothAvailable, \.isBluetoothStateUpdateImminent, \.isConnecting, \.isConnected, \.isDisconnecting,
        \.shouldAutoReconnect, \.isScanning, \.hasStarted, \.isBackgroundRestorationEnabled,
    ]
}

private func delegate() {
    typealias Manager = CBCentralManager
    let _: any CBCentralManagerDelegate.Type = Bluejay.self
    let _: (Bluejay) -> (Manager) -> Void = Bluejay.centralManagerDidUpdateState
    let _: (Bluejay) -> (Manager, [String: Any]) -> Void = Bluejay.centralManager(_:willRestoreState:)
    let _: (Bluejay) -> (Manager, CBPeripheral) -> Void = Bluejay.centralManager(_:didConnect:)
    let _: (Bluejay) -> (Manager, CBPeripheral, (any Error)?) -> Void =
        Bluejay.centralManager(_:didDisconnectPeripheral:error:)
    let _: (Bluejay) -> (Manager, CBPeripheral, (any Error)?) -> Void =
        Bluejay.centralManager(_:didFailToConnect:error:)
    let _: (Bluejay) -> (Manager, CBPeripheral, [String: Any], NSNumber) -> Void =
        Bluejay.centralManager(_:didDiscover:advertisementData:rssi:)
}

private func startOptions(_ mode: StartMode) {
    let _: (Bool, BackgroundRestoreMode) -> StartOptions = StartOptions.init(enableBluetoothAlert:backgroundRestore:)
    let _: StartOptions = .default
    switch mode {
    case .new(let options):
        let _: StartOptions = options
    case .use(let manager, let peripheral):
        let _: (CBCentralManager, CBPeripheral?) = (manager, peripheral)
    }
}

private func helpers() {
    let _: (CBPeripheral) -> (CBUUID) -> CBService? = CBPeripheral.service(with:)
    let _: (CBService) -> (CBUUID) -> CBCharacteristic? = CBService.characteristic(with:)
    let _: (CBManagerState) -> () -> String = CBManagerState.string
    let _: (CBPeripheralState) -> () -> String = CBPeripheralState.string
}
