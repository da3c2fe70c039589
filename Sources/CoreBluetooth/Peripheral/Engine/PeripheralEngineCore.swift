import MainLoop

/// What does the work of a peripheral manager on the loop.
@LoopActor
protocol PeripheralEngineCore: AnyObject, Swift.Sendable {
    nonisolated var epochs: CallEpochs { get }
    nonisolated var updates: UpdateQueue { get }

    func invalidate()
    func stopAdvertising()
    func remove(_ service: CBMutableService)
    func removeAll()
    func settle(_ done: @escaping @Sendable () -> Void)
    func sendUpdates()
}

/// An engine that passes the calls of its manager on to the loop. Those that every one passes on alike are here.
protocol LoopPeripheralEngine: PeripheralEngine {
    associatedtype Core: PeripheralEngineCore
    var core: Core { get }
}

extension LoopPeripheralEngine {
    func invalidate() {
        let core = core
        MainLoop.shared.async { core.invalidate() }
    }

    func stopAdvertising() {
        let core = core
        core.epochs.countStop()
        MainLoop.shared.async { core.stopAdvertising() }
    }

    func remove(_ service: CBMutableService) {
        let core = core
        MainLoop.shared.async { core.remove(service) }
    }

    func removeAllServices() {
        let core = core
        MainLoop.shared.async { core.removeAll() }
    }

    func settle(_ done: @escaping @Sendable () -> Void) {
        let core = core
        MainLoop.shared.async { core.settle(done) }
    }

    func respond(to request: CBATTRequest, with result: CBATTError.Code) {
        request.giveAnswer(result, ofOwner: ObjectIdentifier(core))
    }

    func updateValue(_ value: Data, for characteristic: CBMutableCharacteristic, on centrals: [CBCentral]?) -> Bool {
        let core = core
        return core.updates.take(value, for: characteristic, on: centrals) { core.sendUpdates() }
    }
}
