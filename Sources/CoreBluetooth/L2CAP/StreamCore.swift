import BlueZ

/// What both streams of an L2CAP channel have in common: their status, and the events for their delegate.
///
/// An event for bytes or for room is not repeated until the program has read or written, as with all streams.
final class StreamCore: Swift.Sendable {
    private struct Values {
        weak var stream: Stream?
        weak var delegate: (any StreamDelegate)?
        var status = Stream.Status.notOpen
        var error: CBError?
        var places: [StreamSchedule] = []
        /// Those that the delegate has yet to hear of, besides bytes and room.
        var events: [Stream.Event] = []
        /// Whether the socket is asked to report that it is ready.
        var isWatched = false
        /// Whether it has, and the delegate has yet to hear of it.
        var isReady = false
        /// Whether the delegate has heard that it is ready, and the program has not read or written since.
        var isAnnounced = false
        /// What waits for the end of the stream.
        var waiting: [@Sendable () -> Void] = []

        var isOpen: Bool { status == .open }
    }

    let socket: L2CAPSocket
    private let direction: L2CAPSocket.Direction
    private let values = Locked(Values())
    private let onClose: @Sendable () -> Void
    private let other: StreamCore?

    /// - Parameters:
    ///   - other: whose end by the peer is reported first: what has come is read before the program closes both.
    ///   - onClose: called once, when the program closes the stream.
    init(
        _ socket: L2CAPSocket, _ direction: L2CAPSocket.Direction, after other: StreamCore? = nil,
        onClose: @escaping @Sendable () -> Void
    ) {
        self.socket = socket
        self.direction = direction
        self.other = other
        self.onClose = onClose
        // A program that does not write hears of the end, too.
        if direction == .sending { socket.onEnd { [weak self] in self?.socketIsReady() } }
    }

    func attach(_ stream: Stream) { values.withLock { $0.stream = stream } }

    var delegate: (any StreamDelegate)? {
        get { values.withLock { $0.delegate } }
        set { values.withLock { $0.delegate = newValue } }
    }

    var status: Stream.Status { values.withLock { $0.status } }
    var error: (any Error)? { values.withLock { $0.error } }
    /// Whether bytes can be read without waiting, or a write would not wait.
    var isReady: Bool {
        guard values.withLock({ $0.isOpen }) else { return false }
        return switch socket.readiness(for: direction) {
        case .ready: true
        case .notReady: false
        case .end: direction == .sending
        }
    }

    // MARK: Life

    func open() {
        values.withLock { values in
            guard values.status == .notOpen else { return }
            values.status = .open
            values.events.append(.openCompleted)
        }
        deliverLater()
        watch()
    }

    func close() {
        let wasClosed = values.withLock { values in
            defer {
                values.status = .closed
                values.places = []
                values.events = []
            }
            return values.status == .closed
        }
        if !wasClosed { onClose() }
        isOver()
    }

    /// The socket has ended, as the program or the delegate finds out.
    func end(_ end: L2CAPSocket.End) {
        let wasOpen = values.withLock { values in
            guard values.isOpen else { return false }
            values.error = CBError(end)
            values.status = values.error == nil ? .atEnd : .error
            return true
        }
        guard wasOpen else { return }
        if end != .closedByPeer {
            add(.errorOccurred)
        } else if other?.whenOver({ [weak self] in self?.add(.endEncountered) }) != true {
            add(.endEncountered)
        }
        isOver()
    }

    private func add(_ event: Stream.Event) {
        values.withLock { values in
            if values.status != .closed { values.events.append(event) }
        }
        deliverLater()
    }

    /// Calls `action` when the stream has ended or is closed.
    ///
    /// - Returns: false if it is not open: `action` is not called then.
    private func whenOver(_ action: @escaping @Sendable () -> Void) -> Bool {
        values.withLock { values in
            if values.isOpen { values.waiting.append(action) }
            return values.isOpen
        }
    }

