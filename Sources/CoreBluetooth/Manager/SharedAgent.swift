import BlueZ
import DBus

/// The pairing agent of this process, which both roles share: without one bluetoothd refuses to pair.
///
/// It has no input and no output, so that pairing is "Just Works", as for an app on a device that never asks its user.
@BusActor
final class SharedAgent {
    static let shared = SharedAgent()

    private let agent = PairingAgent()
    private var observation: Registration?
    private var registration: Task<Void, Never>?

    /// Registers the agent unless that is done. To be called whenever a manager is powered on; a bluetoothd that was started
    /// anew knows nothing of it.
    ///
    /// - Returns: a task that ends when bluetoothd has the agent, or has refused it.
    @discardableResult
    func register(with session: BlueZSession = .shared) -> Task<Void, Never> {
        if observation == nil {
            observation = session.observe { [weak self] event in
                if case .stateChanged(let state) = event, state != .available { self?.registration = nil }
            }
        }
        if let registration { return registration }
        let task = Task { [agent] in
            do {
                try await agent.register(with: session)
            } catch {
                Diagnostics.warning("no pairing: bluetoothd refuses the agent: \(error)")
            }
        }
        registration = task
        return task
    }
}
