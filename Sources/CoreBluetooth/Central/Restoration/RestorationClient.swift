import MainLoop

/// What one central manager has with the restoration agent.
///
/// It survives the agent: it reports to the next one what this program has.
@LoopActor
final class RestorationClient: AgentConnectionOwner {
    /// The values.
    let inbox: RestorationInbox
    /// Whether notifications go through the agent. Without an agent there is no restoration.
    private(set) var isAvailable = true
    /// The first free number of a subscription.
    private var nextNumber: UInt32 = 1

    let connection: AgentConnection
    private var onWelcome: (@LoopActor (Welcome?) -> Void)?
    /// Whether the agent that has welcomed the program has ended, and another one has.
    private(set) var hasAnotherAgent = false
    /// What is reported to a new agent.
    private var peripherals: [UUID: (request: PeripheralRequest, isConnected: Bool)] = [:]
    private var subscriptions: [UInt32: AgentSubscription] = [:]
    private var scan: ScanRecord?

    nonisolated init(_ registration: AppRegistration, at agent: AgentAccess, inbox: RestorationInbox) {
        connection = AgentConnection(registration, at: agent)
        self.inbox = inbox
    }

    // MARK: Life

    /// Registers with the agent.
    ///
    /// - Parameter onWelcome: called once, with what is to be restored, or with nil when there is no agent in time.
    func open(onWelcome: @escaping @LoopActor (Welcome?) -> Void) {
        self.onWelcome = onWelcome
        connection.owner = self
        connection.open()
    }

    /// The program no longer needs the agent. Nothing will be restored.
    func close() {
        connection.close()
        inbox.close()
        isAvailable = false
    }

    private func failAll() {
        let waiting = subscriptions
        subscriptions = [:]
        for subscription in waiting.values { subscription.lost() }
    }

    // MARK: The connection

    func agentIsGone() {}

    func agentStaysAway() { failAll() }

    func agentIsLate() { beginWithout() }

    func agentIsOfNoUse() {
        failAll()
        beginWithout()
    }

    private func beginWithout() {
        isAvailable = false
        // The values of an agent that comes later have nothing to wait for.
        inbox.start()
        let welcome = onWelcome
        onWelcome = nil
        welcome?(nil)
    }

    func received(_ message: AgentMessage) {
        switch message {
        case .subscribed(let number, let failure): subscriptions[number]?.answered(failure)
        case .unsubscribed(let number, let failure):
            subscriptions.removeValue(forKey: number)?.ended(failure)
        // The others are for peripheral managers.
        default: break
        }
    }

    func welcomed(_ welcome: Welcome, values: Int32) {
        isAvailable = true
        inbox.take(values)
        nextNumber = max(nextNumber, welcome.nextSubscription)
        if let onWelcome {
            self.onWelcome = nil
            return onWelcome(welcome)
        }
        // Another agent: it learns what this program has, and what it takes up later.
        hasAnotherAgent = true
        for (request, isConnected) in peripherals.values {
            connection.send(.connecting(request))
            if isConnected { connection.send(.connected(request)) }
        }
        if let scan { connection.send(.scanning(scan)) }
        let known = subscriptions.values
        subscriptions = [:]
        for subscription in known { request(subscription) }
    }

    // MARK: Scans

    /// The program scans; nil when it no longer does.
    func scanning(_ scan: ScanRecord?) {
        guard scan != self.scan else { return }
        self.scan = scan
        connection.send(.scanning(scan))
    }

    /// Takes over a scan from an earlier run.
    func adopt(_ scan: ScanRecord) {
        if hasAnotherAgent { return scanning(scan) }
        self.scan = scan
    }

    // MARK: Peripherals

    func connecting(_ request: PeripheralRequest) {
        peripherals[request.peripheral] = (request, false)
        connection.send(.connecting(request))
    }

    func connected(_ request: PeripheralRequest) {
        peripherals[request.peripheral] = (request, true)
        connection.send(.connected(request))
    }

    func released(_ peripheral: UUID) {
        guard peripherals.removeValue(forKey: peripheral) != nil else { return }
        connection.send(.released(peripheral: peripheral))
    }

    /// A connection from an earlier run has ended, and the program knows it now.
    func giveBack(_ peripheral: UUID) {
        connection.send(.released(peripheral: peripheral))
    }

    // MARK: Subscriptions

    /// Takes over a subscription from an earlier run.
    func adopt(_ subscription: AgentSubscription) {
        if hasAnotherAgent { return request(subscription) }
        subscriptions[subscription.number] = subscription
    }

    /// Turns notifications on. The result goes to `subscription`.
    func request(_ subscription: AgentSubscription) {
        subscription.number = nextNumber
        nextNumber += 1
        subscriptions[subscription.number] = subscription
        inbox.expect(subscription.number, subscription.characteristic, isOn: subscription.isTurnedOn)
        connection.send(.subscribe(subscription.request))
    }

    /// Turns them off. The result goes to `subscription`.
    func cancel(_ subscription: AgentSubscription) {
        connection.send(.unsubscribe(subscription: subscription.number))
    }

    /// The characteristic of a subscription from an earlier run no longer exists.
    func abandon(_ number: UInt32) {
        connection.send(.unsubscribe(subscription: number))
    }

    /// The result no longer matters.
    func forget(_ subscription: AgentSubscription) {
        subscriptions[subscription.number] = nil
    }
}
