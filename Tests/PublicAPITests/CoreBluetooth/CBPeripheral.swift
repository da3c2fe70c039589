import CoreBluetooth

private func peers() {
    let _: any (NSObject & NSCopying).Type = CBPeer.self
    let _: KeyPath<CBPeer, UUID> = \.identifier
}

private func states(_ state: CBPeripheralState, _ type: CBCharacteristicWriteType) {
    switch state {
    case .disconnected, .connecting, .connected, .disconnecting: break
    }
    switch type {
    case .withResponse, .withoutResponse: break
    }
    let _: [Int] = [state.rawValue, type.rawValue]
    let _: (Int) -> CBPeripheralState? = CBPeripheralState.init(rawValue:)
    let _: (Int) -> CBCharacteristicWriteType? = CBCharacteristicWriteType.init(rawValue:)
    let _: [any Sendable] = [state, type]
}

private func members() {
    let _: CBPeer.Type = CBPeripheral.self
    let _: ReferenceWritableKeyPath<CBPeripheral, (any CBPeripheralDelegate)?> = \.delegate
    let _: KeyPath<CBPeripheral, String?> = \.name
    let _: KeyPath<CBPeripheral, CBPeripheralState> = \.state
    let _: KeyPath<CBPeripheral, [CBService]?> = \.services
    let _: KeyPath<CBPeripheral, Bool> = \.canSendWriteWithoutResponse
    let _: KeyPath<CBPeripheral, Bool> = \.ancsAuthorized
}

private func requests() {
    let _: (CBPeripheral) -> () -> Void = CBPeripheral.readRSSI
    let _: (CBPeripheral) -> ([CBUUID]?) -> Void = CBPeripheral.discoverServices
    let _: (CBPeripheral) -> ([CBUUID]?, CBService) -> Void = CBPeripheral.discoverIncludedServices(_:for:)
    let _: (CBPeripheral) -> ([CBUUID]?, CBService) -> Void = CBPeripheral.discoverCharacteristics(_:for:)
    let _: (CBPeripheral) -> (CBCharacteristic) -> Void = CBPeripheral.discoverDescriptors(for:)
    let _: (CBPeripheral) -> (CBCharacteristic) -> Void = CBPeripheral.readValue(for:)
    let _: (CBPeripheral) -> (CBDescriptor) -> Void = CBPeripheral.readValue(for:)
    let _: (CBPeripheral) -> (CBCharacteristicWriteType) -> Int = CBPeripheral.maximumWriteValueLength(for:)
    let _: (CBPeripheral) -> (Data, CBCharacteristic, CBCharacteristicWriteType) -> Void =
        CBPeripheral.writeValue(_:for:type:)
    let _: (CBPeripheral) -> (Data, CBDescriptor) -> Void = CBPeripheral.writeValue(_:for:)
    let _: (CBPeripheral) -> (Bool, CBCharacteristic) -> Void = CBPeripheral.setNotifyValue(_:for:)
    let _: (CBPeripheral) -> (CBL2CAPPSM) -> Void = CBPeripheral.openL2CAPChannel
}

private func delegate(_ delegate: any CBPeripheralDelegate) {
    typealias Failure = (any Error)?
    let _: any NSObjectProtocol = delegate
    let _: (CBPeripheral) -> Void = delegate.peripheralDidUpdateName
    let _: (CBPeripheral, [CBService]) -> Void = delegate.peripheral(_:didModifyServices:)
    let _: (CBPeripheral, NSNumber, Failure) -> Void = delegate.peripheral(_:didReadRSSI:error:)
    let _: (CBPeripheral, Failure) -> Void = delegate.peripheral(_:didDiscoverServices:)
    let _: (CBPeripheral, CBService, Failure) -> Void = delegate.peripheral(_:didDiscoverIncludedServicesFor:error:)
    let _: (CBPeripheral, CBService, Failure) -> Void = delegate.peripheral(_:didDiscoverCharacteristicsFor:error:)
    let _: (CBPeripheral, CBCharacteristic, Failure) -> Void =
        delegate.peripheral(_:didDiscoverDescriptorsFor:error:)
    let _: (CBPeripheral, CBCharacteristic, Failure) -> Void = delegate.peripheral(_:didUpdateValueFor:error:)
    let _: (CBPeripheral, CBDescriptor, Failure) -> Void = delegate.peripheral(_:didUpdateValueFor:error:)
    let _: (CBPeripheral, CBCharacteristic, Failure) -> Void = delegate.peripheral(_:didWriteValueFor:error:)
    let _: (CBPeripheral, CBDescriptor, Failure) -> Void = delegate.peripheral(_:didWriteValueFor:error:)
    let _: (CBPeripheral, CBCharacteristic, Failure) -> Void =
        delegate.peripheral(_:didUpdateNotificationStateFor:error:)
    let _: (CBPeripheral) -> Void = delegate.peripheralIsReady(toSendWriteWithoutResponse:)
    let _: (CBPeripheral, CBL2CAPChannel?, Failure) -> Void = delegate.peripheral(_:didOpen:error:)
}

/// All methods of the protocol are optional.
private final class NothingRequired: NSObject, CBPeripheralDelegate {}

@available(*, deprecated, message: "uses what is deprecated")
private func deprecated(_ delegate: any CBPeripheralDelegate) {
    let _: KeyPath<CBPeripheral, NSNumber?> = \.rssi
    let _: (CBPeripheral, (any Error)?) -> Void = delegate.peripheralDidUpdateRSSI(_:error:)
}

/// Programs can derive from it, though only the module makes any.
private class OwnPeripheral: CBPeripheral, @unchecked Sendable {
    override var name: String? { nil }
    override var state: CBPeripheralState { .connected }
    override var services: [CBService]? { nil }
    override var canSendWriteWithoutResponse: Bool { true }
    override func readRSSI() {}
    override func discoverServices(_ serviceUUIDs: [CBUUID]?) {}
    override func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {}
    override func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {}
    override func discoverDescriptors(for characteristic: CBCharacteristic) {}
    override func readValue(for characteristic: CBCharacteristic) {}
    override func readValue(for descriptor: CBDescriptor) {}
    override func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int { 20 }
    override func writeValue(
        _ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType
    ) {}
    override func writeValue(_ data: Data, for descriptor: CBDescriptor) {}
    override func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {}
    override func openL2CAPChannel(_ PSM: CBL2CAPPSM) {}
}
