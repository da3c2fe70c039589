extension Bluejay {
    /// Listens to a characteristic's notifications or indications.
    ///
    ///     for try await beat in try await bluejay.listen(to: measurement, as: HeartRate.self) {
    ///         print(beat)
    ///     }
    ///
    /// The call returns when the peripheral has confirmed. No value after that is missed, whenever the loop begins.
    /// Each value is decoded when the loop takes it.
    ///
    /// The listen ends
    /// - when the program leaves the loop, or releases the sequence and its iterators,
    /// - when the task that waits for a value is cancelled: the loop throws `CancellationError`,
    /// - at ``endListen(to:isolation:)``: the loop ends without an error, after the values that are still in the
    ///   buffer,
    /// - when a value cannot be decoded, is missing, or arrives with an error: the loop throws that error,
    /// - when the characteristic's service is removed: ``BluejayError/missingService(_:)``,
    /// - when another listen replaces it: ``BluejayError/multipleListenReplaced``,
    /// - with the connection: ``BluejayError/notConnected``, ``BluejayError/explicitDisconnect``,
    ///   ``BluejayError/bluetoothUnavailable``, ``BluejayError/stopped``, or the error of
    ///   ``cancelEverything(error:shouldDisconnect:)``.
    ///
    /// The sequence does not retain the Bluejay instance. When the instance is released, the connection ends, and the
    /// loop throws ``BluejayError/cancelled``.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: the characteristic to listen to.
    ///   - type: the type to decode. Optional where it can be inferred.
    ///   - option: whether a later listen to the same characteristic is refused with
    ///     ``BluejayError/multipleListenTrapped``, or replaces this one. Only the option of the first listen counts.
    ///   - policy: what happens to values that arrive faster than the loop takes them. Default: all of them are kept.
    ///   - isolation: leave this out. The call runs where its caller runs.
    /// - Throws: what ``listen(to:multipleListenOption:completion:)`` fails with when it cannot be installed;
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
    /// - Parameter silence: the values end when none has arrived for this many seconds.
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
