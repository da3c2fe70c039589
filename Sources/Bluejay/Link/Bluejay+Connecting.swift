extension Bluejay {
    /// Connects to a peripheral. Main queue only. Ends a scan, as intended.
    ///
    /// On success the completion is called first, then the connection observers.
    ///
    /// Fails with ``BluejayError/multipleConnectNotSupported`` if a peripheral is connected or about to be,
    /// ``BluejayError/unexpectedPeripheral(_:)`` if it is not known to the system, ``BluejayError/connectionTimedOut``,
    /// ``BluejayError/unexpectedDisconnect`` if the attempt fails, ``BluejayError/explicitDisconnect`` or another error if
    /// it is given up at the program's request, ``BluejayError/bluetoothUnavailable``,
    /// ``BluejayError/backgroundTaskRunning``, ``BluejayError/disconnectQueued``, ``BluejayNotStartedError``.
    ///
    /// - Parameters:
    ///   - peripheralIdentifier: which peripheral.
    ///   - timeout: counted from when the attempt starts, not while it waits in the queue. Also used for connecting again
    ///     automatically.
    ///   - warningOptions: without effect on Linux.
    ///   - completion: called once with the outcome.
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

    /// - Parameter isRestoration: the attempt of an earlier run is taken up; see `ConnectOperation.isRestoration`.
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
                isRestoration: isRestoration, delegate: self, timekeeper: timekeeper, completion: completion)
            connectOperation = operation
            queue.hold {
                pendingScan?.stop()
                queue.append([operation])
            }
            return operation
        }
    }

    /// The peripheral, or why it cannot be connected now.
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
