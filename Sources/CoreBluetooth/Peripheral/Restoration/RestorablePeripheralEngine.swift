import BlueZ
import MainLoop

/// The peripheral role of a manager with a restore identifier: the agent's, or, when there is no agent, this process's
/// own. Which of the two is known before the manager's first state, and no call comes before that.
final class RestorablePeripheralEngine: PeripheralEngine {
    private let core: AgentPeripheralCore
    private let own: @Sendable () -> BlueZPeripheralEngine?
    private let substitute = Locked<BlueZPeripheralEngine?>(nil)
    private let pairing = Locked<PairingSettings?>(nil)

    init(manager: CBPeripheralManager, registration: AppRegistration, agent: AgentAccess, session: BlueZSession) {
        core = AgentPeripheralCore(manager: manager, registration: registration, agent: agent)
        own = { [weak manager] in manager.map { BlueZPeripheralEngine(manager: $0, session: session) } }
    }

    func start() {
        let core = core
        MainLoop.shared.async { [weak self] in
            core.start { self?.doWithoutAgent() }
        }
    }

    private func doWithoutAgent() {
        guard let engine = own() else { return }
        substitute.store(engine) { swap(&$0, &$1) }
        engine.setPairing(pairing.withLock { $0 })
        engine.start()
    }

    private var agents: AgentPeripheralEngine { AgentPeripheralEngine(core: core) }
    private var chosen: any PeripheralEngine { substitute.withLock { $0 } ?? agents }

    deinit { invalidate() }

    func invalidate() {
        substitute.withLock { $0 }?.invalidate()
        agents.invalidate()
    }

    func startAdvertising(_ data: [String: Any]) { chosen.startAdvertising(data) }
    func stopAdvertising() { chosen.stopAdvertising() }
    func add(_ service: CBMutableService) { chosen.add(service) }
    func remove(_ service: CBMutableService) { chosen.remove(service) }
    func removeAllServices() { chosen.removeAllServices() }
    func respond(to request: CBATTRequest, with result: CBATTError.Code) { chosen.respond(to: request, with: result) }
    func updateValue(_ value: Data, for characteristic: CBMutableCharacteristic, on centrals: [CBCentral]?) -> Bool {
        chosen.updateValue(value, for: characteristic, on: centrals)
    }
    func setPairing(_ settings: PairingSettings?) {
        pairing.store(settings) { swap(&$0, &$1) }
        chosen.setPairing(settings)
    }
    func publishL2CAPChannel(_ psm: CBL2CAPPSM?, encrypted: Bool) {
        chosen.publishL2CAPChannel(psm, encrypted: encrypted)
    }
    func unpublishL2CAPChannel(_ psm: CBL2CAPPSM) { chosen.unpublishL2CAPChannel(psm) }
    func settle(_ done: @escaping @Sendable () -> Void) { chosen.settle(done) }
}

/// The peripheral role by the restoration agent: passes the calls of a manager on to the loop, where
/// ``AgentPeripheralCore`` does the work.
private final class AgentPeripheralEngine: LoopPeripheralEngine {
    let core: AgentPeripheralCore

    init(core: AgentPeripheralCore) {
        self.core = core
    }

    func startAdvertising(_ data: [String: Any]) {
        let core = core
        // Says what of it is not advertised.
        _ = AdvertisementPlan(data)
        let record = AdvertisementRecord(data)
        let call = core.epochs.current
        MainLoop.shared.async { core.startAdvertising(record, in: call) }
    }

    func add(_ service: CBMutableService) {
        let core = core
        let call = core.epochs.current
        do {
            let plan = try ServicePlan(service)
            let record = ServiceRecord(service, number: 0)
            MainLoop.shared.async { core.add(plan, record, in: call) }
        } catch {
            MainLoop.shared.async { core.refuse(service, error) }
        }
    }

    func setPairing(_ settings: PairingSettings?) {
        guard settings != nil else { return }
        Diagnostics.warning(
            "the agent pairs for a peripheral manager with a restore identifier, and never prompts: \"Just Works\"")
    }

    func publishL2CAPChannel(_ psm: CBL2CAPPSM?, encrypted: Bool) {
        core.deliver { manager in
            manager.delegate?.peripheralManager(
                manager, didPublishL2CAPChannel: psm ?? 0, error: CBError(.operationNotSupported))
        }
    }

    func unpublishL2CAPChannel(_ psm: CBL2CAPPSM) {
        core.deliver { manager in
            manager.delegate?.peripheralManager(
                manager, didUnpublishL2CAPChannel: psm, error: CBError(.operationNotSupported))
        }
    }
}
