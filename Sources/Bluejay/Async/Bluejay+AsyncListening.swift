extension Bluejay {
    /// Listens to a characteristic's notifications or indications.
    ///
    ///     for try await beat in try await bluejay.listen(to: measurement, as: HeartRate.self) {
    ///         print(beat)
    ///     }
    ///
    /// The call returns when the peripheral has confirmed; no value that comes after that is missed, whenever the loop
    /// begins. Values are decoded as they are taken out.
    ///
    /// The listen ends
    /// - when the loop is left, or the sequence and its iterators are dropped,
    /// - when the task that waits for a value is cancelled: the loop throws `CancellationError`,
    /// - at ``endListen(to:isolation:)``: the loop ends without an error, after what has arrived,
    /// - when a value cannot be decoded, is missing, or comes with an error: the loop throws that,
    /// - when the characteristic's service goes: ``BluejayError/missingService(_:)``,
    /// - when another listen takes its place: ``BluejayError/multipleListenReplaced``,
    /// - with the connection: ``BluejayError/notConnected``, ``BluejayError/explicitDisconnect``,
    ///   ``BluejayError/bluetoothUnavailable``, ``BluejayError/stopped``, or what
    ///   ``cancelEverything(error:shouldDisconnect:)`` was given.
    ///
    /// The sequence does not keep the instance alive: its end is that of the connection, with
    /// ``BluejayError/cancelled``.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: which characteristic.
    ///   - type: what to decode. Need not be named where it can be inferred.
    ///   - option: whether a later listen to the same characteristic is refused, with
    ///     ``BluejayError/multipleListenTrapped``, or replaces this one. Only the first listen's option counts.
    ///   - policy: what happens to values that arrive faster than they are taken. By default they are kept, however many.
    ///   - isolation: leave this out; the call then runs where its caller runs.
    /// - Throws: what ``listen(to:multipleListenOption:completion:)`` fails with at the installation;
    ///   `CancellationError`.
    public func listen<R: Receivable>(
        to characteristicIdentifier: CharacteristicIdentifier,
        as type: R.Type = R.self,
        multipleListenOption option: MultipleListenOption = .trap,
        buffering policy: BufferingPolicy = .unbounded,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Notifications<R> {
        let buffer = AsyncBuffer<Data>(policy)
        let cancellation = try await listen(to: characteristicIdentifier, option, into: buffer)
        return Notifications(buffer, cancellation)
    }

    /// Listens until the returned object is released.
    ///
    /// - Parameter silence: the values end when none has come for so many seconds.
    func listen(
        to characteristic: CharacteristicIdentifier, _ option: MultipleListenOption, into buffer: AsyncBuffer<Data>,
        silence: TimeInterval? = nil, isolation: isolated (any Actor)? = #isolation
    ) async throws -> CancelOnDeinit {
        let listen = StreamedListen(to: characteristic, into: buffer, silence: silence, self)
        let cancellation = CancelOnDeinit { listen.end() }
        try await awaitCall { (call: AwaitedCall<Void>) in listen.begin(option, call) }
        return cancellation
    }
}
