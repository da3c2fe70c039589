import DequeModule
import MainLoop

/// The state of a peripheral manager whose services the restoration agent publishes, on the loop. What it finds out is
/// delivered on the manager's queue, in order.
@LoopActor
final class AgentPeripheralCore: PeripheralEngineCore {
    // A weak reference may be loaded on any thread, and it is stored once, in `init`.
    private nonisolated(unsafe) weak var manager: CBPeripheralManager?
    private nonisolated let delegateQueue: DelegateQueue
    nonisolated let updates = UpdateQueue()
    nonisolated let epochs = CallEpochs()

    let connection: AgentConnection
    /// Called when there is no agent.
    private var onNoAgent: (@LoopActor () -> Void)?
    private var state: CBManagerState = .unknown
    private var epoch = 0
    /// What the agent calls the epoch.
    private var agentEpoch = 0
    /// Counts the agents that have welcomed this program: answers to requests of an earlier one mean nothing.
    var agents = 0
    private var isInvalid = false
    /// What is restored before the first state.
    private var restored: Publication?

    var nextService: UInt32 = 1
    var services: [UInt32: AgentService] = [:]
    var numbers: [ObjectIdentifier: UInt32] = [:]
    var characteristics: [ObjectIdentifier: AgentCharacteristic] = [:]
    var centrals: [UUID: CBCentral] = [:]

    /// The call that waits for its answer, if it is advertised or about to be.
    private var advertising: CallEpochs.Call?
    private var isAdvertisingAnswered = false

    /// What the loop has taken out of ``updates``.
    var batch = Deque<UpdateQueue.Update>()
    /// How many values the agent has and has not passed on.
    var unconfirmed = 0

    nonisolated init(manager: CBPeripheralManager, registration: AppRegistration, agent: AgentAccess) {
        self.manager = manager
        delegateQueue = manager.delegateQueue
        connection = AgentConnection(registration, at: agent)
    }

    /// Registers with the agent.
    ///
    /// - Parameter onNoAgent: called at most once, when there is none, or it can no longer be used.
    func start(onNoAgent: @escaping @LoopActor () -> Void) {
        guard !isInvalid else { return }
        self.onNoAgent = onNoAgent
        connection.owner = self
        connection.open()
    }

    func invalidate() {
        guard !isInvalid else { return }
        isInvalid = true
        connection.close()
        onNoAgent = nil
        updates.closeAll()
    }

    /// Calls `body` on the manager's queue, unless the manager has been released by then.
    nonisolated func deliver(_ body: @escaping @Sendable (CBPeripheralManager) -> Void) {
        delegateQueue.post { [self] in
            if let manager { body(manager) }
        }
    }

    // MARK: State

    private func report(_ newState: CBManagerState) {
        state = newState
        epoch += 1
        let silenced = clear()
        restore()
        deliver { [epochs, epoch, isAdvertised = advertising != nil && newState == .poweredOn] manager in
            for characteristic in silenced { characteristic.subscribedCentrals = [] }
            manager.isAdvertising = isAdvertised
            manager.state = newState
            epochs.enter(epoch)
            manager.delegate?.peripheralManagerDidUpdateState(manager)
        }
    }

    /// Forgets what is no longer published.
    ///
    /// - Returns: the characteristics that had subscribers.
    private func clear() -> [CBMutableCharacteristic] {
        let silenced = characteristics.values.filter { !$0.subscribers.isEmpty }.map(\.characteristic)
        let waiting = services.values.filter { !$0.isAnswered }.sorted { $0.number < $1.number }
        (services, numbers, characteristics, centrals) = ([:], [:], [:], [:])
        updates.closeAll()
        for service in waiting { answerAdd(service.service, CBError(.operationCancelled)) }
        if advertising != nil, !isAdvertisingAnswered { answerAdvertising(CBError(.operationCancelled)) }
        advertising = nil
        return silenced
    }

    /// Takes up what an earlier run has published.
    private func restore() {
        guard let restored else { return }
        self.restored = nil
        guard !restored.record.isEmpty else { return }
        for record in restored.record.services {
            guard let service = record.service else { continue }
            service.includedServices = record.includes?.compactMap { services[$0]?.service }
            keep(AgentService(number: record.number, service: service, isAnswered: true))
        }
        let subscribed = restored.subscriptions.compactMap { subscription in
            characteristic(at: subscription.place).map { ($0, central(subscription.central)) }
        }
        for (characteristic, central) in subscribed { subscribe(characteristic, central) }
        if restored.record.advertisement != nil {
            advertising = epochs.current
            isAdvertisingAnswered = true
        }
        let objects = services.values.sorted { $0.number < $1.number }.map(\.service)
        let subscribers = characteristics.values.map { ($0.characteristic, $0.subscribers) }
        deliver { [advertisement = restored.record.advertisement, isAdvertised = state == .poweredOn] manager in
            manager.isAdvertising = isAdvertised && advertisement != nil
            for (characteristic, centrals) in subscribers { characteristic.subscribedCentrals = centrals }
            var state: [String: Any] = [CBPeripheralManagerRestoredStateServicesKey: objects]
            if let advertisement {
                state[CBPeripheralManagerRestoredStateAdvertisementDataKey] = advertisement.dictionary
            }
            manager.delegate?.peripheralManager(manager, willRestoreState: state)
        }
    }

    /// Whether a call that the app made when it knew `call.epoch` still means something.
    private func isCurrent(_ call: CallEpochs.Call) -> Bool {
        !isInvalid && call.epoch == epoch && state == .poweredOn
    }

    // MARK: Services

