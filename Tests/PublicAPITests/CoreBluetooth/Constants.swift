import CoreBluetooth

// Their texts are in ConstantsTests.

private func centralOptions() {
    let _: [String] = [
        CBCentralManagerOptionShowPowerAlertKey, CBCentralManagerOptionRestoreIdentifierKey,
        CBCentralManagerOptionDeviceAccessForMedia, CBCentralManagerScanOptionAllowDuplicatesKey,
        CBCentralManagerScanOptionSolicitedServiceUUIDsKey, CBConnectPeripheralOptionNotifyOnConnectionKey,
        CBConnectPeripheralOptionNotifyOnDisconnectionKey, CBConnectPeripheralOptionNotifyOnNotificationKey,
        CBConnectPeripheralOptionStartDelayKey, CBConnectPeripheralOptionEnableTransportBridgingKey,
        CBConnectPeripheralOptionRequiresANCS, CBConnectPeripheralOptionEnableAutoReconnect,
        CBCentralManagerRestoredStatePeripheralsKey, CBCentralManagerRestoredStateScanServicesKey,
        CBCentralManagerRestoredStateScanOptionsKey,
    ]
}

private func advertisementData() {
    let _: [String] = [
        CBAdvertisementDataLocalNameKey, CBAdvertisementDataServiceUUIDsKey, CBAdvertisementDataManufacturerDataKey,
        CBAdvertisementDataServiceDataKey, CBAdvertisementDataTxPowerLevelKey, CBAdvertisementDataIsConnectable,
        CBAdvertisementDataOverflowServiceUUIDsKey, CBAdvertisementDataSolicitedServiceUUIDsKey,
    ]
}

private func peripheralOptions() {
    let _: [String] = [
        CBPeripheralManagerOptionShowPowerAlertKey, CBPeripheralManagerOptionRestoreIdentifierKey,
        CBPeripheralManagerRestoredStateServicesKey, CBPeripheralManagerRestoredStateAdvertisementDataKey,
    ]
}
