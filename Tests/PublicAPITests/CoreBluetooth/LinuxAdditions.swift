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
