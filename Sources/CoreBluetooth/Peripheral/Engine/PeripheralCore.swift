import BlueZ
import DBus
import DequeModule
import Logging
import MainLoop

/// The state of a peripheral manager on the loop. What it finds out is delivered on the manager's queue, in order.
@LoopActor
final class PeripheralCore: PeripheralEngineCore {
    // A weak reference may be loaded on any thread, and it is stored once, in `init`.
    private nonisolated(unsafe) weak var manager: CBPeripheralManager?
    private nonisolated let delegateQueue: DelegateQueue
    private nonisolated let choice: AdapterChoice
    nonisolated let updates = UpdateQueue()
    nonisolated let epochs = CallEpochs()

    let session: BlueZSession
    private var watch: AdapterWatch?
    private var observation: Registration?
    private(set) var adapter: Adapter?
    private var state: CBManagerState = .unknown
    private var epoch = 0
    private var isInvalid = false

    private var jobs = Deque<@LoopActor () async -> Void>()
    private var isWorking = false

    /// The services of this epoch, from the beginning of their registration.
    private var services: [ObjectIdentifier: PublishedService] = [:]
    /// Their characteristics.
    var links: [ObjectIdentifier: CharacteristicLink] = [:]
    /// The links in the order in which they were published, which is the order of the reports about them.
    var orderedLinks: [CharacteristicLink] { links.values.sorted { $0.number < $1.number } }
    /// How many characteristics have been published.
    private var publications = 0
    /// The centrals that have made a request since they connected.
    var centrals: [ObjectPath: RemoteCentral] = [:]
    /// The L2CAP channels that are offered (PeripheralCore+L2CAP.swift).
    var channelOffers: [CBL2CAPPSM: AnyObject] = [:]
    /// What the loop has taken out of ``updates``.
    var batch = Deque<UpdateQueue.Update>()
    /// The characteristic whose value was handed to bluetoothd last.
    weak var lastSender: CharacteristicLink?
    /// Runs while a value waits for bluetoothd to read that one.
    var draining: LoopSource?
    /// When the last notification went to bluetoothd that an indication may still overtake.
    var lastNotification: ContinuousClock.Instant?
    /// Runs while an indication waits for those before it.
    var gathering: LoopSource?

    /// The delegate that answers while centrals pair.
    private var pairing: Registration?

    /// What is advertised, or about to be (PeripheralCore+Advertising.swift).
    var advertisement: Advertisement?
    /// When the advertisements of the controller have changed last.
    var lastAdvertisingChange: ContinuousClock.Instant?
    /// Whether they have changed under a link.
    var advertisingChangedUnderLink = false
    /// Runs until the advertisement is registered again.
    var renewal: LoopSource?
    /// Whether the advertisement is about to be registered again because a link has begun.
    var isRenewedUnderLink = false
    /// The calls of the app until the advertising was refused beside a link, while it is.
    var advertisingPause: CallEpochs.Call?

    nonisolated init(manager: CBPeripheralManager, choice: AdapterChoice, session: BlueZSession) {
        self.session = session
        self.manager = manager
        delegateQueue = manager.delegateQueue
        self.choice = choice
    }

    func start() {
        guard watch == nil, !isInvalid else { return }
        observation = session.observe { [weak self] in self?.handle($0) }
        watch = AdapterWatch(choice: choice, role: .peripheral, session: session) { [weak self] in
            self?.stateChanged(to: $0, adapter: $1)
        }
    }

    /// Takes everything back that bluetoothd has of this manager.
    func invalidate() {
        guard !isInvalid else { return }
        isInvalid = true
        watch?.cancel()
        observation?.cancel()
        pairing = nil
        clear()
    }

    /// Who answers while centrals pair; nil for nobody.
    func setPairing(_ settings: PairingSettings?) {
        guard !isInvalid else { return }
        // First: the agent is registered again when the former one has been withdrawn.
        let former = pairing
        pairing = settings.map { settings in
            let responder = PairingResponder(
                settings,
                peer: { [weak self] device in
                    guard let self, device.adapter === adapter else { return nil }
                    return central(at: device.path, mtu: nil).central
                },
                deliver: { [weak self] event in self?.deliver { event($0) } })
            return session.sharedAgent.add(responder)
        }
        former?.cancel()
    }

