// Calls that listen for a limited time.

extension Bluejay {
    /// Listens and discards values until none has arrived for some time. This removes values that a peripheral has
    /// kept.
    ///
    /// When the call returns or throws, the end of the listen is queued, before anything that is requested next.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: the characteristic to listen to.
    ///   - nonZeroTimeout: how long the characteristic must be silent.
    ///   - isolation: leave this out. The call runs where its caller runs.
    /// - Throws: ``BluejayError/indefiniteFlush`` if the timeout is not above zero, because the flush might never end;
    ///   ``BluejayError/multipleListenTrapped`` if the characteristic is already listened to; otherwise what
    ///   ``listen(to:as:multipleListenOption:buffering:isolation:)`` and its sequence throw.
    public func flushListen(
        to characteristicIdentifier: CharacteristicIdentifier, nonZeroTimeout: Timeout = .seconds(3),
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        guard let seconds = nonZeroTimeout.interval, seconds > 0 else { throw BluejayError.indefiniteFlush }
        let buffer = AsyncBuffer<Data>(.newest(0))
        let cancellation = try await listen(to: characteristicIdentifier, .trap, into: buffer, silence: seconds)
        defer { cancellation.cancel() }
        while try await buffer.next() != nil {}
    }

    /// Listens to one characteristic, writes another, and returns the first notification. The listen begins before the
    /// write, so no answer is missed.
    ///
    /// For more than one value, call ``listen(to:as:multipleListenOption:buffering:isolation:)`` and then
    /// ``write(to:value:type:isolation:)``.
    ///
    /// - Parameters:
    ///   - charToWriteTo: the characteristic to write.
    ///   - value: what to write.
    ///   - charToListenTo: the characteristic of the answer.
    ///   - timeout: for the whole call.
    ///   - type: with or without response.
    ///   - isolation: leave this out. The call runs where its caller runs.
    /// - Throws: ``BluejayError/listenTimedOut``; ``BluejayError/multipleListenTrapped`` if the characteristic is
    ///   already listened to; what ``write(to:value:type:isolation:)``,
    ///   ``listen(to:as:multipleListenOption:buffering:isolation:)`` and its sequence throw, including
    ///   `CancellationError`. The listen ends in all these cases.
    public func writeAndListen<S: Sendable, R: Receivable>(
        writeTo charToWriteTo: CharacteristicIdentifier,
        value: S,
        type: CBCharacteristicWriteType = .withResponse,
        listenTo charToListenTo: CharacteristicIdentifier,
        timeout: Timeout = .none,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> R {
        try await R(
            bluetoothData: exchange(
                value.toBluetoothData(), charToWriteTo, type, charToListenTo, expectedLength: nil, timeout))
    }

    /// The same as ``writeAndListen(writeTo:value:type:listenTo:timeout:isolation:)``, for an answer in several
    /// notifications.
    ///
    /// - Parameters:
    ///   - charToWriteTo: the characteristic to write.
    ///   - value: what to write.
    ///   - charToListenTo: the characteristic of the answer.
    ///   - expectedLength: the length of the answer in bytes. When all of them have arrived, they are decoded together.
    ///   - timeout: for the whole call.
    ///   - isolation: leave this out. The call runs where its caller runs.
    /// - Throws: what ``writeAndListen(writeTo:value:type:listenTo:timeout:isolation:)`` throws, and
    ///   ``BluejayError/tooMuchData(expected:received:)``.
    public func writeAndAssemble<S: Sendable, R: Receivable>(
        writeTo charToWriteTo: CharacteristicIdentifier,
        value: S,
        listenTo charToListenTo: CharacteristicIdentifier,
        expectedLength: Int,
        timeout: Timeout = .none,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> R {
        try await R(
            bluetoothData: exchange(
                value.toBluetoothData(), charToWriteTo, .withResponse, charToListenTo, expectedLength: expectedLength,
                timeout))
    }

    /// - Parameter expectedLength: the length of the answer in bytes; nil if the answer is one notification of any
    ///   length.
    private func exchange(
        _ data: Data, _ charToWriteTo: CharacteristicIdentifier, _ type: CBCharacteristicWriteType,
        _ charToListenTo: CharacteristicIdentifier, expectedLength: Int?, _ timeout: Timeout,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Data {
        try await withDeadline(timeout) {
            let buffer = AsyncBuffer<Data>(.unbounded)
            let cancellation = try await self.listen(to: charToListenTo, .trap, into: buffer)
            defer { cancellation.cancel() }
            try await self.write(to: charToWriteTo, value: data, type: type)
            var assembly = expectedLength.map { Assembly(expectedLength: $0) }
            while let piece = try await buffer.next() {
                if assembly == nil { return piece }
                if let whole = try assembly?.add(piece) { return whole }
            }
            // The program has ended the listen by another call.
            throw BluejayError.cancelled
        }
    }
}
