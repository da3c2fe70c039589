import MainLoop
import Synchronization

/// The values that the agent has for a central manager.
///
/// A value stays in the socket until the manager's queue has come to it, and is taken out when the delegate is called.
/// So what the program has not begun to handle when it dies is still there for its next run.
final class RestorationInbox: Swift.Sendable {
    fileprivate struct Target {
        let characteristic: CBCharacteristic
        /// Whether the app knows that notifications are on: no value may come before.
        var isOn: Bool
    }

    fileprivate struct State {
        var targets: [UInt32: Target] = [:]
        /// The sockets, the oldest first: the values of an agent that has ended come before those of the next one.
        var sockets: [Int32] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let delegateQueue: DelegateQueue
    // Only the loop touches it.
    private nonisolated(unsafe) var watch: LoopSource?
    private nonisolated(unsafe) var isStarted = false

    /// How many values are delivered before other events get their turn.
    private static let valuesPerTurn = 64

    /// - Parameter delegateQueue: the manager's.
    init(delegateQueue: DelegateQueue) {
        self.delegateQueue = delegateQueue
    }

    deinit {
        state.withLock { for socket in $0.sockets { Glibc.close(socket) } }
    }

    // MARK: On the loop

    /// Takes over the socket of an agent.
    @LoopActor
    func take(_ socket: Int32) {
        let isTaken = state.withLock { state in
            if state.isClosed { return false }
            state.sockets.append(socket)
            return true
        }
        guard isTaken else { return _ = Glibc.close(socket) }
        arm()
    }

    /// Starts delivering values.
    @LoopActor
    func start() {
        isStarted = true
        arm()
    }

    /// Values of this number belong to this characteristic.
    @LoopActor
    func expect(_ number: UInt32, _ characteristic: CBCharacteristic, isOn: Bool) {
        state.withLock { $0.targets[number] = Target(characteristic: characteristic, isOn: isOn) }
    }

    /// The app knows that notifications are on, or learns it before anything that is posted later.
    @LoopActor
    func turnOn(_ number: UInt32) {
        delegateQueue.post { [self] in state.withLock { $0.targets[number]?.isOn = true } }
        arm()
    }

    /// Delivers what is there, and then nothing more of this characteristic.
    @LoopActor
    func close(_ characteristic: CBCharacteristic) {
        delegateQueue.post { [self] in
            while deliverNext() {}
            state.withLock { state in
                state.targets = state.targets.filter { $0.value.characteristic !== characteristic }
            }
        }
        arm()
    }

    /// Delivers nothing more.
    @LoopActor
    func close() {
        watch?.cancel()
        watch = nil
        let sockets = state.withLock { state in
            state.isClosed = true
            state.targets = [:]
            defer { state.sockets = [] }
            return state.sockets
        }
        for socket in sockets { Glibc.close(socket) }
    }

    @LoopActor
    private func arm() {
        guard isStarted, watch == nil, let socket = state.withLock({ $0.sockets.first }) else { return }
        watch = .descriptor(socket, .readable) { [weak self] _ in
            guard let self else { return }
            watch?.cancel()
            watch = nil
            delegateQueue.post { [weak self] in self?.deliver() }
        }
    }

    // MARK: On the manager's queue

    private func deliver() {
        var count = 0
        while count < Self.valuesPerTurn, deliverNext() { count += 1 }
        // When the next value has to wait for the app, whoever lets it go arms again.
        if state.withLock({ $0.isBlocked }) { return }
        MainLoop.shared.async { [weak self] in self?.arm() }
    }

    /// Takes one value out of the socket and calls the delegate with it.
    ///
    /// - Returns: whether there was one that could be delivered.
    private func deliverNext() -> Bool {
        let next: (CBCharacteristic, Data)?? = state.withLock { state in
            while let socket = state.sockets.first {
                switch state.next(from: socket) {
                case .value(let characteristic, let value): return .some((characteristic, value))
                case .unknown: return .some(nil)
                case .blocked: return nil
                case .nothing:
                    guard state.sockets.count > 1 else { return nil }
                    Glibc.close(state.sockets.removeFirst())
                case .end: Glibc.close(state.sockets.removeFirst())
                }
            }
            return nil
        }
        guard let next else { return false }
        guard let (characteristic, value) = next, let peripheral = characteristic.service?.peripheral else {
            return true
        }
        characteristic.value = value
        peripheral.delegate?.peripheral(peripheral, didUpdateValueFor: characteristic, error: nil)
        return true
    }
}

extension RestorationInbox.State {
    fileprivate enum Next {
        case value(CBCharacteristic, Data)
        /// A value that nobody waits for.
        case unknown
        /// A value that the app must not get yet.
        case blocked
        case nothing
        case end
    }

    /// Whether the next value has to wait.
    fileprivate var isBlocked: Bool {
        guard let socket = sockets.first, let number = PacketIO.peekNumber(socket) else { return false }
        return targets[number].map { !$0.isOn } ?? false
    }

    fileprivate mutating func next(from socket: Int32) -> Next {
        if isBlocked { return .blocked }
        switch PacketIO.receive(from: socket, limit: ValueFrame.maximumLength) {
        case .nothing: return .nothing
        case .end: return .end
        case .tooLong: return .unknown
        case .packet(let bytes, _):
            guard let frame = ValueFrame(bytes: bytes), let target = targets[frame.subscription] else {
                return .unknown
            }
            return .value(target.characteristic, frame.value)
        }
    }
}

extension PacketIO {
    /// The number of the subscription that the next value belongs to; it stays in the socket.
    fileprivate static func peekNumber(_ socket: Int32) -> UInt32? {
        var bytes: (UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0)
        let count = recv(socket, &bytes, 4, 0x02 | 0x40)  // MSG_PEEK, MSG_DONTWAIT
        guard count == 4 else { return nil }
        return UInt32(bytes.0) << 24 | UInt32(bytes.1) << 16 | UInt32(bytes.2) << 8 | UInt32(bytes.3)
    }
}
