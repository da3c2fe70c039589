import CoreBluetooth

/// What the parts of a virtual peripheral use of its `CBPeripheralManager`. Tests pass another one.
protocol GATTServer: AnyObject {
    var state: CBManagerState { get }
    var isAdvertising: Bool { get }

    func startAdvertising(_ advertisementData: [String: Any]?)
    func stopAdvertising()
    func add(_ service: CBMutableService)
    func remove(_ service: CBMutableService)
    func removeAllServices()
    func respond(to request: CBATTRequest, withResult result: CBATTError.Code)
    func updateValue(
        _ value: Data, for characteristic: CBMutableCharacteristic, onSubscribedCentrals centrals: [CBCentral]?
    ) -> Bool
}

extension CBPeripheralManager: GATTServer {}
