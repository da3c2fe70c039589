/// Receives what happens to a connected peripheral. All calls come on the manager's queue. All methods are optional.
///
/// Errors are ``CBATTError`` if the peripheral refused a request and ``CBError`` otherwise.
public protocol CBPeripheralDelegate: NSObjectProtocol {
    /// ``CBPeripheral/name`` has changed.
    func peripheralDidUpdateName(_ peripheral: CBPeripheral)

    /// The peripheral's services have changed; discover them again. Called once for each change. A service that moves
    /// is removed and added again.
    ///
    /// Requests to the removed services, their characteristics and their descriptors fail with
    /// ``CBError/Code/invalidHandle``, also those under way, unless the peripheral still answers them itself. Their
    /// notifications are off.
    ///
    /// - Parameter invalidatedServices: the services that were removed, also those that were never discovered; empty if
    ///   services were added.
    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService])

    /// Answers ``CBPeripheral/readRSSI()``.
    ///
    /// - Parameter RSSI: signal strength in dBm; without meaning if there is an error.
    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?)

    /// Answers ``CBPeripheral/discoverServices(_:)``.
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?)

    /// Answers ``CBPeripheral/discoverIncludedServices(_:for:)``.
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?)

    /// Answers ``CBPeripheral/discoverCharacteristics(_:for:)``.
    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?)

    /// Answers ``CBPeripheral/discoverDescriptors(for:)``.
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?)

    /// A value was read, notified or indicated. ``CBCharacteristic/value`` holds it for the time of the call.
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)

    /// Answers `readValue(for:)` of a descriptor.
    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?)

    /// Answers a write with response.
    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)

    /// Answers `writeValue(_:for:)` of a descriptor.
    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?)

    /// Answers ``CBPeripheral/setNotifyValue(_:for:)``.
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?)

    /// Notifications were lost, or may have been: ``CBCharacteristic/notificationLoss`` has grown. A Linux addition,
    /// for notification sockets (``CBConnectPeripheralOptionUseNotifySocketsKey``); called once a second at most for a
    /// characteristic. Default: writes a warning to standard error.
    func peripheral(_ peripheral: CBPeripheral, didUpdateNotificationLossFor characteristic: CBCharacteristic)

    /// There is room again for writes without response, see ``CBPeripheral/canSendWriteWithoutResponse``.
    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral)

    /// Answers ``CBPeripheral/openL2CAPChannel(_:)``.
    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?)

    /// The older form of `peripheral(_:didReadRSSI:error:)`. Never called.
    func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?)
}

extension CBPeripheralDelegate {
    public func peripheralDidUpdateName(_ peripheral: CBPeripheral) {}

    public func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {}

    public func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {}

    public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {}

    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
    ) {}

    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {}

    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) {}

    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {}

    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?
    ) {}

    public func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {}

    public func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?
    ) {}

    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) {}

    public func peripheral(_ peripheral: CBPeripheral, didUpdateNotificationLossFor characteristic: CBCharacteristic) {
        Diagnostics.warning(
            "notifications of \(characteristic.uuid) from \(peripheral.identifier): \(characteristic.notificationLoss)")
    }

    public func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {}

    public func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {}

    public func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?) {}
}
