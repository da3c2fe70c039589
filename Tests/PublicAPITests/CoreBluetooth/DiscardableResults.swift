import CoreBluetooth

// Methods that are imported from Objective-C may be called for their effect alone, without a warning; so may these. The
// target takes the warning for an error.

private func central(_ manager: CBCentralManager) {
    manager.retrievePeripherals(withIdentifiers: [])
    manager.retrieveConnectedPeripherals(withServices: [])
    CBCentralManager.supports(.extendedScanAndConnect)
}

private func attributes(_ peripheral: CBPeripheral, _ uuid: CBUUID) {
    peripheral.maximumWriteValueLength(for: .withResponse)
    peripheral.copy(with: nil)
    uuid.copy(with: nil)
}

private func peripheral(_ manager: CBPeripheralManager, _ characteristic: CBMutableCharacteristic) {
    manager.updateValue(Data(), for: characteristic, onSubscribedCentrals: nil)
}

@available(*, deprecated, message: "uses what is deprecated")
private func deprecated() {
    CBPeripheralManager.authorizationStatus()
}
