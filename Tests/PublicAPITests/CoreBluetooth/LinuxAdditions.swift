import CoreBluetooth

// What this module has and Apple's does not.

private func adapters() {
    let _: [String] = [CBCentralManagerOptionAdapterKey, CBPeripheralManagerOptionAdapterKey]
}

private func restoration() {
    let _: [String] = [CBCentralManagerOptionRestoreCommandKey, CBPeripheralManagerOptionRestoreCommandKey]
}

private func addresses() {
    let _: KeyPath<CBPeer, String?> = \.bluetoothAddress
    let _: KeyPath<CBPeer, Bool> = \.bluetoothAddressIsRandom
    let _: (UUID) -> String? = CBPeer.bluetoothAddress(forIdentifier:)
    let _: (String, Bool) -> UUID? = CBPeer.identifier(forBluetoothAddress:isRandom:)
}

private func uuids() {
    let _: (String) -> CBUUID? = CBUUID.init(validating:)
}

private func advertisements() {
    let _: String = CBAdvertisementDataAllManufacturerDataKey
}

/// What Apple's other frameworks declare, and code for Core Bluetooth uses.
private func declarationsOfApple() {
    let _: [UInt64] = [NSEC_PER_SEC, NSEC_PER_MSEC, NSEC_PER_USEC, USEC_PER_SEC, MSEC_PER_SEC]
    let _: DispatchQueue.Type = dispatch_queue_t.self
    let _: [any CVarArg.Type] = [CBPeer.self, CBUUID.self, CBAttribute.self, CBManager.self]
    let _: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()
}

private func mtu() {
    let _: KeyPath<CBCentral, Int> = \.attMTU
}

private func notificationSockets(_ delegate: any CBPeripheralDelegate) {
    let _: [String] = [
        CBCentralManagerOptionUseNotifySocketsKey, CBConnectPeripheralOptionUseNotifySocketsKey,
    ]
    let _: KeyPath<CBCharacteristic, CBNotificationLoss> = \.notificationLoss
    let _: (CBPeripheral, CBCharacteristic) -> Void = delegate.peripheral(_:didUpdateNotificationLossFor:)
    let _: any (Hashable & Sendable & CustomStringConvertible).Type = CBNotificationLoss.self
    let _: () -> CBNotificationLoss = CBNotificationLoss.init
    let _: WritableKeyPath<CBNotificationLoss, Int> = \.droppedValues
    let _: WritableKeyPath<CBNotificationLoss, Int> = \.fullSockets
}

private func pairing(_ delegate: any CBPairingDelegate, _ central: CBCentralManager, _ peripheral: CBPeripheral) {
    let _: KeyPath<CBManager, (any CBPairingDelegate)?> = \.pairingDelegate
    let _: (CBManager) -> ((any CBPairingDelegate)?, CBPairingCapability, Bool) -> Void =
        CBManager.setPairingDelegate(_:capability:answersAll:)
    let _: (CBManager, CBPairingRequest) -> Void = delegate.manager(_:didReceive:)
    let _: (CBManager, CBPairingRequest) -> Void = delegate.manager(_:didCancel:)
    let _: (CBPeripheral, @escaping @Sendable (CBPairingError?) -> Void) -> Void = central.pair(_:completion:)
    let _: (CBPeripheral) async throws -> Void = central.pair(_:)
    let _: any (RawRepresentable & CaseIterable & Sendable).Type = CBPairingCapability.self
    let _: [CBPairingCapability] = [.none, .display, .yesNo, .keyboard, .keyboardDisplay]
    let _: any (Error & Hashable & LocalizedError).Type = CBPairingError.self
    let _: [CBPairingError] = [
        .wrongPasskey, .comparisonFailed, .rejectedByPeripheral, .rejected, .timedOut, .unknownPeripheral, .failed(""),
    ]
}

private func pairingRequests(_ request: CBPairingRequest, _ passkey: CBPasskey) {
    let _: any Sendable.Type = CBPairingRequest.self
    let _: KeyPath<CBPairingRequest, CBPairingRequest.Kind> = \.kind
    let _: KeyPath<CBPairingRequest, CBPeer> = \.peer
    let _: [CBPairingRequest.Kind] = [.displayPasskey(passkey), .enterPasskey, .comparePasskeys(passkey)]
    let _: (CBPasskey) -> Void = request.enter(_:)
    let _: [() -> Void] = [request.confirm, request.reject]
    let _: any (Hashable & LosslessStringConvertible & Sendable).Type = CBPasskey.self
    let _: (UInt32) -> CBPasskey? = CBPasskey.init(number:)
    let _: KeyPath<CBPasskey, UInt32> = \.number
}

private func authentication() {
    let _: CBAttributePermissions = [
        .readAuthenticationRequired, .writeAuthenticationRequired, .readSecureConnectionsRequired,
        .writeSecureConnectionsRequired,
    ]
    let _: CBCharacteristicProperties = [
        .notifyAuthenticationRequired, .indicateAuthenticationRequired, .notifySecureConnectionsRequired,
        .indicateSecureConnectionsRequired,
    ]
}
