// What happens to the link, whoever asked for it.

extension Bluejay: LinkControl {
    func connecting(_ operation: ConnectOperation) {
        link = .connecting(operation)
        central?.connect(operation.peripheral, options: operation.warningOptions.connectOptions)
    }

    func disconnecting(_ operation: DisconnectOperation) {
        guard let connected else { return }
        isDropping = true
        mayReconnect = false
        if shouldBroadcastErrors { connected.listeners.broadcast(BluejayError.explicitDisconnect) }
        drop(connected.cbPeripheral)
    }

    func drop(_ peripheral: CBPeripheral) {
        dropAlarm?.cancel()
        // Without this, everything would wait forever if the confirmation were lost.
        dropAlarm = timekeeper.after(Self.dropConfirmationTimeout) { [weak self] in
            guard let self else { return }
            self.log("The system has not confirmed the disconnect; going on without")
            self.linkEnded(peripheral, nil)
        }
        central?.cancelPeripheralConnection(peripheral)
    }

    /// Clears the references to the peripheral.
    func forgetLink() {
        connected?.detach()
        link = .none
        dropAlarm?.cancel()
        dropAlarm = nil
    }

    /// The disconnect event: a connection has ended or an attempt has failed.
    func linkEnded(_ peripheral: CBPeripheral, _ error: (any Error)?) {
        let end: EndOfLink
        switch link {
        case .connecting(let attempt) where attempt.peripheral === peripheral:
            end = EndOfLink(of: attempt, isRequested: isDropping, error)
        case .connected(let connected) where connected.cbPeripheral === peripheral:
            end = EndOfLink(
                of: connected, isRequested: isDropping, disconnection: queue.running as? DisconnectOperation, error)
        default:
            return log("Ignored a disconnect of \(PeripheralIdentifier(peripheral).description), which is not in use")
        }
        let lost = connected
        forgetLink()
        mayReconnect = end.isUnexpected
        queue.hold {
            if let lost, end.isUnexpected {
                if shouldBroadcastErrors { lost.listeners.broadcast(BluejayError.notConnected) }
                queue.failAll(BluejayError.notConnected)
            }
            let reason = end.isUnexpected ? BluejayError.notConnected : .explicitDisconnect
            lost?.listeners.linkEnded(reason)
            endRSSICalls(.failure(reason))
            end.closeOperations(in: queue)
            runningTask?.interrupt(BluejayError.notConnected)
            if runningTask == nil {
                cleanUp(after: end)
            } else {
                postponedCleanUp = { [weak self] in self?.cleanUp(after: end) }
            }
        }
    }

    /// Tells everybody concerned that a link has ended, in the order that programs rely on, and connects again.
    private func cleanUp(after end: EndOfLink) {
        queue.hold {
            if end.attempt?.isRestoration != true {
                notify { $0.disconnected(from: end.identifier) }
                askHandler(about: end)
            }
            end.disconnection?.reportSuccess(end.identifier)
            let waiting = immediateDisconnect
            immediateDisconnect = nil
            waiting?(.disconnected(end.identifier))
            end.attempt?.reportFailure()
            isDropping = false
            if mayReconnect { connectAgain(to: end.identifier) }
        }
    }

    private func askHandler(about end: EndOfLink) {
        let answer = disconnectHandler?.didDisconnect(
            from: end.identifier, with: end.error, willReconnect: mayReconnect)
        if case .change(let shouldAutoReconnect)? = answer { mayReconnect = shouldAutoReconnect }
    }

    private func connectAgain(to identifier: PeripheralIdentifier) {
        // Somebody who was told about the end may have asked for a connection.
        guard pendingConnection == nil, case .none = link else { return }
        log.detail("Connecting again to \(identifier.description)")
        let completion = Once<ConnectionResult>(fallback: .failure(BluejayError.cancelled)) { [log] result in
            if case .failure(let error) = result { log("Could not connect again: \(error.localizedDescription)") }
        }
        queueConnection(
            to: identifier, timeout: reconnectTimeout, warningOptions: defaultWarningOptions, completion: completion)
    }
}

/// What has to be known about a link that has ended until everybody is told.
struct EndOfLink {
    let identifier: PeripheralIdentifier
    /// CoreBluetooth's reason.
    let error: (any Error)?
    /// The attempt that failed; nil if the peripheral was connected.
    let attempt: ConnectOperation?
    /// The queued disconnect that is carried out.
    let disconnection: DisconnectOperation?
    /// Neither requested, nor the end of an attempt that ran out of time or takes up one of an earlier run.
    let isUnexpected: Bool

    init(of attempt: ConnectOperation, isRequested: Bool, _ error: (any Error)?) {
        identifier = PeripheralIdentifier(attempt.peripheral)
        self.error = error
        self.attempt = attempt
        // One that waits behind the attempt fails with it.
        disconnection = nil
        isUnexpected = !isRequested && !attempt.isTimedOut && !attempt.isRestoration
    }

    init(
        of connected: ConnectedPeripheral, isRequested: Bool, disconnection: DisconnectOperation?,
        _ error: (any Error)?
    ) {
        identifier = connected.identifier
        self.error = error
        attempt = nil
        self.disconnection = disconnection
        isUnexpected = !isRequested && disconnection == nil
    }

    /// Ends what was waiting for the end of the link, and fails what has lost its point with it.
    func closeOperations(in queue: OperationFIFO) {
        disconnection?.close()
        if let attempt {
            let wasGivenUp = attempt.failure != nil
            attempt.close()
            if wasGivenUp { return queue.failDoomed() }
            queue.failAll(attempt.failure ?? BluejayError.unexpectedDisconnect)
        } else {
            queue.fail(BluejayError.explicitDisconnect) { $0.requirement == .connection }
        }
    }
}