    func add(_ plan: ServicePlan, _ record: ServiceRecord, in call: CallEpochs.Call) {
        guard isCurrent(call) else { return refuse(plan.service, CBError(.operationCancelled)) }
        guard numbers[ObjectIdentifier(plan.service)] == nil else {
            return refuse(plan.service, ServicePlan.invalid("the service is already published"))
        }
        var record = record
        let includes = plan.includes.compactMap { numbers[ObjectIdentifier($0)] }
        guard includes.count == plan.includes.count else {
            return refuse(
                plan.service, ServicePlan.invalid("included services must be published first: \(plan.service)"))
        }
        record.includes = includes.nilIfEmpty
        record.number = nextService
        nextService += 1
        keep(AgentService(number: record.number, service: plan.service, isAnswered: false))
        connection.send(.publish(record, epoch: agentEpoch))
    }

    private func keep(_ service: AgentService) {
        services[service.number] = service
        numbers[ObjectIdentifier(service.service)] = service.number
        for (index, characteristic) in service.characteristics.enumerated() {
            characteristics[ObjectIdentifier(characteristic)] = AgentCharacteristic(
                characteristic, CharacteristicPlace(service: service.number, index: index))
        }
    }

    func refuse(_ service: CBMutableService, _ error: any Error) { answerAdd(service, error) }

    private nonisolated func answerAdd(_ service: CBMutableService, _ error: (any Error)?) {
        deliver { $0.delegate?.peripheralManager($0, didAdd: service, error: error) }
    }

    private func published(_ number: UInt32, _ failure: AgentFailure?) {
        guard let service = services[number], !service.isAnswered else { return }
        services[number]?.isAnswered = true
        if failure != nil { forget(service) }
        answerAdd(service.service, failure?.error)
    }

    func remove(_ service: CBMutableService) {
        guard let number = numbers[ObjectIdentifier(service)], let known = services[number] else { return }
        connection.send(.withdraw(service: number))
        for characteristic in known.characteristics {
            guard let link = characteristics[ObjectIdentifier(characteristic)] else { continue }
            for central in link.subscribers { unsubscribe(link, central) }
        }
        forget(known)
        if !known.isAnswered { answerAdd(service, CBError(.operationCancelled)) }
    }

    func removeAll() {
        for service in services.values.sorted(by: { $0.number < $1.number }) { remove(service.service) }
    }

    private func forget(_ service: AgentService) {
        services[service.number] = nil
        numbers[ObjectIdentifier(service.service)] = nil
        for characteristic in service.characteristics {
            updates.close(ObjectIdentifier(characteristic))
            characteristics[ObjectIdentifier(characteristic)] = nil
        }
    }

    // MARK: Advertising

    func startAdvertising(_ record: AdvertisementRecord, in call: CallEpochs.Call) {
        guard isCurrent(call) else { return answerAdvertising(CBError(.operationCancelled)) }
        guard advertising == nil else { return answerAdvertising(CBError(.alreadyAdvertising)) }
        guard record.isWithinLimits else {
            return answerAdvertising(ServicePlan.invalid("the advertising data do not fit"))
        }
        advertising = call
        isAdvertisingAnswered = false
        connection.send(.advertise(record, epoch: agentEpoch))
    }

    private func answerAdvertising(_ error: any Error) {
        deliver { $0.delegate?.peripheralManagerDidStartAdvertising($0, error: error) }
    }

    private func advertisingAnswered(_ failure: AgentFailure?) {
        guard let call = advertising, !isAdvertisingAnswered else { return }
        if let failure {
            advertising = nil
            return answerAdvertising(failure.error)
        }
        isAdvertisingAnswered = true
        deliver { [epochs] manager in
            // A stop that the app has called meanwhile has the last word.
            manager.advertisingStarted { epochs.current.stops != call.stops }
            manager.delegate?.peripheralManagerDidStartAdvertising(manager, error: nil)
        }
    }

    func stopAdvertising() {
        guard advertising != nil else { return }
        let isAnswered = isAdvertisingAnswered
        advertising = nil
        connection.send(.stopAdvertising)
        if !isAnswered { answerAdvertising(CBError(.operationCancelled)) }
    }

    /// The agent stays, and does the rest.
    func settle(_ done: @escaping @Sendable () -> Void) { done() }
}

extension AgentPeripheralCore: AgentConnectionOwner {
    func welcomed(_ welcome: Welcome, values: Int32) {
        // Values are for centrals.
        close(values)
        agents += 1
        // What the former agent had is lost with it.
        confirmed(unconfirmed)
        guard let publication = welcome.publication else { return }
        nextService = max(nextService, publication.record.nextService)
        agentEpoch = publication.epoch
        if agents == 1 { restored = publication }
        // Otherwise it comes as soon as the agent knows it.
        if let state = CBManagerState(rawValue: publication.state), state != .unknown { report(state) }
    }

    func received(_ message: AgentMessage) {
        guard !isInvalid else { return }
        switch message {
        case .state(let raw, let epoch):
            agentEpoch = epoch
            report(CBManagerState(rawValue: raw) ?? .unknown)
        case .published(let number, let failure): published(number, failure)
        case .advertising(let failure): advertisingAnswered(failure)
        case .request(let request): received(request)
        case .centralSubscribed(let subscription): subscribed(subscription)
        case .centralUnsubscribed(let subscription): unsubscribed(subscription)
        case .updated(let count): confirmed(count)
        // The others are for central managers.
        case .welcome, .refused, .subscribed, .unsubscribed: break
        }
    }

    /// What it has published was removed.
    func agentIsGone() { report(.resetting) }

    func agentStaysAway() {}

    /// What this process publishes then is its own until it ends: to hand it over would take it from the centrals.
    func agentIsLate() { connection.giveUp() }

    func agentIsOfNoUse() {
        if state != .unknown { report(.resetting) }
        let onNoAgent = onNoAgent
        self.onNoAgent = nil
        onNoAgent?()
    }
}
