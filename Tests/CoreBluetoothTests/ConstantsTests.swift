import CoreBluetooth
import Testing

@Suite struct ConstantsTests {
    @Test(
        arguments: [
            (CBAdvertisementDataLocalNameKey, "kCBAdvDataLocalName"),
            (CBAdvertisementDataServiceUUIDsKey, "kCBAdvDataServiceUUIDs"),
            (CBAdvertisementDataManufacturerDataKey, "kCBAdvDataManufacturerData"),
            (CBAdvertisementDataServiceDataKey, "kCBAdvDataServiceData"),
            (CBAdvertisementDataTxPowerLevelKey, "kCBAdvDataTxPowerLevel"),
            (CBAdvertisementDataIsConnectable, "kCBAdvDataIsConnectable"),
            (CBAdvertisementDataOverflowServiceUUIDsKey, "kCBAdvDataHashedServiceUUIDs"),
            (CBAdvertisementDataSolicitedServiceUUIDsKey, "kCBAdvDataSolicitedServiceUUIDs"),
            (CBCentralManagerScanOptionAllowDuplicatesKey, "kCBScanOptionAllowDuplicates"),
            (CBCentralManagerScanOptionSolicitedServiceUUIDsKey, "kCBScanOptionSolicitedServiceUUIDs"),
            (CBCentralManagerOptionShowPowerAlertKey, "kCBInitOptionShowPowerAlert"),
            (CBCentralManagerOptionRestoreIdentifierKey, "kCBInitOptionRestoreIdentifier"),
            (CBConnectPeripheralOptionNotifyOnConnectionKey, "kCBConnectOptionNotifyOnConnection"),
            (CBConnectPeripheralOptionNotifyOnDisconnectionKey, "kCBConnectOptionNotifyOnDisconnection"),
            (CBConnectPeripheralOptionNotifyOnNotificationKey, "kCBConnectOptionNotifyOnNotification"),
            (CBCentralManagerRestoredStatePeripheralsKey, "kCBRestoredPeripherals"),
            (CBCentralManagerRestoredStateScanServicesKey, "kCBRestoredScanServices"),
            (CBCentralManagerRestoredStateScanOptionsKey, "kCBRestoredScanOptions"),
            (CBPeripheralManagerOptionShowPowerAlertKey, "kCBInitOptionShowPowerAlert"),
            (CBPeripheralManagerOptionRestoreIdentifierKey, "kCBInitOptionRestoreIdentifier"),
        ]) func `keys have Apple's texts, which some programs write out`(key: String, text: String)
    {
        #expect(key == text)
    }

    @Test func `keys of one dictionary are different`() {
        let connect = [
            CBConnectPeripheralOptionNotifyOnConnectionKey, CBConnectPeripheralOptionNotifyOnDisconnectionKey,
            CBConnectPeripheralOptionNotifyOnNotificationKey, CBConnectPeripheralOptionStartDelayKey,
            CBConnectPeripheralOptionEnableTransportBridgingKey, CBConnectPeripheralOptionRequiresANCS,
            CBConnectPeripheralOptionEnableAutoReconnect, CBConnectPeripheralOptionUseNotifySocketsKey,
        ]
        #expect(Set(connect).count == connect.count)
        let manager = [
            CBCentralManagerOptionShowPowerAlertKey, CBCentralManagerOptionRestoreIdentifierKey,
            CBCentralManagerOptionDeviceAccessForMedia, CBCentralManagerOptionAdapterKey,
            CBPeripheralManagerOptionAdapterKey, CBCentralManagerOptionRestoreCommandKey,
            CBPeripheralManagerOptionRestoreCommandKey,
        ]
        #expect(Set(manager).count == manager.count)
    }

    @Test func `characteristic properties are the bits of the specification`() {
        let bits: [(CBCharacteristicProperties, UInt)] = [
            (.broadcast, 0x001), (.read, 0x002), (.writeWithoutResponse, 0x004), (.write, 0x008), (.notify, 0x010),
            (.indicate, 0x020), (.authenticatedSignedWrites, 0x040), (.extendedProperties, 0x080),
            (.notifyEncryptionRequired, 0x100), (.indicateEncryptionRequired, 0x200),
        ]
        for (property, bit) in bits { #expect(property.rawValue == bit) }
    }

    @Test func `permissions have Apple's bits`() {
        let bits: [(CBAttributePermissions, UInt)] = [
            (.readable, 0x01), (.writeable, 0x02), (.readEncryptionRequired, 0x04), (.writeEncryptionRequired, 0x08),
        ]
        for (permission, bit) in bits { #expect(permission.rawValue == bit) }
    }

    @Test func `states have Apple's order`() {
        let states: [CBManagerState] = [
            .unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn,
        ]
        #expect(states.map(\.rawValue) == Array(0...5))
        let peripheral: [CBPeripheralState] = [.disconnected, .connecting, .connected, .disconnecting]
        #expect(peripheral.map(\.rawValue) == Array(0...3))
        let authorization: [CBManagerAuthorization] = [.notDetermined, .restricted, .denied, .allowedAlways]
        #expect(authorization.map(\.rawValue) == Array(0...3))
        let latency: [CBPeripheralManagerConnectionLatency] = [.low, .medium, .high]
        #expect(latency.map(\.rawValue) == Array(0...2))
        #expect(CBCharacteristicWriteType.withResponse.rawValue == 0)
        #expect(CBCharacteristicWriteType.withoutResponse.rawValue == 1)
        #expect(CBConnectionEvent.peerDisconnected.rawValue == 0)
        #expect(CBConnectionEvent.peerConnected.rawValue == 1)
        #expect(CBCentralManager.Feature.extendedScanAndConnect.rawValue == 1)
    }
}
