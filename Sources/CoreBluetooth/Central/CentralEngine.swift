/// What does the work of one central manager and its peripherals.
///
/// Its methods return at once and are called on whatever thread the app calls the API on, when the manager is powered
/// on and, for those with a peripheral's attribute, the peripheral is connected. The engine changes the state of the
/// public objects and then calls the delegate, both on the manager's queue.
protocol CentralEngine: AnyObject, Swift.Sendable {
    /// Ends everything: the manager is gone.
    func invalidate()

    /// Starts a scan, or replaces the running one. `services` is nil for all.
    func scan(for services: [CBUUID]?, options: [String: Any])
    func stopScan()

    func connect(_ peripheral: CBPeripheral, options: [String: Any])
    /// Cancels a pending or an established connection; always confirmed by a disconnect call without error.
    func cancelConnection(_ peripheral: CBPeripheral)

    /// Those that are known, in the order asked for.
    func peripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral]
    /// Those connected to the system by any program that have one of the services.
    func connectedPeripherals(withServices services: [CBUUID]) -> [CBPeripheral]
    func registerForConnectionEvents(_ options: [CBConnectionEventMatchingOption: Any]?)

    func readRSSI(of peripheral: CBPeripheral)
    /// Filters are nil for all.
    func discoverServices(_ filter: [CBUUID]?, of peripheral: CBPeripheral)
    func discoverIncludedServices(_ filter: [CBUUID]?, of service: CBService, on peripheral: CBPeripheral)
    func discoverCharacteristics(_ filter: [CBUUID]?, of service: CBService, on peripheral: CBPeripheral)
    func discoverDescriptors(of characteristic: CBCharacteristic, on peripheral: CBPeripheral)
    func readValue(of characteristic: CBCharacteristic, on peripheral: CBPeripheral)
    func readValue(of descriptor: CBDescriptor, on peripheral: CBPeripheral)
    func writeValue(
        _ data: Data, to characteristic: CBCharacteristic, type: CBCharacteristicWriteType,
        on peripheral: CBPeripheral)
    func writeValue(_ data: Data, to descriptor: CBDescriptor, on peripheral: CBPeripheral)
    func setNotifying(_ enabled: Bool, for characteristic: CBCharacteristic, on peripheral: CBPeripheral)
    func openL2CAPChannel(_ psm: CBL2CAPPSM, on peripheral: CBPeripheral)
}
