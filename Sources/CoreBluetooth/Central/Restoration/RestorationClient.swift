import LayerLog
import MainLoop
package import RestorationProtocol

/// Where the restoration agent of a program is, and how it is started.
package struct AgentAccess: Swift.Sendable {
    package var location: AgentLocation
    package var start: @Sendable (AgentLocation) throws -> Void

    package init(
        location: AgentLocation = AgentLocation(),
        start: @escaping @Sendable (AgentLocation) throws -> Void = { try AgentStarter.start($0) }
    ) {
        self.location = location
        self.start = start
    }
}

/// The connection of one central manager to the restoration agent.
///
/// It survives the agent: when the agent has ended, the client starts another and reports to it what this program has.
@LoopActor
final class RestorationClient {
    private enum State {
        case closed
        /// The agent does not run yet, or no longer runs.
        case calling
        /// The agent has been greeted and has not answered.
        case greeted
        case ready
    }

    /// The values.
    let inbox: RestorationInbox
    /// Whether notifications go through the agent. Without an agent there is no restoration.
    private(set) var isAvailable = true
    /// The first free number of a subscription.
    private var nextNumber: UInt32 = 1

    private let agent: AgentAccess
    private var registration: AppRegistration
    private var state = State.closed
    private var socket: Int32 = -1
    private var reading: LoopSource?
    /// Runs until the agent is called again.
    private(set) var timer: LoopSource?
    private var deadline: LoopSource?
    private var lastStart: ContinuousClock.Instant?
    private var calls = RetryLog(logger, "reach the restoration agent")
    private var starts = RetryLog(logger, "start the restoration agent")
    private var onWelcome: (@LoopActor (Welcome?) -> Void)?
    /// What is reported to a new agent.
    private var peripherals: [UUID: (request: PeripheralRequest, isConnected: Bool)] = [:]
    private var subscriptions: [UInt32: AgentSubscription] = [:]

    /// How long a program waits for the agent at its start. On a busy machine the agent is slow.
    private static let welcomeTimeout: Duration = .seconds(20)
    /// How long a subscription waits for another agent when the agent has ended.
    private static let absenceTimeout: Duration = .seconds(20)
    private static let callInterval: Duration = .milliseconds(50)
    /// After this long without an answer another agent is started.
    private static let startInterval: Duration = .seconds(3)

    nonisolated init(_ registration: AppRegistration, at agent: AgentAccess, inbox: RestorationInbox) {
        self.registration = registration
        self.agent = agent
        self.inbox = inbox
    }

    // MARK: Life

    /// Registers with the agent.
    ///
    /// - Parameter onWelcome: called once, with what is to be restored, or with nil when there is no agent.
    func open(onWelcome: @escaping @LoopActor (Welcome?) -> Void) {
        self.onWelcome = onWelcome
        deadline = .timer(after: Self.welcomeTimeout) { [weak self] in self?.giveUp("it does not answer") }
        call()
    }

    /// The program no longer needs the agent. Nothing will be restored.
    func close() {
        send(.goodbye)
        hangUp()
        state = .closed
        timer = nil
        deadline = nil
        inbox.close()
        isAvailable = false
    }

    private func giveUp(_ reason: String) {
        Diagnostics.warning("no state restoration: the agent cannot be used: \(reason)")
        hangUp()
        state = .closed
        timer = nil
        deadline = nil
        isAvailable = false
        failAll()
        let welcome = onWelcome
        onWelcome = nil
        welcome?(nil)
    }

    private func failAll() {
        let waiting = subscriptions
        subscriptions = [:]
        for subscription in waiting.values { subscription.lost() }
    }

    // MARK: The connection

    private func call() {
        state = .calling
        timer = nil
        switch connect() {
        case .done:
            calls.ended("connected")
            return greet()
        case .absent(let reason):
            calls.failed(reason)
            startIfDue()
        case .busy(let reason): calls.failed(reason)
        }
        // It may have been given up meanwhile.
        guard state == .calling else { return }
        timer = .timer(after: Self.callInterval) { [weak self] in self?.call() }
    }

    private enum Connecting {
        case done
        /// No agent listens.
        case absent(reason: String)
        case busy(reason: String)
    }

    private func connect() -> Connecting {
        let socket = AgentLocation.makeSocket()
        guard socket >= 0 else { return .busy(reason: String(cString: strerror(errno))) }
        let result = try? agent.location.withSocketAddress { Glibc.connect(socket, $0, $1) }
        guard result == 0 else {
            let error = errno
            Glibc.close(socket)
            let reason = String(cString: strerror(error))
            return error == EAGAIN ? .busy(reason: reason) : .absent(reason: reason)
        }
        self.socket = socket
        ExitNotice.add(socket)
        reading = .descriptor(socket, [.readable, .hangUp]) { [weak self] _ in self?.read() }
        return .done
    }

