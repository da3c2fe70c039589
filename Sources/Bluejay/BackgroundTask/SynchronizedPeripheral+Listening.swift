extension SynchronizedPeripheral {
    /// Listens to a characteristic until the closure is done.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: the characteristic to listen to.
    ///   - timeout: for the whole call, not between values.
    ///   - completion: receives every value on the main queue and decides whether to continue.
    /// - Throws: ``BluejayError/listenTimedOut``, even if some values have arrived;
    ///   ``BluejayError/multipleListenTrapped`` if the characteristic is already listened to; an error of a value or of
    ///   decoding it; and what ``Bluejay/listen(to:multipleListenOption:completion:)`` fails with. The listen ends in
    ///   all these cases.
    public func listen<R: Receivable>(
        to characteristicIdentifier: CharacteristicIdentifier,
        timeout: Timeout = .none,
        completion: @escaping (R) -> ListenAction
    ) throws {
        try wait(listeningTo: characteristicIdentifier, limit: BlockingListen.Limit(timeout)) { value in
            completion(try R(bluetoothData: value))
        }
    }

    /// Ends a listen, and waits until the peripheral has confirmed. Does nothing if there is no listen.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: the characteristic that is listened to.
    ///   - error: unused.
    ///   - completion: called with the result on the main queue.
    public func endListen(
        to characteristicIdentifier: CharacteristicIdentifier,
        error: Error? = nil,
        completion: ((WriteResult) -> Void)? = nil
    ) throws {
        try waitForEnd(of: characteristicIdentifier, completion: completion)
    }

    /// Listens and discards values until none has arrived for some time. This removes values that a peripheral has
    /// kept.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: the characteristic to listen to.
    ///   - nonZeroTimeout: how long the characteristic must be silent. Must be above zero; anything else is a
    ///     programming error and ends the program, because the flush might never end.
    ///   - completion: called on the calling thread after the end of the listen.
    public func flushListen(
        to characteristicIdentifier: CharacteristicIdentifier,
        nonZeroTimeout: Timeout = .seconds(3),
        completion: @escaping () -> Void
    ) throws {
        guard let seconds = nonZeroTimeout.interval, seconds > 0 else {
            preconditionFailure(BluejayError.indefiniteFlush.localizedDescription)
        }
        try wait(listeningTo: characteristicIdentifier, limit: .silence(seconds)) { _ in .keepListening }
        completion()
    }

    /// Listens to one characteristic and writes another. The listen begins before the write, so no answer is missed.
    ///
    /// - Parameters:
    ///   - charToWriteTo: the characteristic to write.
    ///   - value: what to write.
    ///   - charToListenTo: the characteristic of the answer.
    ///   - timeoutInSeconds: for the whole call; 0 for no limit.
    ///   - completion: receives every value on the main queue and decides whether to continue.
    ///   - type: with or without response.
    /// - Throws: what ``listen(to:timeout:completion:)`` throws, and the error of the write.
    public func writeAndListen<S: Sendable, R: Receivable>(
        writeTo charToWriteTo: CharacteristicIdentifier,
        value: S,
        type: CBCharacteristicWriteType = .withResponse,
        listenTo charToListenTo: CharacteristicIdentifier,
        timeoutInSeconds: Int = 0,
        completion: @escaping (R) -> ListenAction
    ) throws {
        try writeAndListen(
            writeTo: charToWriteTo, value: value, type: type, listenTo: charToListenTo,
            timeoutInSeconds: Timeout(wholeSeconds: timeoutInSeconds), completion: completion)
    }

    /// The same with any timeout.
    public func writeAndListen<S: Sendable, R: Receivable>(
        writeTo charToWriteTo: CharacteristicIdentifier,
        value: S,
        type: CBCharacteristicWriteType = .withResponse,
        listenTo charToListenTo: CharacteristicIdentifier,
        timeoutInSeconds: Timeout,
        completion: @escaping (R) -> ListenAction
    ) throws {
        let limit = BlockingListen.Limit(timeoutInSeconds)
        try wait(listeningTo: charToListenTo, limit: limit) { listen in
            self.write(value, to: charToWriteTo, type: type, alongside: listen)
        } handle: { value in
            completion(try R(bluetoothData: value))
        }
    }

    /// The same as `writeAndListen`, for an answer in several notifications.
    ///
    /// - Parameters:
    ///   - charToWriteTo: the characteristic to write.
    ///   - value: what to write.
    ///   - charToListenTo: the characteristic of the answer.
    ///   - expectedLength: the length of the answer in bytes. When all of them have arrived, they are decoded together.
    ///     If the closure then continues to listen, a new answer begins.
    ///   - timeoutInSeconds: for the whole call; 0 for no limit.
    ///   - completion: receives the answer on the main queue and decides whether to continue.
    /// - Throws: what `writeAndListen` throws, and ``BluejayError/tooMuchData(expected:received:)``.
    public func writeAndAssemble<S: Sendable, R: Receivable>(
        writeTo charToWriteTo: CharacteristicIdentifier,
        value: S,
        listenTo charToListenTo: CharacteristicIdentifier,
        expectedLength: Int,
        timeoutInSeconds: Int = 0,
        completion: @escaping (R) -> ListenAction
    ) throws {
        try writeAndAssemble(
            writeTo: charToWriteTo, value: value, listenTo: charToListenTo, expectedLength: expectedLength,
            timeoutInSeconds: Timeout(wholeSeconds: timeoutInSeconds), completion: completion)
    }

    /// The same with any timeout.
    public func writeAndAssemble<S: Sendable, R: Receivable>(
        writeTo charToWriteTo: CharacteristicIdentifier,
        value: S,
        listenTo charToListenTo: CharacteristicIdentifier,
        expectedLength: Int,
        timeoutInSeconds: Timeout,
        completion: @escaping (R) -> ListenAction
    ) throws {
        var assembly = Assembly(expectedLength: expectedLength)
        let limit = BlockingListen.Limit(timeoutInSeconds)
        try wait(listeningTo: charToListenTo, limit: limit) { listen in
            self.write(value, to: charToWriteTo, type: .withResponse, alongside: listen)
        } handle: { piece in
            guard let whole = try assembly.add(piece) else { return .keepListening }
            return completion(try R(bluetoothData: whole))
        }
    }
}

