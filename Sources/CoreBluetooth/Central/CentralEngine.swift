/// What does the work of one central manager and its peripherals.
///
/// Its methods return at once and are called on whatever thread the app calls the API on, when the manager is powered
/// on and, for those with a peripheral's attribute, the peripheral is connected. The engine changes the state of the
/// public objects and then calls the delegate or the completion, both on the manager's queue.
protocol CentralEngine: AnyObject, Swift.Sendable {
    /// Ends everything: the manager was released.
    func invalidate()

    /// Starts a scan, or replaces the running one. `services` is nil for all.
    func scan(for services: [CBUUID]?, options: [String: Any])
    func stopScan()
    /// Calls `done` once, on any thread, when bluetoothd has ended the scan that was stopped.
    func settle(_ done: @escaping @Sendable () -> Void)

    func connect(_ peripheral: CBPeripheral, options: [String: Any])
    /// Cancels a pending or an established connection; always confirmed by a disconnect call without error.
    func cancelConnection(_ peripheral: CBPeripheral)

    /// Those that are known, in the order asked for.
    func peripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral]
    /// Those connected to the system by any program that have one of the services.
    func connectedPeripherals(withServices services: [CBUUID]) -> [CBPeripheral]
    func registerForConnectionEvents(_ options: [CBConnectionEventMatchingOption: Any]?)

    /// Who answers while peers pair; nil for nobody.
    func setPairing(_ settings: PairingSettings?)
    /// Pairs with a peripheral; `completion` is called once, on the manager's queue.
    func pair(_ peripheral: CBPeripheral, completion: @escaping @Sendable (CBPairingError?) -> Void)

    /// Executes the requests to a peripheral in the order of the calls. Drops them while it is not connected, and when
    /// its connection ends. Each completion is called once, on the manager's queue.
    func perform(_ request: GATTRequest, on peripheral: CBPeripheral)
}
