import DBus
package import MainLoop

/// The pairing agent of this process, shared by all clients of a session. Without an agent, bluetoothd refuses to pair.
///
/// Without a ``PairingResponder`` it has no input and no output, so that pairing is "Just Works", as for an app on a
/// device that never asks its user. bluetoothd takes one agent of each program, with one capability: the last
/// responder's counts for all.
@LoopActor
package final class SharedPairingAgent {
    private struct Settings: Hashable {
        var capability = PairingCapability.noInputNoOutput
        var isDefault = true
    }

    private weak var session: BlueZSession?
    private let agent = PairingAgent()
    private var observation: Registration?
    private var registration: Task<Void, Never>?
    private var registered = Settings()
    private var onRefusal: (@Sendable (any Error) -> Void)?
    private var responders: [(key: Int, responder: PairingResponder)] = []
    private var nextKey = 0

    init(_ session: BlueZSession) {
        self.session = session
        agent.onStep = { [weak self] path, step in
            guard let session = self?.session, let device = session.device(at: path) else { return }
            session.send(.pairing(device, step))
        }
        agent.onQuestion = { [weak self] path, question in
            guard let self, let device = self.session?.device(at: path) else { return false }
            return respondersInTurn.contains { $0.answer(device, question) }
        }
        agent.onDisplay = { [weak self] path, passkey in
            guard let self, let device = self.session?.device(at: path) else { return }
            _ = respondersInTurn.contains { $0.display(device, passkey) }
        }
    }

    private var respondersInTurn: [PairingResponder] { responders.reversed().map(\.responder) }

    private var settings: Settings {
        guard let last = responders.last?.responder else { return Settings() }
        return Settings(capability: last.capability, isDefault: last.answersAll)
    }

    /// Lets `responder` answer until the registration is cancelled or released. The last one is asked first.
    package func add(_ responder: PairingResponder) -> Registration {
        nextKey += 1
        let key = nextKey
        responders.append((key, responder))
        settingsChanged()
        return Registration { [weak self] in
            self?.responders.removeAll { $0.key == key }
            self?.settingsChanged()
        }
    }

    private func settingsChanged() {
        if registration != nil, settings != registered { registerAnew() }
    }

    /// Registers the agent unless it is registered. To be called whenever a manager is powered on, because a bluetoothd
    /// that was restarted does not know the agent.
    ///
    /// - Parameter onRefusal: called if bluetoothd refuses the agent, with the reason.
    /// - Returns: a task that ends when bluetoothd has the agent, or has refused it.
    @discardableResult
    package func register(onRefusal: @escaping @Sendable (any Error) -> Void) -> Task<Void, Never> {
        guard let session else { return Task {} }
        if observation == nil {
            observation = session.observe { [weak self] event in
                if case .stateChanged(let state) = event, state != .available { self?.registration = nil }
            }
        }
        if let registration { return registration }
        self.onRefusal = onRefusal
        return registerAnew()
    }

    /// What is under way is done first.
    @discardableResult
    private func registerAnew() -> Task<Void, Never> {
        let settings = settings
        registered = settings
        let task = Task { [agent, weak session, former = registration, onRefusal] in
            await former?.value
            guard let session else { return }
            do {
                if former != nil {
                    await session.adaptersBecome(pairable: true)
                    await agent.unregister()
                    await session.adaptersBecome(pairable: false)
                }
                try await agent.register(with: session, settings.capability, isDefault: settings.isDefault)
            } catch {
                onRefusal?(error)
            }
        }
        registration = task
        return task
    }

    /// Returns when bluetoothd has the agent as it is to be, or has refused it.
    package func waitUntilRegistered() async { await registration?.value }
}

extension BlueZSession {
    /// How long bluetoothd may take to change what an agent makes it change; and how long this waits in vain where
    /// another program has an agent.
    private static let pairableTime: Duration = .milliseconds(500)

    /// Waits until all controllers let devices keep the keys of a pairing, or none does.
    ///
    /// bluetoothd (5.66, `set_mode` in src/adapter.c) sets that only if it is not so, as far as it knows from the
    /// kernel. When an agent comes or goes before it has heard of the last change, it stays as it is, and keys are lost
    /// with the link.
    fileprivate func adaptersBecome(pairable: Bool) async {
        let isSo = { @LoopActor [weak self] in
            self?.adapters.allSatisfy { ($0.properties[Adapter1.pairable] ?? pairable) == pairable } ?? true
        }
        if isSo() { return }
        let outcome = FirstOutcome<Void>()
        let observation = observe { event in
            if case .adapterChanged = event, isSo() { outcome.report() }
        }
        await outcome.wait(within: Self.pairableTime)
        observation.cancel()
    }
}

extension PairingAgent {
    /// Registers the agent with the bluetoothd of a session: see ``register(on:_:isDefault:)``.
    package func register(
        with session: BlueZSession, _ capability: PairingCapability = .noInputNoOutput, isDefault: Bool = true
    ) async throws {
        guard let connection = session.connection else { throw BlueZError.notRunning }
        try await register(on: connection, capability, isDefault: isDefault)
    }
}
