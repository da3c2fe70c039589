/// What a connection observer receives.
public enum ConnectionEvent: Hashable, Swift.Sendable {
    /// Bluetooth has become available or unavailable.
    case bluetoothAvailable(Bool)
    /// A peripheral is connected.
    case connected(PeripheralIdentifier)
    /// The peripheral has disconnected, or the attempt to connect has failed. Not reported when Bluetooth was switched
    /// off.
    case disconnected(PeripheralIdentifier)
}

/// Changes of Bluetooth and of the connection, as a sequence; see ``Bluejay/connectionEvents``.
public struct ConnectionEvents: AsyncSequence, Swift.Sendable {
    /// What an observer receives.
    public typealias Element = ConnectionEvent
    /// The loop never fails.
    public typealias Failure = Never

    private let bluejay: WeakReference

    init(_ bluejay: Bluejay) {
        self.bluejay = WeakReference(bluejay)
    }

    /// Begins to observe.
    public func makeAsyncIterator() -> Iterator {
        let relay = ConnectionEventRelay()
        MainQueue.run { @Sendable [bluejay] in
            guard let bluejay = bluejay.object as? Bluejay else { return relay.finish() }
            bluejay.register(connectionObserver: relay)
        }
        return Iterator(relay: relay)
    }

    /// Observes from its creation until the last copy is released.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let relay: ConnectionEventRelay

        /// The next event; nil at the end, or when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ConnectionEvent? {
            try? await relay.buffer.next()
        }

        /// The same for callers that do not pass their actor.
        public mutating func next() async -> ConnectionEvent? {
            await next(isolation: nil)
        }
    }
}

/// A connection observer that adds events to a buffer.
final class ConnectionEventRelay: ConnectionObserver, Swift.Sendable {
    let buffer = AsyncBuffer<ConnectionEvent>(.unbounded)

    func bluetoothAvailable(_ available: Bool) { buffer.append(.bluetoothAvailable(available)) }
    func connected(to peripheral: PeripheralIdentifier) { buffer.append(.connected(peripheral)) }
    func disconnected(from peripheral: PeripheralIdentifier) { buffer.append(.disconnected(peripheral)) }

    func finish() { buffer.close() }

    /// Ends the sequences among an instance's observers, because the instance removes them.
    static func finish(among observers: [any ConnectionObserver]) {
        for case let relay as ConnectionEventRelay in observers { relay.finish() }
    }
}

extension Bluejay {
    /// Whether Bluetooth is available, and which peripheral is connected.
    ///
    ///     for await event in bluejay.connectionEvents where event == .bluetoothAvailable(true) { break }
    ///
    /// Each loop receives all events from its beginning on. After ``start(mode:)``, it first receives the current
    /// state. It ends when the program leaves it, when the task is cancelled, at ``stopAndExtractBluetoothState()``,
    /// and when the Bluejay instance is released, which the loop does not retain. Events wait while the loop is busy.
    public var connectionEvents: ConnectionEvents { ConnectionEvents(self) }
}
