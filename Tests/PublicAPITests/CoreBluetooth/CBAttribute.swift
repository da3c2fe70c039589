import CoreBluetooth

private func attributes() {
    let _: NSObject.Type = CBAttribute.self
    let _: KeyPath<CBAttribute, CBUUID> = \.uuid
    let _: CBAttribute.Type = CBService.self
    let _: CBAttribute.Type = CBCharacteristic.self
    let _: CBAttribute.Type = CBDescriptor.self
}

private func services() {
    let _: KeyPath<CBService, CBPeripheral?> = \.peripheral
    let _: KeyPath<CBService, Bool> = \.isPrimary
    let _: KeyPath<CBService, [CBService]?> = \.includedServices
    let _: KeyPath<CBService, [CBCharacteristic]?> = \.characteristics
}

private func characteristics() {
    let _: KeyPath<CBCharacteristic, CBService?> = \.service
    let _: KeyPath<CBCharacteristic, CBCharacteristicProperties> = \.properties
    let _: KeyPath<CBCharacteristic, Data?> = \.value
    let _: KeyPath<CBCharacteristic, [CBDescriptor]?> = \.descriptors
    let _: KeyPath<CBCharacteristic, Bool> = \.isNotifying
}

private func descriptors() {
    let _: KeyPath<CBDescriptor, CBCharacteristic?> = \.characteristic
    let _: KeyPath<CBDescriptor, Any?> = \.value
}

private func properties() {
    let _: any (OptionSet & Sendable).Type = CBCharacteristicProperties.self
    let _: (UInt) -> CBCharacteristicProperties = CBCharacteristicProperties.init(rawValue:)
    let _: KeyPath<CBCharacteristicProperties, UInt> = \.rawValue
    let _: [CBCharacteristicProperties] = [
        .broadcast, .read, .writeWithoutResponse, .write, .notify, .indicate, .authenticatedSignedWrites,
        .extendedProperties, .notifyEncryptionRequired, .indicateEncryptionRequired,
    ]
    let _: any (OptionSet & Sendable).Type = CBAttributePermissions.self
    let _: (UInt) -> CBAttributePermissions = CBAttributePermissions.init(rawValue:)
    let _: KeyPath<CBAttributePermissions, UInt> = \.rawValue
    let _: [CBAttributePermissions] = [
        .readable, .writeable, .readEncryptionRequired, .writeEncryptionRequired,
    ]
}

@available(*, deprecated, message: "uses what is deprecated")
private func deprecated() {
    let _: KeyPath<CBCharacteristic, Bool> = \.isBroadcasted
}

// MARK: Local attributes

private func mutableAttributes() {
    let _: CBService.Type = CBMutableService.self
    let _: (CBUUID, Bool) -> CBMutableService = CBMutableService.init(type:primary:)
    let _: ReferenceWritableKeyPath<CBMutableService, [CBService]?> = \.includedServices
    let _: ReferenceWritableKeyPath<CBMutableService, [CBCharacteristic]?> = \.characteristics

    let _: CBCharacteristic.Type = CBMutableCharacteristic.self
    let _: (CBUUID, CBCharacteristicProperties, Data?, CBAttributePermissions) -> CBMutableCharacteristic =
        CBMutableCharacteristic.init(type:properties:value:permissions:)
    let _: ReferenceWritableKeyPath<CBMutableCharacteristic, CBAttributePermissions> = \.permissions
    let _: KeyPath<CBMutableCharacteristic, [CBCentral]?> = \.subscribedCentrals
    let _: ReferenceWritableKeyPath<CBMutableCharacteristic, CBCharacteristicProperties> = \.properties
    let _: ReferenceWritableKeyPath<CBMutableCharacteristic, Data?> = \.value
    let _: ReferenceWritableKeyPath<CBMutableCharacteristic, [CBDescriptor]?> = \.descriptors

    let _: CBDescriptor.Type = CBMutableDescriptor.self
    let _: (CBUUID, Any?) -> CBMutableDescriptor = CBMutableDescriptor.init(type:value:)
}

// MARK: UUIDs

private func uuids() {
    let _: any (NSObject & NSCopying).Type = CBUUID.self
    let _: (String) -> CBUUID = CBUUID.init(string:)
    let _: (Data) -> CBUUID = CBUUID.init(data:)
    let _: (UUID) -> CBUUID = CBUUID.init(nsuuid:)
    let _: () -> CBUUID = CBUUID.init
    let _: KeyPath<CBUUID, Data> = \.data
    let _: KeyPath<CBUUID, String> = \.uuidString
    let _: [String] = [
        CBUUIDCharacteristicExtendedPropertiesString, CBUUIDCharacteristicUserDescriptionString,
        CBUUIDClientCharacteristicConfigurationString, CBUUIDServerCharacteristicConfigurationString,
        CBUUIDCharacteristicFormatString, CBUUIDCharacteristicAggregateFormatString,
        CBUUIDCharacteristicValidRangeString, CBUUIDCharacteristicObservationScheduleString,
        CBUUIDL2CAPPSMCharacteristicString,
    ]
}
