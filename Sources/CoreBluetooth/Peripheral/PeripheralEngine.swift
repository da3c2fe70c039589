/// What does the work of one peripheral manager.
///
/// Its methods return at once and are called on whatever thread the app calls the API on, when the manager is powered
/// on. The engine changes the state of the public objects and then calls the delegate, both on the manager's queue.
protocol PeripheralEngine: AnyObject, Swift.Sendable {
    /// Ends everything: the manager was released.
    func invalidate()

    /// Answered by `peripheralManagerDidStartAdvertising`, with `CBError.alreadyAdvertising` if it already advertises.
    func startAdvertising(_ data: [String: Any])
    func stopAdvertising()

    /// Answered by `didAdd`.
    func add(_ service: CBMutableService)
    func remove(_ service: CBMutableService)
    func removeAllServices()

    func respond(to request: CBATTRequest, with result: CBATTError.Code)
    /// Returns false if the queue is full and nothing was sent. `centrals` is nil for all subscribers.
    func updateValue(_ value: Data, for characteristic: CBMutableCharacteristic, on centrals: [CBCentral]?) -> Bool

    /// Who answers while centrals pair; nil for nobody.
    func setPairing(_ settings: PairingSettings?)

    /// Answered by `didPublishL2CAPChannel`. `psm` is nil for any.
    func publishL2CAPChannel(_ psm: CBL2CAPPSM?, encrypted: Bool)
    func unpublishL2CAPChannel(_ psm: CBL2CAPPSM)

    /// Calls `done` once, on any thread, when what was asked for before has been done or refused.
    func settle(_ done: @escaping @Sendable () -> Void)
}
