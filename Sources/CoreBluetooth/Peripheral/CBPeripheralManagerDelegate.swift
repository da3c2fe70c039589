/// Receives what happens to a peripheral manager. All calls come on the manager's queue.
///
/// All methods but the first are optional.
public protocol CBPeripheralManagerDelegate: NSObjectProtocol {
    /// The manager's state has changed, or is known for the first time.
    ///
    /// Below ``CBManagerState/poweredOn`` no central is connected; below ``CBManagerState/poweredOff`` no service is
    /// published.
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager)

    /// The program was started again and the manager has state to restore, by the keys
    /// `CBPeripheralManagerRestoredState…`. Always the first call.
    ///
    /// The services are published and must not be added again. What centrals wait for comes by the other methods, after
    /// the first state.
    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any])

    /// Answers ``CBPeripheralManager/startAdvertising(_:)``.
    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?)

    /// Answers ``CBPeripheralManager/add(_:)``, with the object that was added.
    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?)

    /// A central has turned notifications or indications on, or is connected again and bonded, and had them on.
    ///
    /// Linux: bluetoothd (5.66) reports the first central that subscribes to a characteristic and none that joins it.
    /// The others get what is sent to all; when the first one leaves, another connected central is reported in its
    /// place.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic)

    /// A central has turned notifications or indications off, or has disconnected.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic)

    /// A central wants to read a characteristic that has no static value. By default the request is refused.
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)

    /// A central wants to write. By default the requests are refused.
    ///
    /// Linux: bluetoothd (5.66) joins the parts of a long write, so that there is one request. It answers writes to a
    /// characteristic with both ``CBCharacteristicProperties/write`` and
    /// ``CBCharacteristicProperties/writeWithoutResponse`` by itself, with success, whatever the delegate answers. It
    /// refuses values of more than 510 bytes, long writes of more than 508.
    ///
    /// - Parameter requests: to be executed all or none, and answered once, to the first. On other systems there are
    ///   several for a long write, each with its offset.
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest])

    /// There is room again for what ``CBPeripheralManager/updateValue(_:for:onSubscribedCentrals:)`` sends.
    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager)

    /// Answers ``CBPeripheralManager/publishL2CAPChannel(withEncryption:)``.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)

    /// Answers ``CBPeripheralManager/unpublishL2CAPChannel(_:)``.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)

    /// A central has opened an L2CAP channel.
    func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?)
}

extension CBPeripheralManagerDelegate {
    public func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {}

    public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {}

    public func peripheralManager(
        _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
    ) {}

    public func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {}

    public func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {}

    // Without an answer the central would wait for 30 seconds and then give the connection up.
    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        peripheral.respond(to: request, withResult: .requestNotSupported)
    }

    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let first = requests.first else { return }
        peripheral.respond(to: first, withResult: .requestNotSupported)
    }

    public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {}

    public func peripheralManager(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {}

    public func peripheralManager(
        _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {}

    public func peripheralManager(
        _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
    ) {}
}
