extension Bluejay {
    /// Connects to a peripheral. Main queue only. A scan ends without an error.
    ///
    /// On success the completion is called first, then the connection observers.
    ///
    /// Fails with
    /// - ``BluejayError/multipleConnectNotSupported`` if a peripheral is connected, or a connection is pending or
    ///   queued,
    /// - ``BluejayError/unexpectedPeripheral(_:)`` if the system does not know the peripheral,
    /// - ``BluejayError/connectionTimedOut``,
    /// - ``BluejayError/unexpectedDisconnect`` if the attempt fails,
    /// - ``BluejayError/explicitDisconnect``, or the error of a cancellation, if the program ends the attempt,
    /// - ``BluejayError/bluetoothUnavailable``, ``BluejayError/backgroundTaskRunning``,
    ///   ``BluejayError/disconnectQueued``, ``BluejayNotStartedError``.
    ///
    /// - Parameters:
    ///   - peripheralIdentifier: which peripheral.
    ///   - timeout: counts from the start of the attempt, not while it waits in the queue. Automatic reconnections use
    ///     it, too.
    ///   - warningOptions: no effect on Linux.
    ///   - completion: called once with the result.
    public func connect(
        _ peripheralIdentifier: PeripheralIdentifier,
        timeout: Timeout = .none,
        warningOptions: WarningOptions? = nil,
        completion: @escaping (ConnectionResult) -> Void
    ) {
        MainQueue.require()
        link.connectionRequested(timeout: timeout)
        queueConnection(
            to: peripheralIdentifier, timeout: timeout, warningOptions: warningOptions ?? defaultWarningOptions,
            completion: Completion(fallback: .failure(BluejayError.cancelled), completion))
    }

    /// - Parameter isRestoration: whether this continues the attempt of an earlier run; see
    ///   `ConnectOperation.isRestoration`.
    /// - Returns: the connection attempt; nil if it was refused.
    @discardableResult func queueConnection(
        to identifier: PeripheralIdentifier, timeout: Timeout, warningOptions: WarningOptions,
        isRestoration: Bool = false, completion: Completion<ConnectionResult>
    ) -> ConnectOperation? {
        switch peripheralToConnect(identifier) {
        case .failure(let error):
            completion(.failure(error))
            return nil
        case .success(let peripheral):
            let operation = ConnectOperation(
                to: peripheral, identifier, timeout: timeout, warningOptions: warningOptions,
                isRestoration: isRestoration, delegate: self, clock: clock, completion: completion)
            connectOperation = operation
            queue.hold {
                pendingScan?.stop()
                queue.append([operation])
            }
            return operation
        }
    }

    /// The peripheral, or why a connection to it is refused.
    private func peripheralToConnect(_ identifier: PeripheralIdentifier) -> Result<CBPeripheral, any Error> {
        if let refusal = refusal(of: .connection) { return .failure(refusal) }
        guard let central else { return .failure(BluejayNotStartedError()) }
        if central.state != .poweredOn, wasPoweredOn { return .failure(BluejayError.bluetoothUnavailable) }
        guard central.state == .poweredOn,
            let peripheral = central.retrievePeripherals(withIdentifiers: [identifier.uuid]).first
        else { return .failure(BluejayError.unexpectedPeripheral(identifier)) }
        return .success(peripheral)
    }

    public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        MainQueue.requireForManager()
        perform(
            link.didConnect(
                PeripheralIdentifier(peripheral), ConnectedPeripheral(peripheral, delegate: self, log: log)))
    }
}
