/// Receives what happens to a central manager. All calls come on the manager's queue.
///
/// All methods but the first are optional. What does nothing by default is as good as absent, but mind a difference to
/// Apple's platforms: a method that only a subclass of the conforming class has is not called.
public protocol CBCentralManagerDelegate: NSObjectProtocol {
    /// The manager's state has changed, or is known for the first time.
    ///
    /// Below ``CBManagerState/poweredOn`` scanning has stopped and all connections have ended, without further calls.
    func centralManagerDidUpdateState(_ central: CBCentralManager)

    /// The program was started again and the manager has state to restore. Always the first call.
    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any])

    /// A scan has found a peripheral.
    ///
    /// - Parameters:
    ///   - advertisementData: advertisement and scan response together, by the keys `CBAdvertisementData…`.
    ///   - RSSI: signal strength in dBm; 127 if it is not known.
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber)

    /// A peripheral is connected.
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)

    /// A connection could not be established, and no further attempt is made.
    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?)

    /// A connection has ended, or a pending one was cancelled. Called only if the method with the time stamp is absent.
    ///
    /// - Parameter error: nil if the program asked for it.
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?)

    /// A connection has ended, or a pending one was cancelled.
    ///
    /// - Parameters:
    ///   - timestamp: when, in seconds since the beginning of 2001; it may lie slightly in the past.
    ///   - isReconnecting: whether the manager is connecting again by itself
    ///     (`CBConnectPeripheralOptionEnableAutoReconnect`).
    ///   - error: nil if the program asked for it.
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?)

    /// A device was connected to the system or disconnected from it, see
    /// ``CBCentralManager/registerForConnectionEvents(options:)``.
    func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral)

    /// Never called on Linux.
    func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral)
}

extension CBCentralManagerDelegate {
    public func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {}

    public func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {}

    public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {}

    public func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) {}

    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {}

    // The module always calls this one, and passes the call on to a delegate that has only the older one.
    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?
    ) {
        centralManager(central, didDisconnectPeripheral: peripheral, error: error)
    }

    public func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
    ) {}

    public func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {}
}
