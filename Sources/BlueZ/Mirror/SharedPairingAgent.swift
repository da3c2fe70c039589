import DBus
package import MainLoop

/// The pairing agent of this process, shared by all clients of a session. Without an agent, bluetoothd refuses to pair.
///
/// It has no input and no output, so that pairing is "Just Works", as for an app on a device that never asks its user.
@LoopActor
package final class SharedPairingAgent {
    private weak var session: BlueZSession?
    private let agent = PairingAgent()
    private var observation: Registration?
    private var registration: Task<Void, Never>?

    init(_ session: BlueZSession) {
        self.session = session
        agent.onAnswer = { [weak session] path, answer in
            guard let session, let device = session.device(at: path) else { return }
            session.send(.pairing(device, answer))
        }
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
        let task = Task { [agent, session] in
            do {
                try await agent.register(with: session)
            } catch {
                onRefusal(error)
            }
        }
        registration = task
        return task
    }
}

extension PairingAgent {
    /// Registers the agent with the bluetoothd of a session: see ``register(on:)``.
    package func register(with session: BlueZSession) async throws {
        guard let connection = session.connection else { throw BlueZError.notRunning }
        try await register(on: connection)
    }
}
