// Calls that listen for a while.

extension Bluejay {
    /// Listens and discards values until none has come for some time, to get rid of what a peripheral has piled up.
    ///
    /// When the call returns or throws, the end of the listen is on its way: it comes before whatever is asked for next.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: which characteristic.
    ///   - nonZeroTimeout: for how long it must have been silent.
    ///   - isolation: leave this out; the call then runs where its caller runs.
    /// - Throws: ``BluejayError/indefiniteFlush`` if the timeout is not above zero, because the flush might never end;
    ///   ``BluejayError/multipleListenTrapped`` if the characteristic is being listened to already; otherwise as
    ///   ``listen(to:as:multipleListenOption:buffering:isolation:)`` and its sequence.
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

    /// Listens to one characteristic, writes another, and returns the first value that is notified, such that it cannot be
    /// missed.
    ///
    /// For more than one value, call ``listen(to:as:multipleListenOption:buffering:isolation:)`` and then
    /// ``write(to:value:type:isolation:)``.
    ///
    /// - Parameters:
    ///   - charToWriteTo: the characteristic to write.
    ///   - value: what to write.
    ///   - charToListenTo: the characteristic that the answer comes from.
    ///   - timeout: for the whole call.
    ///   - type: with or without response.
    ///   - isolation: leave this out; the call then runs where its caller runs.
    /// - Throws: ``BluejayError/listenTimedOut``; ``BluejayError/multipleListenTrapped`` if the characteristic is being
    ///   listened to already; what ``write(to:value:type:isolation:)``,
    ///   ``listen(to:as:multipleListenOption:buffering:isolation:)`` and its sequence throw, also `CancellationError`. The
    ///   listen has been ended then.
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

    /// As ``writeAndListen(writeTo:value:type:listenTo:timeout:isolation:)``, for an answer that comes in pieces.
    ///
    /// - Parameters:
    ///   - charToWriteTo: the characteristic to write.
    ///   - value: what to write.
    ///   - charToListenTo: the characteristic that the answer comes from.
    ///   - expectedLength: bytes; when so many have come, they are decoded together.
    ///   - timeout: for the whole call.
    ///   - isolation: leave this out; the call then runs where its caller runs.
    /// - Throws: as ``writeAndListen(writeTo:value:type:listenTo:timeout:isolation:)``, and
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

    /// - Parameter expectedLength: bytes of the answer; nil if it is one value, however long.
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
            // Somebody else has ended the listen.
            throw BluejayError.cancelled
        }
    }
}
