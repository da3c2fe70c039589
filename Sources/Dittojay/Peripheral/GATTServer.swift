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
    func publishL2CAPChannel(at psm: CBL2CAPPSM?, withEncryption encryptionRequired: Bool)
    func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM)
    func updateValue(
        _ value: Data, for characteristic: CBMutableCharacteristic, onSubscribedCentrals centrals: [CBCentral]?
    ) -> Bool
    func settle(_ done: @escaping @Sendable () -> Void)
}

extension CBPeripheralManager: GATTServer {}