    /// Calls `body` on the manager's queue, unless the manager has been released by then.
    nonisolated func deliver(_ body: @escaping @Sendable (CBPeripheralManager) -> Void) {
        delegateQueue.post { [self] in
            if let manager { body(manager) }
        }
    }

    /// Does `job` after all jobs before it.
    func enqueue(_ job: @escaping @LoopActor () async -> Void) {
        jobs.append(job)
        guard !isWorking else { return }
        isWorking = true
        Task {
            while let job = jobs.popFirst() { await job() }
            isWorking = false
        }
    }

    func settle(_ done: @escaping @Sendable () -> Void) {
        enqueue { done() }
    }

    // MARK: State

    private func stateChanged(to newState: CBManagerState, adapter newAdapter: Adapter?) {
        epoch += 1
        state = newState
        let silenced = clear()
        adapter = newAdapter
        if newState == .poweredOn { session.registerAgent() }
        deliver { [epochs, epoch] manager in
            for characteristic in silenced { characteristic.subscribedCentrals = [] }
            manager.isAdvertising = false
            manager.state = newState
            epochs.enter(epoch)
            manager.delegate?.peripheralManagerDidUpdateState(manager)
        }
    }

    /// Takes back all services and the advertisement.
    ///
    /// - Returns: the characteristics that had subscribers.
    @discardableResult
    private func clear() -> [CBMutableCharacteristic] {
        let silenced = orderedLinks.filter { !$0.subscribers.isEmpty }.map(\.plan.characteristic)
        updates.closeAll()
        // First: bluetoothd resumes it by itself when the adapter is on again, and a central that connects then would
        // find the services missing, or coming one by one, which bluetoothd as a central may not notice (5.66).
        stopAdvertising()
        advertisingPause = nil
        lastAdvertisingChange = nil
        advertisingChangedUnderLink = false
        renewal = nil
        let all = Array(services.values)
        services = [:]
        // Without another word to the app, which learns it from the manager's state.
        for service in all { close(service, tellsDelegate: false) }
        enqueue { await Self.unregister(all) }
        links = [:]
        centrals = [:]
        channelOffers = [:]
        sendUpdates()
        return silenced
    }

    /// Whether a call that the app made when it knew `call.epoch` still means something.
    func isCurrent(_ call: CallEpochs.Call) -> Bool {
        !isInvalid && call.epoch == epoch && state == .poweredOn && adapter != nil
    }

    private func handle(_ event: BlueZEvent) {
        switch event {
        case .deviceChanged(let device, let changes):
            guard changes.contains(Device1.connected), device.adapter === adapter else { return }
            if device.isConnected {
                linkBegan()
                connected(device)
            } else {
                linkEnded()
                disconnected(device.path, isBonded: device.isPaired)
            }
        case .deviceAdded(let device): if device.isConnected, device.adapter === adapter { linkBegan() }
        case .deviceRemoved(let device):
            if device.isConnected, device.adapter === adapter { linkEnded() }
            disconnected(device.path, isBonded: false)
        case .advertisingChanged(let changed): if changed === adapter { advertisingChanged() }
        default: break
        }
    }

    // MARK: Services

    func add(_ plan: ServicePlan, in call: CallEpochs.Call) {
        let key = ObjectIdentifier(plan.service)
        guard isCurrent(call), let adapter else { return refuse(plan.service, CBError(.operationCancelled)) }
        enqueue { [self] in
            guard isCurrent(call) else { return answerAdd(plan.service, error: CBError(.operationCancelled)) }
            guard services[key] == nil else {
                return answerAdd(plan.service, error: ServicePlan.invalid("the service is already published"))
            }
            let included = plan.includes.compactMap { services[ObjectIdentifier($0)] }
            guard included.count == plan.includes.count else {
                return answerAdd(
                    plan.service,
                    error: ServicePlan.invalid("included services must be published first: \(plan.service)"))
            }
            let service = publish(plan, including: included)
            services[key] = service
            do {
                try await register(service, including: included, with: adapter)
                // Else it was withdrawn while bluetoothd was about to register it.
                guard services[key] === service else {
                    await service.application.unregister()
                    throw CBError(.operationCancelled)
                }
                answerAdd(plan.service, error: nil)
            } catch {
                if services[key] === service {
                    services[key] = nil
                    close(service, tellsDelegate: false)
                }
                answerAdd(plan.service, error: CBError(peripheralRole: error))
            }
        }
    }

