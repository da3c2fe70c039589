extension Bluejay {
    /// Connects to a peripheral. A scan ends without an error.
    ///
    /// If the task is cancelled while the attempt is under way, the attempt is given up and not repeated. The call
    /// throws when the system has confirmed that. A connection that already exists when the task is cancelled stays.
    ///
    /// - Parameters:
    ///   - peripheralIdentifier: which peripheral.
    ///   - timeout: counts from the start of the attempt, not while it waits in the queue. Automatic reconnections use
    ///     it, too.
    ///   - warningOptions: no effect on Linux.
    ///   - isolation: leave this out. The call runs where its caller runs.
    /// - Returns: the peripheral with its current name.
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
    /// If the task is cancelled while the disconnect waits in the queue, the disconnect is withdrawn. After that, only
    /// the call ends, and the disconnect continues.
    ///
    /// - Parameters:
    ///   - immediate: if false, the disconnect waits for its turn in the queue; what is requested behind it fails with
    ///     ``BluejayError/disconnectQueued``. If true, everything in the queue fails with
    ///     ``BluejayError/explicitDisconnect`` at once.
    ///   - isolation: leave this out. The call runs where its caller runs.
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
                // For a disconnect that is not or no longer in the queue.
                completion(.failure(CancellationError()))
            }
        }
    }

    /// The task that waited for a connection was cancelled.
    private func giveUp(_ operation: ConnectOperation) {
        link.attemptAbandoned(operation)
        operation.fail(CancellationError())
    }

    /// The task that waited for a disconnect was cancelled.
    private func giveUp(_ operation: DisconnectOperation) {
        let wasQueued = operation.phase == .queued
        operation.fail(CancellationError())
        if wasQueued { link.disconnectWithdrawn() }
    }
}
