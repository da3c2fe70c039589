import BlueZ
import MainLoop

/// The peripheral role on BlueZ: passes the calls of a manager on to the loop, where ``PeripheralCore`` does the work.
final class BlueZPeripheralEngine: LoopPeripheralEngine {
    let core: PeripheralCore

    /// - Parameters:
    ///   - manager: whose delegate is called, on its queue.
    ///   - session: the bluetoothd that is used.
    init(manager: CBPeripheralManager, session: BlueZSession) {
        let core = PeripheralCore(
            manager: manager, choice: AdapterChoice(option: manager.options[CBPeripheralManagerOptionAdapterKey]),
            session: session)
        self.core = core
    }

    /// Begins to work. The manager must have its engine by then: the first state comes at once, and the app may ask for
    /// something when it has it.
    func start() {
        let core = core
        MainLoop.shared.async { core.start() }
    }

    deinit { invalidate() }

    // MARK: Advertising

    func startAdvertising(_ data: [String: Any]) {
        let core = core
        let plan = AdvertisementPlan(data)
        let call = core.epochs.current
        MainLoop.shared.async { core.startAdvertising(plan, in: call) }
    }

    // MARK: Services

    func add(_ service: CBMutableService) {
        let core = core
        let call = core.epochs.current
        do {
            let plan = try ServicePlan(service)
            MainLoop.shared.async { core.add(plan, in: call) }
        } catch {
            MainLoop.shared.async { core.refuse(service, error) }
        }
    }

    // MARK: Pairing

    func setPairing(_ settings: PairingSettings?) {
        let core = core
        MainLoop.shared.async { core.setPairing(settings) }
    }

    // MARK: L2CAP

    func publishL2CAPChannel(_ psm: CBL2CAPPSM?, encrypted: Bool) {
        let core = core
        let call = core.epochs.current
        MainLoop.shared.async { core.publishL2CAPChannel(psm, encrypted: encrypted, in: call) }
    }

    func unpublishL2CAPChannel(_ psm: CBL2CAPPSM) {
        let core = core
        MainLoop.shared.async { core.unpublishL2CAPChannel(psm) }
    }
}