extension SynchronizedPeripheral {
    /// Listens and discards values until none has arrived for some seconds. The form of Bluejay 0.7.
    @available(*, deprecated, renamed: "flushListen(to:nonZeroTimeout:completion:)")
    public func flushListen(
        to characteristicIdentifier: CharacteristicIdentifier, idleWindow: Int, completion: @escaping () -> Void
    ) throws {
        try flushListen(
            to: characteristicIdentifier, nonZeroTimeout: .seconds(TimeInterval(idleWindow)), completion: completion)
    }
}

/// An answer in several notifications.
struct Assembly {
    let expectedLength: Int
    private var received = Data()

    init(expectedLength: Int) {
        self.expectedLength = expectedLength
    }

    /// Adds the value of a notification.
    ///
    /// - Returns: the answer if it is complete; otherwise nil. After a complete answer, the next value begins a new
    ///   one.
    /// - Throws: ``BluejayError/tooMuchData(expected:received:)``.
    mutating func add(_ piece: Data) throws -> Data? {
        received.append(piece)
        if received.count > expectedLength {
            throw BluejayError.tooMuchData(expected: expectedLength, received: received)
        }
        if received.count < expectedLength { return nil }
        defer { received = Data() }
        return received
    }
}

extension Timeout {
    /// - Parameter wholeSeconds: zero or less for no limit.
    fileprivate init(wholeSeconds: Int) {
        self = wholeSeconds > 0 ? .seconds(TimeInterval(wholeSeconds)) : .none
    }
}

extension BlockingListen.Limit {
    fileprivate init(_ timeout: Timeout) {
        self = timeout.interval.map { .total($0) } ?? .none
    }
}
