import LayerLog
import MainLoop
package import RestorationProtocol

/// Where the restoration agent of a program is, and how it is started.
package struct AgentAccess: Swift.Sendable {
    package var location: AgentLocation
    package var start: @Sendable (AgentLocation) throws -> Void
    /// How long a program waits for the agent at its start. Then it begins without.
    package var timeout: Duration

    package init(
        location: AgentLocation = AgentLocation(), timeout: Duration = Self.timeout(),
        start: @escaping @Sendable (AgentLocation) throws -> Void = { try AgentStarter.start($0) }
    ) {
        self.location = location
        self.timeout = timeout
        self.start = start
    }

    /// A program that the agent has started waits for what the agent has to restore. Another one waits as long as an
    /// agent takes that was started a moment ago and looks for the links that it has kept.
    package static func timeout(
        in environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Duration {
        LaunchEnvironment.options(in: environment) == nil ? .seconds(6) : .seconds(20)
    }
}

/// What a connection to the agent reports.
@LoopActor
protocol AgentConnectionOwner: AnyObject {
    /// The program is registered, the first time or with another agent.
    ///
    /// - Parameter values: the socket with the values, which is the owner's now.
    func welcomed(_ welcome: Welcome, values: Int32)
    func received(_ message: AgentMessage)
    /// The agent has ended. Another one is called.
    func agentIsGone()
    /// No agent has come for long. It is still called.
    func agentStaysAway()
    /// The agent has not answered at the program's start, which is to begin without. It is still called; what it has to
    /// restore is forgotten when it answers.
    func agentIsLate()
    /// There is no agent that can be used, and none is called any longer.
    func agentIsOfNoUse()
}

/// The connection of one manager to the restoration agent.
///
/// It survives the agent: when the agent has ended, another is started.
@LoopActor
final class AgentConnection {
    private enum State {
        case closed
        /// The agent does not run yet, or no longer runs.
        case calling
        /// The agent has been greeted and has not answered.
        case greeted
        case ready
    }

    weak var owner: (any AgentConnectionOwner)?

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
    private var wasWelcomed = false

    /// How long what needs an agent waits for another one when the agent has ended.
    private static let absenceTimeout: Duration = .seconds(20)
    private static let callInterval: Duration = .milliseconds(50)
    /// After this long without an answer another agent is started.
    private static let startInterval: Duration = .seconds(3)

    nonisolated init(_ registration: AppRegistration, at agent: AgentAccess) {
        self.registration = registration
        self.agent = agent
    }

    /// Registers with the agent. The owner is informed of the welcome, or that there is no agent.
    func open() {
        deadline = .timer(after: agent.timeout) { [weak self] in self?.agentIsLate() }
        call()
    }

    /// The program begins now. To an agent that answers later it is one that has its own state.
    private func agentIsLate() {
        Diagnostics.warning("the restoration agent did not answer; starting without restored state")
        deadline = nil
        registration.isResuming = true
        if state == .greeted {
            hangUp()
            call()
        }
        owner?.agentIsLate()
    }

    /// The program does without the agent.
    func giveUp() {
        end()
        owner?.agentIsOfNoUse()
    }

    /// The program no longer needs the agent. Nothing will be restored.
    func close() {
        send(.goodbye)
        end()
    }

    private func end() {
        hangUp()
        state = .closed
        timer = nil
        deadline = nil
    }

    private func giveUp(_ reason: String) {
        Diagnostics.warning("no state restoration: the agent cannot be used: \(reason)")
        end()
        owner?.agentIsOfNoUse()
    }

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
            if !wasWelcomed { giveUp("\(error)") }
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
            deadline = .timer(after: Self.absenceTimeout) { [weak self] in self?.owner?.agentStaysAway() }
        }
        timer = .timer(after: Self.callInterval) { [weak self] in self?.call() }
        if wasReady { owner?.agentIsGone() }
    }

    /// Sends a message, unless there is no agent: the next one learns what the program has by other means.
    func send(_ message: AppMessage) {
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
                    return giveUp("it uses another protocol version")
                }
                received(message, descriptor)
            }
        }
    }

    private func received(_ message: AgentMessage, _ descriptor: Int32?) {
        switch message {
        case .welcome(let welcome):
            guard let descriptor else { return giveUp("it sent no socket") }
            state = .ready
            deadline = nil
            wasWelcomed = true
            registration.isResuming = true
            owner?.welcomed(welcome, values: descriptor)
            return
        case .refused(let reason): giveUp(reason)
        default: owner?.received(message)
        }
        if let descriptor { Glibc.close(descriptor) }
    }
}
