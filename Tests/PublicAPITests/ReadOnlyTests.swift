import Bluejay
import CoreBluetooth
import Testing

/// What the compiler does not see of the types that the rest of this target writes down.
@Suite struct ReadOnlyTests {
    @Test func `programs cannot set what only the library changes`() {
        expectReadOnly(\CBManager.state)
        expectReadOnly(\CBCentralManager.isScanning)
        expectReadOnly(\CBPeer.identifier)
        expectReadOnly(\CBPeripheral.name)
        expectReadOnly(\CBPeripheral.state)
        expectReadOnly(\CBPeripheral.services)
        expectReadOnly(\CBPeripheral.canSendWriteWithoutResponse)
        expectReadOnly(\CBAttribute.uuid)
        expectReadOnly(\CBService.peripheral)
        expectReadOnly(\CBService.isPrimary)
        expectReadOnly(\CBService.includedServices)
        expectReadOnly(\CBService.characteristics)
        expectReadOnly(\CBCharacteristic.service)
        expectReadOnly(\CBCharacteristic.properties)
        expectReadOnly(\CBCharacteristic.value)
        expectReadOnly(\CBCharacteristic.descriptors)
        expectReadOnly(\CBCharacteristic.isNotifying)
        expectReadOnly(\CBCharacteristic.notificationLoss)
        expectReadOnly(\CBDescriptor.characteristic)
        expectReadOnly(\CBDescriptor.value)
        expectReadOnly(\CBMutableCharacteristic.subscribedCentrals)
        expectReadOnly(\CBPeripheralManager.isAdvertising)
        expectReadOnly(\CBCentral.maximumUpdateValueLength)
        expectReadOnly(\CBCentral.attMTU)
        expectReadOnly(\CBATTRequest.central)
        expectReadOnly(\CBATTRequest.characteristic)
        expectReadOnly(\CBATTRequest.offset)
        expectReadOnly(\Bluejay.uuid)
        expectReadOnly(\Bluejay.defaultWarningOptions)
        expectReadOnly(\Bluejay.isBluetoothAvailable)
        expectReadOnly(\Bluejay.isBluetoothStateUpdateImminent)
        expectReadOnly(\Bluejay.isConnecting)
        expectReadOnly(\Bluejay.isConnected)
        expectReadOnly(\Bluejay.isDisconnecting)
        expectReadOnly(\Bluejay.shouldAutoReconnect)
        expectReadOnly(\Bluejay.isScanning)
        expectReadOnly(\Bluejay.hasStarted)
        expectReadOnly(\Bluejay.isBackgroundRestorationEnabled)
        expectReadOnly(\ScanDiscovery.peripheralIdentifier)
        expectReadOnly(\ScanDiscovery.advertisementPacket)
        expectReadOnly(\ScanDiscovery.rssi)
    }

    private func expectReadOnly<Root, Value>(
        _ property: KeyPath<Root, Value>, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(!(property is WritableKeyPath<Root, Value>), sourceLocation: sourceLocation)
    }

    @Test func `integers whose width depends on the machine are neither sent nor received`() {
        #expect(!(Int.self is any Receivable.Type) && !(UInt.self is any Receivable.Type))
        #expect(!(Int.self is any Sendable.Type) && !(UInt.self is any Sendable.Type))
    }
}
