extension Bluejay {
    /// Reads a characteristic. The service and the characteristic are discovered first if necessary.
    ///
    /// The value is decoded where the caller runs. If the task is cancelled, the read is removed from the queue; if it
    /// is under way, its answer is ignored.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: the characteristic to read.
    ///   - type: the type to decode. Optional where it can be inferred.
    ///   - isolation: leave this out. The call runs where its caller runs.
    /// - Throws: what ``read(from:completion:)`` fails with, including errors of decoding; `CancellationError`.
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

    /// Writes a characteristic. The service and the characteristic are discovered first if necessary.
    ///
    /// If the task is cancelled, the write is removed from the queue. If it is under way, the peripheral may or may not
    /// receive it.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: the characteristic to write.
    ///   - value: converted to bytes at once, where the caller runs.
    ///   - type: with response, the call returns when the peripheral has answered. Without response, it returns when
    ///     CoreBluetooth has accepted the value, which waits until there is room for it.
    ///   - isolation: leave this out. The call runs where its caller runs.
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

    /// Ends a listen of either form, and waits until the peripheral has confirmed, even if there was no listener. A
    /// sequence of its values ends; see ``listen(to:as:multipleListenOption:buffering:isolation:)``.
    ///
    /// If the task is cancelled, the listener is still removed, but the peripheral may continue to notify.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: the characteristic that is listened to.
    ///   - isolation: leave this out. The call runs where its caller runs.
    /// - Throws: what ``endListen(to:completion:)`` fails with; `CancellationError`.
    public func endListen(
        to characteristicIdentifier: CharacteristicIdentifier, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        try await awaitAccess(dropped: .failure(BluejayError.cancelled), \.asResult) {
            self.queueEndListen(to: characteristicIdentifier, on: $0, $1)
        }
    }

    /// Reads the signal strength of the connection at once, not through the queue. RSSI observers receive it, too.
    ///
    /// - Parameter isolation: leave this out. The call runs where its caller runs.
    /// - Returns: dBm.
    /// - Throws: CoreBluetooth's error, ``BluejayError/backgroundTaskRunning``, ``BluejayError/notConnected``,
    ///   ``BluejayNotStartedError``, the error of the end of the connection or of a cancellation; `CancellationError`.
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

    /// Ends all calls that wait for a signal strength.
    func finishRSSIReads(_ result: Result<Int, any Error>) {
        let waiting = rssiReads
        rssiReads = []
        for answer in waiting { answer(result) }
    }

    /// Waits for an operation that uses a characteristic.
    ///
    /// - Parameters:
    ///   - dropped: the result if the operation is released without calling its completion.
    ///   - queue: queues the operation with its completion, and returns it unless it was refused.
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
