/// The link to the one peripheral: whether there is one, whether its end was requested, and whether to reconnect.
///
/// A pure state machine: each event is a call, and its result is the effects that the owner has to carry out. The
/// machine calls nothing, keeps no time and knows no queue.
///
///     idle ── attemptStarted ──▶ connecting ── didConnect ──▶ connected
///      ▲                             │                            │
///      └── finish ── ending ◀────────┴──────── linkEnded ─────────┘
///
/// Between the end of a link and its last report to the program the state is `ending`. If a background task is running,
/// that lasts until the task has ended.
struct LinkMachine<Attempt: AnyObject, Connection: AnyObject> {
    typealias Effect = LinkEffect<Attempt, Connection>
    typealias Step = LinkStep<Connection>

    private enum State {
        case idle
        case connecting(PendingLink)
        case connected(EstablishedLink)
        case ending(isRequested: Bool)
    }

    private struct PendingLink {
        let attempt: Attempt
        let peripheral: PeripheralIdentifier
        /// Whether the attempt continues one of an earlier run of the program.
        let isRestoration: Bool
        /// Whether the program has asked for the end.
        var isEndRequested = false
        var isTimedOut = false
        /// Why the attempt was given up; nil while it is under way.
        var failure: (any Error)?
    }

    private struct EstablishedLink {
        let connection: Connection
        let peripheral: PeripheralIdentifier
        /// Whether the program has asked for the end.
        var isEndRequested = false
    }

    private var state = State.idle
    /// The reports about a link that ended during a background task.
    private var postponed: [Effect] = []
    /// How long an automatic reconnection may take.
    private var reconnectTimeout = Timeout.none
    /// Whether the peripheral is connected again after an unexpected end of the link.
    private(set) var shouldReconnect = true
}

// What the link is.
extension LinkMachine {
    /// The attempt to connect that is under way, also one that is being given up.
    var attempt: Attempt? {
        if case .connecting(let pending) = state { pending.attempt } else { nil }
    }

    /// The connection, also one that is being ended.
    var connection: Connection? {
        if case .connected(let link) = state { link.connection } else { nil }
    }

    /// Whether there is neither a connection nor an attempt to connect.
    var isAbsent: Bool {
        attempt == nil && connection == nil
    }

    /// Whether the end of the link was requested. True until the end has been reported.
    var isDisconnecting: Bool {
        switch state {
        case .idle: false
        case .connecting(let pending): pending.isEndRequested
        case .connected(let link): link.isEndRequested
        case .ending(let isRequested): isRequested
        }
    }
}

// Connecting.
extension LinkMachine {
    /// The program asks for a connection. The request may still be refused.
    mutating func connectionRequested(timeout: Timeout) {
        reconnectTimeout = timeout
    }

    /// Bluejay has taken over a connection that was made elsewhere.
    mutating func adopted(_ connection: Connection, to peripheral: PeripheralIdentifier) {
        state = .connected(EstablishedLink(connection: connection, peripheral: peripheral))
        shouldReconnect = true
    }

    /// An attempt has reached the head of the queue.
    mutating func attemptStarted(
        _ attempt: Attempt, to peripheral: PeripheralIdentifier, isRestoration: Bool
    ) -> [Effect] {
        state = .connecting(PendingLink(attempt: attempt, peripheral: peripheral, isRestoration: isRestoration))
        return [.connect(attempt)]
    }

    /// The timeout of an attempt has expired.
    mutating func attemptTimedOut(_ attempt: Attempt) -> [Effect] {
        guard case .connecting(var pending) = state, pending.attempt === attempt, pending.failure == nil
        else { return [] }
        let error = BluejayError.connectionTimedOut
        pending.isTimedOut = true
        pending.failure = error
        state = .connecting(pending)
        // What waits behind the attempt fails with it. What is queued later does not.
        return [.failOperations(error), .cancelAttempt(attempt)]
    }

    /// An attempt was failed along with other operations.
    mutating func attemptCancelled(_ attempt: Attempt, _ error: any Error) -> [Effect] {
        guard case .connecting(var pending) = state, pending.attempt === attempt, pending.failure == nil
        else { return [] }
        pending.failure = error
        state = .connecting(pending)
        return [.cancelAttempt(attempt)]
    }

    /// The task that asked for a connection no longer waits for it. The attempt is cancelled next.
    mutating func attemptAbandoned(_ attempt: Attempt) {
        guard case .connecting(let pending) = state, pending.attempt === attempt, pending.failure == nil
        else { return }
        requestEnd()
    }

