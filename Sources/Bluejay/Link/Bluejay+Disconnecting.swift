extension Bluejay {
    /// Disconnects the peripheral, or gives up the attempt to connect. Main queue only.
    ///
    /// - Parameters:
    ///   - immediate: if false, the disconnect waits for its turn in the queue; what is requested behind it fails with
    ///     ``BluejayError/disconnectQueued``. If true, everything in the queue fails with
    ///     ``BluejayError/explicitDisconnect`` at once.
    ///   - completion: called after the connection observers and the disconnect handler. Fails with
    ///     ``BluejayError/notConnected`` if there is nothing to disconnect,
    ///     ``BluejayError/multipleDisconnectNotSupported`` if a disconnect is under way already,
    ///     ``BluejayError/backgroundTaskRunning``, ``BluejayNotStartedError``, or the error that the queue was
    ///     cancelled with.
    public func disconnect(immediate: Bool = false, completion: ((DisconnectionResult) -> Void)? = nil) {
        MainQueue.require()
        queueDisconnection(
            immediate: immediate, Completion(fallback: .failure(BluejayError.cancelled)) { completion?($0) })
    }

    /// - Returns: the queued operation; nil if the disconnect is immediate or was refused.
    @discardableResult func queueDisconnection(
        immediate: Bool, _ completion: Completion<DisconnectionResult>
    ) -> DisconnectOperation? {
        if let refusal = refusal(of: .disconnection(immediate: immediate)) {
            completion(.failure(refusal))
            return nil
        }
        if immediate { disconnectCompletion = completion }
        perform(link.disconnectRequested(immediate: immediate))
        if immediate { return nil }
        let operation = DisconnectOperation(delegate: self, completion: completion)
        disconnectOperation = operation
        queue.append([operation])
        return operation
    }

    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?
    ) {
        MainQueue.requireForManager()
        linkEnded(peripheral, error)
    }

    public func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?
    ) {
        MainQueue.requireForManager()
        linkEnded(peripheral, error)
    }
}