    /// Answers in its turn: the services before may still wait for bluetoothd.
    func refuse(_ service: CBMutableService, _ error: any Error) {
        enqueue { [self] in answerAdd(service, error: error) }
    }

    private nonisolated func answerAdd(_ service: CBMutableService, error: (any Error)?) {
        deliver { $0.delegate?.peripheralManager($0, didAdd: service, error: error) }
    }

    func remove(_ service: CBMutableService) {
        let key = ObjectIdentifier(service)
        enqueue { [self] in
            guard let published = services.removeValue(forKey: key) else { return }
            close(published, tellsDelegate: true)
            await withdraw(published)
        }
    }

    func removeAll() {
        enqueue { [self] in
            let all = Array(services.values)
            services = [:]
            for published in all { close(published, tellsDelegate: true) }
            await Self.unregister(all)
        }
    }

    /// Has bluetoothd forget what it knows of the service of a characteristic.
    func publishAnew(_ link: CharacteristicLink) {
        enqueue { [self] in
            guard let service = services.values.first(where: { $0.links.contains { $0 === link } }) else { return }
            let application = service.application
            await unregister([application])
            // Else it was withdrawn, or all were, meanwhile.
            guard services.values.contains(where: { $0.application === application }) else { return }
            await registerAgain(application)
        }
    }

    /// The services of an application, in the order in which they were published.
    func members(of applications: [LocalApplication]) -> [PublishedService] {
        services.values.filter { service in applications.contains { $0 === service.application } }
            .sorted { $0.number < $1.number }
    }

    private static func unregister(_ services: [PublishedService]) async {
        var known: Set<ObjectIdentifier> = []
        let applications = services.map(\.application).filter { known.insert(ObjectIdentifier($0)).inserted }
        await LocalApplication.unregister(applications)
    }

    private func publish(_ plan: ServicePlan, including included: [PublishedService]) -> PublishedService {
        let characteristics = plan.characteristics.map { characteristic in
            publications += 1
            let link = CharacteristicLink(characteristic, number: publications)
            connect(link)
            links[link.key] = link
            return link
        }
        publications += 1
        return PublishedService(plan, number: publications, links: characteristics, including: included)
    }

    /// Ends the traffic of a service.
    private func close(_ service: PublishedService, tellsDelegate: Bool) {
        for link in service.links {
            if tellsDelegate { unsubscribeAll(link) }
            updates.close(link.key)
            if links[link.key] === link { links[link.key] = nil }
            link.local.ignoreRequests()
            link.refuseOpenRequests()
        }
        sendUpdates()
    }
}

/// A service that bluetoothd has, or is about to have.
@LoopActor
final class PublishedService {
    /// What the app has added, which need not keep it. While this lives, no other service has its identity.
    let service: CBMutableService
    /// Those that were published earlier have lower numbers.
    let number: Int
    let local: LocalService
    let links: [CharacteristicLink]
    /// What it is registered as, or about to be.
    var application: LocalApplication

    init(_ plan: ServicePlan, number: Int, links: [CharacteristicLink], including included: [PublishedService]) {
        service = plan.service
        self.number = number
        self.links = links
        local = LocalService(
            uuid: plan.uuid, isPrimary: plan.isPrimary, includes: included.map(\.local),
            characteristics: links.map(\.local))
        application = LocalApplication([local])
    }
}

extension CBError {
    /// The error that the app gets when bluetoothd did not do what the peripheral manager asked for.
    init(peripheralRole error: any Error) {
        if let error = error as? CBError {
            self = error
            return
        }
        let code: CBError.Code =
            switch error {
            case BlueZError.invalidArguments: .invalidParameters
            case BlueZError.notSupported: .operationNotSupported
            case BlueZError.notPermitted: .outOfSpace
            default: .unknown
            }
        self.init(code, userInfo: [NSLocalizedDescriptionKey: "\(error)"])
    }
}
