import CoreBluetooth

// The public API, each declaration with the type that programs use it with. Nothing here runs: the compiler checks it,
// as a program sees it. A declaration that is missing or has another type does not compile.

private func manager() {
    let _: NSObject.Type = CBManager.self
    let _: KeyPath<CBManager, CBManagerState> = \.state
    let _: CBManagerAuthorization = CBManager.authorization
    let _: CBManagerAuthorization = CBCentralManager.authorization
    let _: CBManagerAuthorization = CBPeripheralManager.authorization
}

private func states(_ state: CBManagerState, _ authorization: CBManagerAuthorization) {
    switch state {
    case .unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn: break
    }
    switch authorization {
    case .notDetermined, .restricted, .denied, .allowedAlways: break
    }
    let _: [Int] = [state.rawValue, authorization.rawValue]
    let _: (Int) -> CBManagerState? = CBManagerState.init(rawValue:)
    let _: (Int) -> CBManagerAuthorization? = CBManagerAuthorization.init(rawValue:)
    let _: [any Sendable] = [state, authorization]
}

@available(*, deprecated, message: "uses what is deprecated")
private func deprecated(
    _ central: CBCentralManagerState, _ peripheral: CBPeripheralManagerState,
    _ status: CBPeripheralManagerAuthorizationStatus
) {
    let _: KeyPath<CBManager, CBManagerAuthorization> = \.authorization
    switch central {
    case .unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn: break
    }
    switch peripheral {
    case .unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn: break
    }
    switch status {
    case .notDetermined, .restricted, .denied, .authorized: break
    }
    let _: [Int] = [central.rawValue, peripheral.rawValue, status.rawValue]
    let _: (Int) -> CBCentralManagerState? = CBCentralManagerState.init(rawValue:)
    let _: (Int) -> CBPeripheralManagerState? = CBPeripheralManagerState.init(rawValue:)
    let _: (Int) -> CBPeripheralManagerAuthorizationStatus? = CBPeripheralManagerAuthorizationStatus.init(rawValue:)
    let _: [any Sendable] = [central, peripheral, status]
}

private func times() {
    let _: CFAbsoluteTime.Type = Double.self
    let _: CFTimeInterval.Type = Double.self
    let _: () -> CFAbsoluteTime = CFAbsoluteTimeGetCurrent
}

private final class OwnManager: CBCentralManager, @unchecked Sendable {
    override var state: CBManagerState { .poweredOn }
    override class var authorization: CBManagerAuthorization { .denied }
}