    /// The system has connected.
    ///
    /// - Parameter connection: creates the connection. Not called if the connection is ignored.
    mutating func didConnect(
        _ peripheral: PeripheralIdentifier, _ connection: @autoclosure () -> Connection
    ) -> [Effect] {
        guard case .connecting(let pending) = state, pending.peripheral == peripheral else {
            return [.log("Ignored a connection to \(peripheral.description), which was not requested")]
        }
        // The attempt was given up, so its cancellation at the system ends this connection.
        guard pending.failure == nil, !pending.isEndRequested else { return [] }
        let connection = connection()
        adopted(connection, to: peripheral)
        return [.completeAttempt(pending.attempt), .reportConnected(connection)]
    }
}

// Ending at the request of the program.
extension LinkMachine {
    /// A disconnect is accepted.
    mutating func disconnectRequested(immediate: Bool) -> [Effect] {
        guard immediate else {
            shouldReconnect = false
            return []
        }
        // First, so that completions that fail see the disconnect under way.
        requestEnd()
        let error = BluejayError.explicitDisconnect
        guard let connection else { return [.failEverything(error, atOnce: false)] }
        return [.broadcast(error, connection), .failEverything(error, atOnce: false), .resume(.drop(connection))]
    }

    /// A disconnect has reached the head of the queue.
    mutating func disconnectStarted() -> [Effect] {
        guard let connection else { return [] }
        requestEnd()
        return [.broadcast(BluejayError.explicitDisconnect, connection), .cancelConnection(connection)]
    }

    /// A queued disconnect was withdrawn before its turn.
    mutating func disconnectWithdrawn() {
        // Not if another disconnect is under way.
        if connection != nil, !isDisconnecting { shouldReconnect = true }
    }

    /// The program cancels everything. An attempt to connect is always given up.
    mutating func cancelled(_ error: any Error, shouldDisconnect: Bool) -> [Effect] {
        guard let connection else {
            if attempt != nil { requestEnd() }
            return [.failEverything(error, atOnce: false)]
        }
        var effects: [Effect] = [.broadcast(error, connection), .failEverything(error, atOnce: false)]
        if shouldDisconnect { effects.append(.resume(.disconnect(connection, error))) }
        return effects
    }

    /// The program stops Bluejay. This is not allowed during an attempt to connect.
    mutating func stopped() -> [Effect] {
        cancelled(BluejayError.stopped, shouldDisconnect: false) + [.resume(.stop)]
    }

    private mutating func requestEnd() {
        shouldReconnect = false
        switch state {
        case .connecting(var pending):
            pending.isEndRequested = true
            state = .connecting(pending)
        case .connected(var link):
            link.isEndRequested = true
            state = .connected(link)
        case .idle, .ending: break
        }
    }
}

// Ending for any reason.
extension LinkMachine {
    /// The system reports that a connection has ended or an attempt has failed.
    ///
    /// - Parameters:
    ///   - error: the system's reason; nil for a requested end.
    ///   - isTaskRunning: whether a background task is running.
    mutating func linkEnded(
        _ peripheral: PeripheralIdentifier, _ error: (any Error)?, isTaskRunning: Bool
    ) -> [Effect] {
        let isRequested = isDisconnecting
        let closing: [Effect]
        let reports: [Effect]
        switch state {
        case .connecting(let pending) where pending.peripheral == peripheral:
            shouldReconnect = !isRequested && !pending.isTimedOut && !pending.isRestoration
            closing = closingEffects(of: pending, isExpected: !shouldReconnect)
            let failure = pending.failure ?? BluejayError.unexpectedDisconnect
            // The observers do not know about an attempt that continues one of an earlier run.
            reports =
                reportEffects(of: peripheral, error, isSilent: pending.isRestoration)
                + [.reportFailure(of: pending.attempt, failure)]
        case .connected(let link) where link.peripheral == peripheral:
            shouldReconnect = !isRequested
            closing = closingEffects(of: link.connection, isExpected: isRequested)
            reports = reportEffects(of: peripheral, error, isSilent: false)
        default:
            return [.log("Ignored a disconnect of \(peripheral.description), which is not in use")]
        }
        state = .ending(isRequested: isRequested)
        let cleanUp = reports + [.resume(.finish(peripheral))]
        if isTaskRunning { postponed = cleanUp }
        return closing + [.interruptTask(BluejayError.notConnected)] + (isTaskRunning ? [] : cleanUp)
    }

