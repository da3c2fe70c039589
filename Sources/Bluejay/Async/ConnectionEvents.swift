/// What a connection observer is told.
public enum ConnectionEvent: Hashable, Swift.Sendable {
    /// Bluetooth can be used, or no longer.
    case bluetoothAvailable(Bool)
    /// A peripheral is connected.
    case connected(PeripheralIdentifier)
    /// The peripheral is no longer connected, or the attempt to connect failed. Does not come when Bluetooth went off.
    case disconnected(PeripheralIdentifier)
}

/// The comings and goings of Bluetooth and the connection, as a sequence; see ``Bluejay/connectionEvents``.
public struct ConnectionEvents: AsyncSequence, Swift.Sendable {
    /// What an observer is told.
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

    /// Observes from its creation until the last copy goes.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let relay: ConnectionEventRelay

        /// The next event; nil at the end, or when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ConnectionEvent? {
            try? await relay.buffer.next()
        }

        /// The same for callers that do not say where they run.
        public mutating func next() async -> ConnectionEvent? {
            await next(isolation: nil)
        }
    }
}

/// A connection observer that passes on what it is told.
final class ConnectionEventRelay: ConnectionObserver, Swift.Sendable {
    let buffer = AsyncBuffer<ConnectionEvent>(.unbounded)

    func bluetoothAvailable(_ available: Bool) { buffer.append(.bluetoothAvailable(available)) }
    func connected(to peripheral: PeripheralIdentifier) { buffer.append(.connected(peripheral)) }
    func disconnected(from peripheral: PeripheralIdentifier) { buffer.append(.disconnected(peripheral)) }

    func finish() { buffer.close() }

    /// The instance forgets its observers: ends the sequences among them.
    static func finish(among observers: [any ConnectionObserver]) {
        for case let relay as ConnectionEventRelay in observers { relay.finish() }
    }
}

extension Bluejay {
    /// Whether Bluetooth is available, and which peripheral is connected.
    ///
    ///     for await event in bluejay.connectionEvents where event == .bluetoothAvailable(true) { break }
    ///
    /// Every loop gets all events from its beginning on, and first, once started, how things stand. It ends when it is
    /// left, when the task is cancelled, at ``stopAndExtractBluetoothState()``, and with the instance, which it does not
    /// keep alive. What happens while the loop is busy is kept until it asks.
    public var connectionEvents: ConnectionEvents { ConnectionEvents(self) }
}
