// Carries out the effects of the link machine.
extension Bluejay {
    /// Carries out effects in their order.
    func perform(_ effects: [Link.Effect]) {
        for effect in effects { perform(effect) }
    }

    private func perform(_ effect: Link.Effect) {
        switch effect {
        case .connect(let attempt):
            central?.connect(attempt.peripheral, options: attempt.warningOptions.connectOptions)
        case .cancelAttempt(let attempt): cancelConnection(to: attempt.peripheral)
        case .cancelConnection(let connection): cancelConnection(to: connection.cbPeripheral)
        case .release(let connection):
            connection?.detach()
            confirmation.clear()

        case .broadcast(let error, let connection):
            if shouldBroadcastErrors { connection.listeners.broadcast(error) }
        case .endListeners(let error, let connection): connection.listeners.linkEnded(error)
        case .failSignalStrengthReads(let error): finishRSSIReads(.failure(error))
        case .interruptTask(let error): runningTask?.interrupt(error)

        case .completeAttempt(let attempt): attempt.succeed()
        case .closeAttempt(let attempt): attempt.close()
        case .closeDisconnect: (queue.running as? DisconnectOperation)?.close()
        case .failOperations(let error): queue.failAll(error)
        case .failPendingFailures: queue.failPendingFailures()
        case .failOperationsOnConnection(let error): queue.fail(error) { $0.requirement == .connection }
        case .failEverything(let error, let atOnce): failEverything(error, atOnce: atOnce)

        case .reportConnected(let connection):
            // The completion may have ended the connection.
            if connected === connection { notify { $0.connected(to: connection.identifier) } }
        case .reportDisconnected(let peripheral): notify { $0.disconnected(from: peripheral) }
        case .askHandler(let peripheral, let error):
            let answer = disconnectHandler?.didDisconnect(
                from: peripheral, with: error, willReconnect: link.shouldReconnect)
            if let answer { link.handlerAnswered(answer) }
        case .completeDisconnect(let result):
            let completion = disconnectCompletion
            disconnectCompletion = nil
            completion?(result)
        case .reportFailure(let attempt, let error): attempt.report(error)

        case .reconnect(let peripheral, let timeout): reconnect(to: peripheral, timeout)
        case .resume(let step):
            perform(link.resume(step, isConnectionPending: pendingConnection != nil))
        case .log(let message): log(message)
        }
    }

    private func cancelConnection(to peripheral: CBPeripheral) {
        confirmation.set(in: Self.disconnectConfirmationTimeout) { [weak self] in
            guard let self else { return }
            let identifier = PeripheralIdentifier(peripheral)
            let effects = self.link.confirmationTimedOut(identifier, isTaskRunning: self.runningTask != nil)
            self.queue.hold { self.perform(effects) }
        }
        central?.cancelPeripheralConnection(peripheral)
    }

    private func failEverything(_ error: any Error, atOnce: Bool) {
        queue.hold {
            pendingScan?.fail(error)
            queue.failAll(error, atOnce: atOnce)
            // After the queue, so that a blocking call throws the error of its operation.
            runningTask?.interrupt(error)
            finishRSSIReads(.failure(error))
        }
    }

    private func reconnect(to identifier: PeripheralIdentifier, _ timeout: Timeout) {
        log.detail("Connecting again to \(identifier.description)")
        let completion = Completion<ConnectionResult>(fallback: .failure(BluejayError.cancelled)) { [log] result in
            if case .failure(let error) = result { log("Could not connect again: \(error.localizedDescription)") }
        }
        queueConnection(
            to: identifier, timeout: timeout, warningOptions: defaultWarningOptions, completion: completion)
    }

    /// A connection has ended or an attempt has failed.
    func linkEnded(_ peripheral: CBPeripheral, _ error: (any Error)?) {
        let effects = link.linkEnded(PeripheralIdentifier(peripheral), error, isTaskRunning: runningTask != nil)
        // Held, so that what completions queue does not start before the end is reported.
        queue.hold { perform(effects) }
    }

    /// What decides, apart from the link, whether a request may be queued now.
    var circumstances: LinkCircumstances {
        LinkCircumstances(
            isStarted: central != nil, isTaskRunning: runningTask != nil, isScanPending: pendingScan != nil,
            isConnectionPending: pendingConnection != nil, isDisconnectionPending: pendingDisconnection != nil)
    }

    /// Why a request is refused; nil if it may be queued.
    func refusal(of request: LinkRequest) -> (any Error)? {
        link.refusal(of: request, circumstances)
    }
}

extension Bluejay: LinkOperationDelegate {
    func attemptStarted(_ operation: ConnectOperation) {
        perform(
            link.attemptStarted(operation, to: operation.identifier, isRestoration: operation.isRestoration))
    }

    func attemptTimedOut(_ operation: ConnectOperation) {
        perform(link.attemptTimedOut(operation))
    }

    func attemptCancelled(_ operation: ConnectOperation, _ error: any Error) {
        perform(link.attemptCancelled(operation, error))
    }

    func disconnectStarted(_ operation: DisconnectOperation) {
        disconnectCompletion = operation.completion
        perform(link.disconnectStarted())
    }
}
