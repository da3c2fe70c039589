extension Bluejay {
    /// Reads a characteristic. Its service and the characteristic are discovered first if need be.
    ///
    /// The value is decoded where the caller runs. If the task is cancelled, the read is taken out of the queue; the
    /// answer to one that is under way is ignored when it comes.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: which characteristic.
    ///   - type: what to decode. Need not be named where it can be inferred.
    ///   - isolation: leave this out; the call then runs where its caller runs.
    /// - Throws: what ``read(from:completion:)`` fails with, also what the decoding throws; `CancellationError`.
    public func read<R: Receivable>(
        from characteristicIdentifier: CharacteristicIdentifier,
        as type: R.Type = R.self,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> R {
        let value: Data? = try await awaitAccess(dropped: .failure(BluejayError.cancelled), \.asResult) {
            self.queueRead(from: characteristicIdentifier, on: $0, $1)
        }
        return try R(bluetoothData: value ?? Data())
    }

    /// Writes a characteristic. Its service and the characteristic are discovered first if need be.
    ///
    /// If the task is cancelled, the write is taken out of the queue. One that is under way can not be called back: the
    /// peripheral may or may not have received it.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: which characteristic.
    ///   - value: turned into bytes at once, where the caller runs.
    ///   - type: with response, the call returns when the peripheral has answered; without, when the value has been handed
    ///     over, which waits until there is room for it.
    ///   - isolation: leave this out; the call then runs where its caller runs.
    /// - Throws: what ``write(to:value:type:completion:)`` fails with; `CancellationError`.
    public func write<S: Sendable>(
        to characteristicIdentifier: CharacteristicIdentifier,
        value: S,
        type: CBCharacteristicWriteType = .withResponse,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        let data = value.toBluetoothData()
        try await awaitAccess(dropped: .failure(BluejayError.cancelled), \.asResult) {
            self.queueWrite(data, to: characteristicIdentifier, type: type, on: $0, $1)
        }
    }

    /// Ends a listen, whichever form began it, and waits until the peripheral has confirmed, also if nothing was
    /// listening. A sequence of its values ends; see ``listen(to:as:multipleListenOption:buffering:isolation:)``.
    ///
    /// If the task is cancelled, the listener is gone all the same, but the peripheral may go on notifying.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: which characteristic.
    ///   - isolation: leave this out; the call then runs where its caller runs.
    /// - Throws: what ``endListen(to:completion:)`` fails with; `CancellationError`.
    public func endListen(
        to characteristicIdentifier: CharacteristicIdentifier, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        try await awaitAccess(dropped: .failure(BluejayError.cancelled), \.asResult) {
            self.queueEndListen(to: characteristicIdentifier, on: $0, $1)
        }
    }

    /// Asks for the signal strength of the connection, at once and not through the queue. RSSI observers receive it, too.
    ///
    /// - Parameter isolation: leave this out; the call then runs where its caller runs.
    /// - Returns: dBm.
    /// - Throws: CoreBluetooth's error, ``BluejayError/backgroundTaskRunning``, ``BluejayError/notConnected``,
    ///   ``BluejayNotStartedError``, or what ended the connection or cancelled everything meanwhile; `CancellationError`.
    public func readRSSI(isolation: isolated (any Actor)? = #isolation) async throws -> Int {
        try await awaitCall { call in
            if let refusal = self.refusal(of: .signalStrength) { return call.finish(.failure(refusal)) }
            let answer = Completion<Result<Int, any Error>>(fallback: .failure(BluejayError.cancelled)) {
                call.finish($0)
            }
            self.rssiReads.append(answer)
            call.onCancel = {
                self.rssiReads.removeAll { $0 === answer }
                answer(.failure(CancellationError()))
            }
            self.connected?.cbPeripheral.readRSSI()
        }
    }

    /// Ends all waits for a signal strength.
    func finishRSSIReads(_ result: Result<Int, any Error>) {
        let waiting = rssiReads
        rssiReads = []
        for answer in waiting { answer(result) }
    }

    /// Waits for an operation that uses a characteristic.
    ///
    /// - Parameters:
    ///   - dropped: the outcome if nobody is left to tell.
    ///   - queue: queues the operation, with its completion; returns it unless it was refused.
    private func awaitAccess<Outcome, Value: Swift.Sendable>(
        dropped: Outcome, _ result: @escaping @Sendable (Outcome) -> Result<Value, any Error>,
        isolation: isolated (any Actor)? = #isolation,
        _ queue: @escaping @Sendable (ConnectedPeripheral, Completion<Outcome>) -> QueuedOperation?
    ) async throws -> Value where Outcome: Swift.Sendable {
        try await awaitCall { call in
            switch self.usablePeripheral() {
            case .failure(let error): call.finish(.failure(error))
            case .success(let peripheral):
                let operation = queue(peripheral, call.completion(result, dropped: dropped))
                call.onCancel = { [weak operation] in
                    if let operation { self.queue.fail(operation, CancellationError()) }
                }
            }
        }
    }
}