    private func closingEffects(of pending: PendingLink, isExpected: Bool) -> [Effect] {
        [
            .release(nil),
            .failSignalStrengthReads(isExpected ? BluejayError.explicitDisconnect : .notConnected),
            .closeAttempt(pending.attempt),
            // What waited when the attempt was given up fails with it. What was queued later stays.
            pending.failure == nil ? .failOperations(BluejayError.unexpectedDisconnect) : .failPendingFailures,
        ]
    }

    private func closingEffects(of connection: Connection, isExpected: Bool) -> [Effect] {
        let reason = isExpected ? BluejayError.explicitDisconnect : .notConnected
        var effects: [Effect] = [.release(connection)]
        if !isExpected { effects += [.broadcast(reason, connection), .failOperations(reason)] }
        effects += [
            .endListeners(reason, connection), .failSignalStrengthReads(reason), .closeDisconnect,
            .failOperationsOnConnection(BluejayError.explicitDisconnect),
        ]
        return effects
    }

    /// The reports to the program, in the order that programs rely on.
    private func reportEffects(
        of peripheral: PeripheralIdentifier, _ error: (any Error)?, isSilent: Bool
    ) -> [Effect] {
        let observers: [Effect] = isSilent ? [] : [.reportDisconnected(peripheral), .askHandler(peripheral, error)]
        return observers + [.completeDisconnect(.disconnected(peripheral))]
    }

    /// The system has not confirmed a cancellation in time. Without this, a lost confirmation would block everything
    /// forever.
    mutating func confirmationTimedOut(_ peripheral: PeripheralIdentifier, isTaskRunning: Bool) -> [Effect] {
        [.log("The system has not confirmed the disconnect; continuing without the confirmation")]
            + linkEnded(peripheral, nil, isTaskRunning: isTaskRunning)
    }

    /// The disconnect handler has answered.
    mutating func handlerAnswered(_ answer: AutoReconnectMode) {
        if case .change(let shouldAutoReconnect) = answer { shouldReconnect = shouldAutoReconnect }
    }

    /// A background task has ended.
    mutating func taskEnded() -> [Effect] {
        defer { postponed = [] }
        return postponed
    }

    /// Bluetooth is no longer on.
    ///
    /// - Parameter hadBluetooth: whether it has been on since the start. If not, operations keep waiting for that.
    mutating func bluetoothLost(hadBluetooth: Bool) -> [Effect] {
        let error = BluejayError.bluetoothUnavailable
        if !isAbsent { shouldReconnect = false }
        var effects: [Effect] = []
        if let connection {
            // If a disconnect is under way, its error has been broadcast already.
            if !isDisconnecting { effects.append(.broadcast(error, connection)) }
            effects.append(.endListeners(error, connection))
        }
        return effects + [.failSignalStrengthReads(error), .resume(.release(hadBluetooth: hadBluetooth))]
    }

    /// Continues after the effects before a step have been carried out.
    ///
    /// - Parameter isConnectionPending: whether a connection is queued already.
    mutating func resume(_ step: Step, isConnectionPending: Bool) -> [Effect] {
        switch step {
        case .disconnect(let connection, let error):
            // A completion may have ended the connection.
            guard connection === self.connection, !isDisconnecting else { return [] }
            requestEnd()
            return [.endListeners(error, connection), .cancelConnection(connection)]
        case .drop(let connection):
            guard connection === self.connection else { return [] }
            return [.cancelConnection(connection)]
        case .release(let hadBluetooth):
            let error = BluejayError.bluetoothUnavailable
            let released = connection
            state = .ending(isRequested: isDisconnecting)
            let failing: [Effect] = hadBluetooth ? [.failEverything(error, atOnce: true)] : []
            return [.release(released)] + failing + [.resume(.settle), .completeDisconnect(.failure(error))]
        case .stop:
            let error = BluejayError.stopped
            let released = connection
            let listeners: [Effect] = released.map { [.endListeners(error, $0)] } ?? []
            state = .ending(isRequested: isDisconnecting)
            postponed = []
            return listeners + [.release(released), .completeDisconnect(.failure(error)), .resume(.settle)]
        case .settle:
            if case .ending = state { state = postponed.isEmpty ? .idle : .ending(isRequested: false) }
            return []
        case .finish(let peripheral):
            // The program may have stopped and started again meanwhile.
            guard case .ending = state else { return [] }
            state = .idle
            return shouldReconnect && !isConnectionPending ? [.reconnect(peripheral, reconnectTimeout)] : []
        }
    }
}
