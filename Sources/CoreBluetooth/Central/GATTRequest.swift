/// What a program asks of a connected peripheral: one value for each call of ``CBPeripheral``.
///
/// Filters are nil for all.
enum GATTRequest: Swift.Sendable {
    case readRSSI
    case discoverServices([CBUUID]?)
    case discoverIncludedServices([CBUUID]?, of: CBService)
    case discoverCharacteristics([CBUUID]?, of: CBService)
    case discoverDescriptors(of: CBCharacteristic)
    case readValue(of: ValueAttribute)
    case writeValue(Data, to: ValueAttribute)
    case writeWithoutResponse(Data, to: CBCharacteristic)
    case setNotifying(Bool, for: CBCharacteristic)
    case openL2CAPChannel(CBL2CAPPSM)
}

/// An attribute of a peripheral that has a value.
enum ValueAttribute: Swift.Sendable {
    case characteristic(CBCharacteristic)
    case descriptor(CBDescriptor)

    /// Stores what a read has yielded and calls the delegate. To be called on the manager's queue.
    func wasRead(_ result: Result<Data, any Error>, by peripheral: CBPeripheral) {
        let error: (any Error)? = if case .failure(let error) = result { error } else { nil }
        switch self {
        case .characteristic(let characteristic):
            if let value = try? result.get() { characteristic.value = value }
            characteristic.isValueNotified = false
            peripheral.delegate?.peripheral(peripheral, didUpdateValueFor: characteristic, error: error)
        case .descriptor(let descriptor):
            if let bytes = try? result.get() {
                descriptor.bytes = bytes
                descriptor.value = DescriptorValue.decode(bytes, of: descriptor.uuid)
            }
            peripheral.delegate?.peripheral(peripheral, didUpdateValueFor: descriptor, error: error)
        }
    }

    /// Calls the delegate. To be called on the manager's queue.
    func wasWritten(_ error: (any Error)?, by peripheral: CBPeripheral) {
        switch self {
        case .characteristic(let characteristic):
            peripheral.delegate?.peripheral(peripheral, didWriteValueFor: characteristic, error: error)
        case .descriptor(let descriptor):
            peripheral.delegate?.peripheral(peripheral, didWriteValueFor: descriptor, error: error)
        }
    }
}
