import BlueZ
import MainLoop

/// A characteristic whose notifications the app wants.
@LoopActor
final class Subscription {
    let remote: RemoteCharacteristic
    /// Delivers values to the app, in their order.
    private let deliver: @LoopActor ([Data]) -> Void
    /// Reports what the socket has lost, not more often than the app can use it.
    private let losses: LossReports
    private var socket: PacketSocket?
    /// The agent's part, when it is the agent that turns notifications on: it delivers the values, too.
    private let agent: AgentSubscription?
    /// Values that came before the app was told that notifications are on.
    private var early: [Data]? = []
    /// bluetoothd tells the value that a read yields like a notification, just before it answers the read. So while a
    /// read is under way the last value is held back until it is clear which of the two it was.
    private var isReading = false
    private var held: Data?

    /// - Parameters:
    ///   - deliver: called with values, in their order.
    ///   - lost: called when values were lost, or may have been.
    init(
        _ remote: RemoteCharacteristic, deliver: @escaping @LoopActor ([Data]) -> Void,
        lost: @escaping @LoopActor (PacketLoss) -> Void
    ) {
        self.remote = remote
        self.deliver = deliver
        losses = LossReports(lost)
        agent = nil
    }

    /// A subscription that the restoration agent makes, or has made for an earlier run of the program.
    init(_ remote: RemoteCharacteristic, agent: AgentSubscription) {
        self.remote = remote
        self.agent = agent
        deliver = { _ in }
        losses = LossReports { _ in }
    }

    func start(usingSocket: Bool, completion: @escaping @LoopActor (Result<Void, any Error>) -> Void) {
        if let agent { return agent.start(completion: completion) }
        // bluetoothd has no sockets for indications.
        guard usingSocket, remote.flags.contains(.notify) else { return startSignals(completion) }
        remote.acquireNotify { [weak self] result in
            switch result {
            case .success(let socket): completion(Result { try self?.listen(to: socket) })
            // Another program has turned notifications on already, or this bluetoothd has no sockets.
            case .failure(BlueZError.acquired), .failure(BlueZError.notSupported), .failure(BlueZError.att(0x06)):
                self?.startSignals(completion)
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    private func listen(to socket: PacketSocket) throws(BlueZError) {
        try socket.receive({ [weak self] in self?.received($0) }, onLoss: { [weak self] in self?.losses.add($0) })
        self.socket = socket
    }

    private func startSignals(_ completion: @escaping @LoopActor (Result<Void, any Error>) -> Void) {
        remote.onValue = { [weak self] in self?.received([$0]) }
        remote.startNotify(completion: completion)
    }

    func stop(completion: @escaping @LoopActor (Result<Void, any Error>) -> Void) {
        if let agent { return agent.stop(completion: completion) }
        if let socket {
            // Closing it is what turns notifications off.
            socket.close()
            self.socket = nil
            losses.end()
            return MainLoop.shared.async { completion(.success(())) }
        }
        remote.stopNotify(completion: completion)
    }

    /// The app has been told that notifications are on.
    func isOn() {
        agent?.turnedOn()
        let values = early ?? []
        early = nil
        if !values.isEmpty { deliver(values) }
    }

    /// Delivers what the peripheral has sent so far, and nothing any more.
    func end() {
        agent?.end()
        remote.onValue = nil
        // The bus may be quicker to report the end of the connection than the socket to hand on its last values.
        socket?.finish()
        socket = nil
        losses.end()
        early = nil
        held = nil
    }

    func readBegins() {
        isReading = socket == nil && agent == nil
    }

    /// - Parameter value: what the read yielded; nil when it failed.
    func readEnds(with value: Data?) {
        isReading = false
        guard let held else { return }
        self.held = nil
        if held != value { deliver([held]) }
    }

    private func received(_ values: [Data]) {
        if early != nil {
            early?.append(contentsOf: values)
        } else if isReading {
            let known = (held.map { [$0] } ?? []) + values
            held = known.last
            if known.count > 1 { deliver(known.dropLast()) }
        } else {
            deliver(values)
        }
    }
}