    private func startIfDue() {
        if let lastStart, lastStart.duration(to: .now) < Self.startInterval { return }
        lastStart = .now
        do {
            try agent.start(agent.location)
            starts.ended("started")
        } catch {
            starts.failed("\(error)")
            if onWelcome != nil { giveUp("\(error)") }
        }
    }

    private func greet() {
        state = .greeted
        guard let bytes = MessageCoder.encode(AppMessage.hello(registration)) else {
            return giveUp("the program's command is too long")
        }
        if PacketIO.send(bytes, to: socket) != .done { agentIsGone() }
    }

    private func hangUp() {
        reading?.cancel()
        reading = nil
        guard socket >= 0 else { return }
        ExitNotice.remove(socket)
        Glibc.close(socket)
        socket = -1
    }

    private func agentIsGone() {
        let wasReady = state == .ready
        hangUp()
        guard state != .closed else { return }
        state = .calling
        if wasReady {
            lastStart = nil
            deadline = .timer(after: Self.absenceTimeout) { [weak self] in self?.failAll() }
        }
        timer = .timer(after: Self.callInterval) { [weak self] in self?.call() }
    }

    private func send(_ message: AppMessage) {
        guard state == .ready, let bytes = MessageCoder.encode(message) else { return }
        // The agent answers every request at once; if it does not, another agent will.
        if PacketIO.send(bytes, to: socket) != .done { agentIsGone() }
    }

    private func read() {
        while socket >= 0 {
            switch PacketIO.receive(from: socket, limit: MessageCoder.maximumLength, takesDescriptor: true) {
            case .nothing: return
            case .end, .tooLong: return agentIsGone()
            case .packet(let bytes, let descriptor):
                guard let message = MessageCoder.decode(AgentMessage.self, from: bytes) else {
                    if let descriptor { Glibc.close(descriptor) }
                    return giveUp("it speaks another language")
                }
                received(message, descriptor)
            }
        }
    }

    private func received(_ message: AgentMessage, _ descriptor: Int32?) {
        switch message {
        case .welcome(let welcome):
            guard let descriptor else { return giveUp("it has sent no socket") }
            welcomed(welcome, descriptor)
            return
        case .refused(let reason): giveUp(reason)
        case .subscribed(let number, let failure): subscriptions[number]?.answered(failure)
        case .unsubscribed(let number, let failure):
            subscriptions.removeValue(forKey: number)?.ended(failure)
        }
        if let descriptor { Glibc.close(descriptor) }
    }

    private func welcomed(_ welcome: Welcome, _ descriptor: Int32) {
        state = .ready
        deadline = nil
        inbox.take(descriptor)
        nextNumber = max(nextNumber, welcome.nextSubscription)
        if let onWelcome {
            self.onWelcome = nil
            registration.isResuming = true
            return onWelcome(welcome)
        }
        // Another agent: it learns what this program has.
        for (request, isConnected) in peripherals.values {
            send(.connecting(request))
            if isConnected { send(.connected(request)) }
        }
        let known = subscriptions.values
        subscriptions = [:]
        for subscription in known { request(subscription) }
    }

    // MARK: Peripherals

    func connecting(_ request: PeripheralRequest) {
        peripherals[request.peripheral] = (request, false)
        send(.connecting(request))
    }

    func connected(_ request: PeripheralRequest) {
        peripherals[request.peripheral] = (request, true)
        send(.connected(request))
    }

    func released(_ peripheral: UUID) {
        guard peripherals.removeValue(forKey: peripheral) != nil else { return }
        send(.released(peripheral: peripheral))
    }

    /// A connection from an earlier run has ended, and the program knows it now.
    func giveBack(_ peripheral: UUID) {
        send(.released(peripheral: peripheral))
    }

    // MARK: Subscriptions

    /// Takes over a subscription from an earlier run.
    func adopt(_ subscription: AgentSubscription) {
        subscriptions[subscription.number] = subscription
    }

    /// Turns notifications on. The result goes to `subscription`.
    func request(_ subscription: AgentSubscription) {
        subscription.number = nextNumber
        nextNumber += 1
        subscriptions[subscription.number] = subscription
        inbox.expect(subscription.number, subscription.characteristic, isOn: subscription.isTurnedOn)
        send(.subscribe(subscription.request))
    }

    /// Turns them off. The result goes to `subscription`.
    func cancel(_ subscription: AgentSubscription) {
        send(.unsubscribe(subscription: subscription.number))
    }

    /// The characteristic of a subscription from an earlier run no longer exists.
    func abandon(_ number: UInt32) {
        send(.unsubscribe(subscription: number))
    }

    /// The result no longer matters.
    func forget(_ subscription: AgentSubscription) {
        subscriptions[subscription.number] = nil
    }
}
