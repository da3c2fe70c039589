extension Bluejay {
    /// Connects to a peripheral. Ends a scan, as intended.
    ///
    /// If the task is cancelled while the attempt is under way, the attempt is given up and not repeated; the call throws
    /// when the system has confirmed that. A connection that had come up by then stays.
    ///
    /// - Parameters:
    ///   - peripheralIdentifier: which peripheral.
    ///   - timeout: counted from when the attempt starts, not while it waits in the queue. Also used for connecting again
    ///     automatically.
    ///   - warningOptions: without effect on Linux.
    ///   - isolation: leave this out; the call then runs where its caller runs.
    /// - Returns: the peripheral, with its name as known now.
    /// - Throws: what ``connect(_:timeout:warningOptions:completion:)`` fails with; `CancellationError`.
    @discardableResult public func connect(
        _ peripheralIdentifier: PeripheralIdentifier,
        timeout: Timeout = .none,
        warningOptions: WarningOptions? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> PeripheralIdentifier {
        try await awaitCall { call in
            self.link.connectionRequested(timeout: timeout)
            let operation = self.queueConnection(
                to: peripheralIdentifier, timeout: timeout,
                warningOptions: warningOptions ?? self.defaultWarningOptions,
                completion: call.completion(\.asResult, dropped: .failure(BluejayError.cancelled)))
            call.onCancel = { [weak operation] in
                if let operation { self.giveUp(operation) }
            }
        }
    }

    /// Disconnects the peripheral, or gives up the attempt to connect.
    ///
    /// If the task is cancelled while the disconnect waits in the queue, it does not take place. Later, only the waiting
    /// for it ends.
    ///
    /// - Parameters:
    ///   - immediate: if false, the disconnect waits for its turn in the queue, and nothing can be queued behind it: that
    ///     fails with ``BluejayError/disconnectQueued``. If true, everything in the queue fails with
    ///     ``BluejayError/explicitDisconnect`` at once.
    ///   - isolation: leave this out; the call then runs where its caller runs.
    /// - Returns: the peripheral that was connected.
    /// - Throws: what ``disconnect(immediate:completion:)`` fails with; `CancellationError`.
    @discardableResult public func disconnect(
        immediate: Bool = false, isolation: isolated (any Actor)? = #isolation
    ) async throws -> PeripheralIdentifier {
        try await awaitCall { call in
            let completion = call.completion(\.asResult, dropped: DisconnectionResult.failure(BluejayError.cancelled))
            let operation = self.queueDisconnection(immediate: immediate, completion)
            call.onCancel = { [weak operation] in
                if let operation { self.giveUp(operation) }
                // If nothing of it is in the queue, or it has left that for the clean-up.
                completion(.failure(CancellationError()))
            }
        }
    }

    /// A task does not wait for a connection any more.
    private func giveUp(_ operation: ConnectOperation) {
        link.attemptAbandoned(operation)
        operation.fail(CancellationError())
    }

    /// A task does not wait for a disconnect any more.
    private func giveUp(_ operation: DisconnectOperation) {
        let wasQueued = operation.phase == .queued
        operation.fail(CancellationError())
        if wasQueued { link.disconnectWithdrawn() }
    }
}
