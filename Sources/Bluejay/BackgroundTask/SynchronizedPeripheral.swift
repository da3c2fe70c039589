/// The connected peripheral in a background task. Every call blocks until it is done, and throws if it fails.
///
/// A call on the main queue ends the program, because it would wait for something that can only happen on that queue.
/// If the connection ends, the call that waits and all later ones throw ``BluejayError/notConnected``.
// @unchecked: `listens` is used on the main queue only, and nothing else is mutable.
public class SynchronizedPeripheral: ConnectionObserver, @unchecked Swift.Sendable {
    private let bluejay: Bluejay
    private let peripheral: ConnectedPeripheral
    /// The listens that the task waits for. Used on the main queue only.
    private var listens: [ObjectIdentifier: BlockingListen] = [:]

    init(_ bluejay: Bluejay, _ peripheral: ConnectedPeripheral) {
        self.bluejay = bluejay
        self.peripheral = peripheral
    }

    /// Reads a characteristic. Fails like ``Bluejay/read(from:completion:)`` does.
    public func read<R: Receivable>(from characteristicIdentifier: CharacteristicIdentifier) throws -> R {
        try wait { (call: BlockingCall<R>) in
            let completion = Completion<ReadResult<Data?>>(fallback: .failure(BluejayError.readFailed)) { result in
                call.finish(result.decoded().asResult)
            }
            self.bluejay.queueRead(from: characteristicIdentifier, on: self.peripheral, completion)
        }
    }

    /// Writes a characteristic. Fails like ``Bluejay/write(to:value:type:completion:)`` does.
    public func write<S: Sendable>(
        to characteristicIdentifier: CharacteristicIdentifier,
        value: S,
        type: CBCharacteristicWriteType = .withResponse
    ) throws {
        try wait { (call: BlockingCall<Void>) in
            let completion = Completion<WriteResult>(fallback: .failure(BluejayError.writeFailed)) { result in
                call.finish(result.asResult)
            }
            _ = self.bluejay.queueWrite(
                value, to: characteristicIdentifier, type: type, on: self.peripheral, completion)
        }
    }

    /// Writes one characteristic, then reads another. The first error is thrown.
    public func writeAndRead<R: Receivable, S: Sendable>(
        writeTo: CharacteristicIdentifier,
        value: S,
        type: CBCharacteristicWriteType = .withResponse,
        readFrom: CharacteristicIdentifier
    ) throws -> R {
        try write(to: writeTo, value: value, type: type)
        return try read(from: readFrom)
    }

    /// The maximum number of bytes in one write.
    public func maximumWriteValueLength(for writeType: CBCharacteristicWriteType) -> Int {
        MainQueue.sync { peripheral.cbPeripheral.maximumWriteValueLength(for: writeType) }
    }

    /// Ends a waiting listen with ``BluejayError/bluetoothUnavailable`` if Bluetooth is not available.
    public func bluetoothAvailable(_ available: Bool) {
        if !available { interrupt(BluejayError.bluetoothUnavailable) }
    }

    /// Ends a waiting listen with ``BluejayError/notConnected``.
    public func disconnected(from peripheral: PeripheralIdentifier) {
        interrupt(BluejayError.notConnected)
    }

    /// Ends the listens that the task waits for. Other calls end with their operations in the queue.
    func interrupt(_ error: any Error) {
        MainQueue.run {
            for listen in Array(self.listens.values) { listen.interrupt(error) }
        }
    }
}

// What the calls of the listen family share.
extension SynchronizedPeripheral {
    /// Starts a call on the main queue and waits for its end.
    ///
    /// - Parameter refuse: called on the main queue if there is no connection, instead of `begin`.
    func wait<Value>(
        refuse: @escaping (any Error) -> Void = { _ in }, _ begin: @escaping (BlockingCall<Value>) -> Void
    ) throws -> Value {
        MainQueue.forbid()
        let call = BlockingCall<Value>()
        MainQueue.later {
            guard self.isUsable else {
                refuse(BluejayError.notConnected)
                return call.finish(.failure(BluejayError.notConnected))
            }
            begin(call)
        }
        return try call.wait()
    }

    /// Listens until the closure is done, the listen fails, or its time is over.
    ///
    /// - Parameters:
    ///   - alongside: queues a write right behind the listen.
    ///   - handle: handles a value on the main queue.
    func wait(
        listeningTo characteristic: CharacteristicIdentifier, limit: BlockingListen.Limit,
        alongside: @escaping (BlockingListen) -> Void = { _ in },
        handle: @escaping (Data) throws -> ListenAction
    ) throws {
        MainQueue.forbid()
        let listen = BlockingListen(
            to: characteristic, limit: limit, bluejay, peripheral,
            onEnd: { self.listens[ObjectIdentifier($0)] = nil }, handle: handle)
        let call = listen.call
        MainQueue.later {
            guard self.isUsable else { return call.finish(.failure(BluejayError.notConnected)) }
            self.listens[ObjectIdentifier(listen)] = listen
            self.bluejay.queue.hold {
                listen.begin()
                alongside(listen)
            }
        }
        try call.wait()
    }

    /// Queues a write behind a listen. If the write fails, the listen fails, too.
    func write<S: Sendable>(
        _ value: S, to characteristic: CharacteristicIdentifier, type: CBCharacteristicWriteType,
        alongside listen: BlockingListen
    ) {
        // The listen may have been refused.
        guard listen.isListening else { return }
        let completion = Completion<WriteResult>(fallback: .failure(BluejayError.writeFailed)) { [weak listen] result in
            if case .failure(let error) = result { listen?.interrupt(error) }
        }
        let operation = bluejay.queueWrite(value, to: characteristic, type: type, on: peripheral, completion)
        listen.onFailure = { [weak operation] error in operation?.fail(error) }
    }

    /// Ends a listen, if there is one, and waits for the confirmation.
    func waitForEnd(of characteristic: CharacteristicIdentifier, completion: ((WriteResult) -> Void)?) throws {
        try wait(refuse: { completion?(.failure($0)) }) { (call: BlockingCall<Void>) in
            let ended = Completion<WriteResult>(fallback: .failure(BluejayError.cancelled)) { result in
                completion?(result)
                call.finish(result.asResult)
            }
            guard self.peripheral.listeners.isListening(to: characteristic) else { return ended(.success) }
            self.bluejay.queueEndListen(to: characteristic, on: self.peripheral, ended)
        }
    }

    /// Whether the connection for which the task was started still exists. Main queue only.
    private var isUsable: Bool {
        bluejay.connected === peripheral && !bluejay.link.isDisconnecting
    }
}