    private func isOver() {
        let actions = values.withLock { values in
            defer { values.waiting = [] }
            return values.waiting
        }
        for action in actions { action() }
    }

    /// Something was to be written after the peer has closed the channel.
    func failAfterEnd() {
        values.withLock { values in
            guard values.status == .atEnd else { return }
            values.status = .error
            values.error = CBError(
                .peripheralDisconnected, userInfo: [NSLocalizedDescriptionKey: "The peer has closed the channel."])
        }
    }

    // MARK: Events

    func schedule(_ place: StreamSchedule) {
        let hasEvents = values.withLock { values in
            guard values.status != .closed else { return false }
            values.places.append(place)
            return !values.events.isEmpty || values.isReady
        }
        if hasEvents { deliverLater() }
        watch()
    }

    func unschedule(_ loop: RunLoop, _ mode: RunLoop.Mode) {
        values.withLock { $0.places.removeAll { $0.isRunLoop(loop, mode) } }
    }

    /// The program has read or written.
    func wasUsed() {
        values.withLock { $0.isAnnounced = false }
        watch()
    }

    /// Waits for the socket, if there is somebody to hear of it.
    private func watch() {
        let isToBeWatched = values.withLock { values in
            guard values.isOpen, !values.places.isEmpty, !values.isWatched, !values.isReady, !values.isAnnounced
            else { return false }
            values.isWatched = true
            return true
        }
        if isToBeWatched { socket.whenReady(for: direction) { [weak self] in self?.socketIsReady() } }
    }

    private func socketIsReady() {
        values.withLock { values in
            values.isWatched = false
            values.isReady = true
        }
        deliverLater()
    }

    private func deliverLater() {
        for place in values.withLock({ $0.places }) { place.run { [weak self] in self?.deliver() } }
    }

    private func deliver() {
        while let event = nextEvent() {
            let (stream, delegate) = values.withLock { ($0.stream, $0.delegate) }
            if let stream { delegate?.stream(stream, handle: event) }
        }
        watch()
    }

    private func nextEvent() -> Stream.Event? {
        let (event, isReady) = values.withLock { values -> (Stream.Event?, Bool) in
            if !values.events.isEmpty { return (values.events.removeFirst(), false) }
            defer { values.isReady = false }
            return (nil, values.isReady && values.isOpen)
        }
        guard isReady else { return event }
        switch socket.readiness(for: direction) {
        case .ready: return announcement()
        case .notReady: return nil
        case .end(let end):
            // What has come is read first. A program that waits for room finds out by writing.
            if end == .closedByPeer, let other, other.whenOver({ [weak self] in self?.socketIsReady() }) {
                return announcement()
            }
            self.end(end)
            return nextEvent()
        }
    }

    /// The event for bytes or room; nil if the program has not used those of the last one.
    private func announcement() -> Stream.Event? {
        let isNew = values.withLock { values in
            defer { values.isAnnounced = true }
            return !values.isAnnounced
        }
        guard isNew else { return nil }
        return direction == .receiving ? .hasBytesAvailable : .hasSpaceAvailable
    }
}

extension CBError {
    /// What the end of a channel is for the program; nil for an end in order.
    fileprivate init?(_ end: L2CAPSocket.End) {
        switch end {
        case .closedByPeer: return nil
        case .closedHere:
            self.init(.notConnected, userInfo: [NSLocalizedDescriptionKey: "The channel was closed."])
        case .timedOut: self.init(.connectionTimeout)
        case .linkLost(let reason):
            self.init(.peripheralDisconnected, userInfo: [NSLocalizedDescriptionKey: "The link was lost: \(reason)"])
        case .overrun:
            self.init(
                .outOfSpace,
                userInfo: [
                    NSLocalizedDescriptionKey:
                        "What the peer sent was not read in time and is lost: this kernel (before Linux 6.10) does not "
                        + "hold the peer back."
                ])
        }
    }
}
