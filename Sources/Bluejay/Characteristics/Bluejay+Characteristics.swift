extension Bluejay {
    /// Reads a characteristic. Main queue only.
    ///
    /// Its service and the characteristic are discovered first if need be. Fails with CoreBluetooth's error, what the
    /// decoding throws, ``BluejayError/missingService(_:)``, ``BluejayError/missingCharacteristic(_:)``,
    /// ``BluejayError/readFailed`` if the characteristic is being listened to, ``BluejayError/notConnected``,
    /// ``BluejayError/backgroundTaskRunning``, ``BluejayError/disconnectQueued``, ``BluejayNotStartedError``, or what
    /// cancelled the queue.
    public func read<R: Receivable>(
        from characteristicIdentifier: CharacteristicIdentifier,
        completion: @escaping (ReadResult<R>) -> Void
    ) {
        MainQueue.require()
        let completion = Completion<ReadResult<Data?>>(fallback: .failure(BluejayError.cancelled)) { result in
            completion(result.decoded())
        }
        switch usablePeripheral() {
        case .success(let peripheral): queueRead(from: characteristicIdentifier, on: peripheral, completion)
        case .failure(let error): completion(.failure(error))
        }
    }

    /// Writes a characteristic. Main queue only.
    ///
    /// Fails as ``read(from:completion:)`` does.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: which characteristic.
    ///   - value: turned into bytes when the write starts.
    ///   - type: with response, the completion is called when the peripheral has answered; without, when the value has
    ///     been handed over, which waits until there is room for it.
    ///   - completion: called when it is done, or has failed.
    public func write<S: Sendable>(
        to characteristicIdentifier: CharacteristicIdentifier,
        value: S,
        type: CBCharacteristicWriteType = .withResponse,
        completion: @escaping (WriteResult) -> Void
    ) {
        MainQueue.require()
        let completion = Completion(fallback: .failure(BluejayError.cancelled), completion)
        switch usablePeripheral() {
        case .success(let peripheral):
            queueWrite(value, to: characteristicIdentifier, type: type, on: peripheral, completion)
        case .failure(let error): completion(.failure(error))
        }
    }

    /// Listens to a characteristic's notifications or indications. Main queue only.
    ///
    /// The completion is called for every value, and with an error for a value that cannot be decoded
    /// (``BluejayError/missingData`` for none). If the listen cannot be installed it is called once, with the reason, as
    /// for ``read(from:completion:)``. It is not called to confirm the listen, nor when the connection ends (see
    /// ``broadcastErrorsToListeners``). Listens do not survive the connection; listen again in
    /// ``ConnectionObserver/connected(to:)``. If the characteristic's service goes while the connection stays, the listen
    /// ends with ``BluejayError/missingService(_:)``; see ``ServiceObserver``.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: which characteristic.
    ///   - option: whether a later listen to the same characteristic is refused, with
    ///     ``BluejayError/multipleListenTrapped``, or replaces this one, which is then told
    ///     ``BluejayError/multipleListenReplaced``. Only the first listen's option counts.
    ///   - completion: called for every value.
    public func listen<R: Receivable>(
        to characteristicIdentifier: CharacteristicIdentifier,
        multipleListenOption option: MultipleListenOption = .trap,
        completion: @escaping (ReadResult<R>) -> Void
    ) {
        MainQueue.require()
        let listener = Listener(option: option) { result in
            completion(result.decodedNotification())
        }
        switch usablePeripheral() {
        case .success(let peripheral): queueListen(listener, to: characteristicIdentifier, on: peripheral)
        case .failure(let error): listener.end(telling: error)
        }
    }

    /// Ends a listen. Main queue only.
    ///
    /// The listener is not called any more from now on. The completion is called when the peripheral has confirmed, also
    /// if nothing was listening. Fails as ``read(from:completion:)`` does.
    public func endListen(
        to characteristicIdentifier: CharacteristicIdentifier,
        completion: ((WriteResult) -> Void)? = nil
    ) {
        MainQueue.require()
        let completion = Completion<WriteResult>(fallback: .failure(BluejayError.cancelled)) { completion?($0) }
        switch usablePeripheral() {
        case .success(let peripheral): queueEndListen(to: characteristicIdentifier, on: peripheral, completion)
        case .failure(let error): completion(.failure(error))
        }
    }

    /// Whether there is a listen to a characteristic, also one that the peripheral has not confirmed yet.
    ///
    /// - Throws: ``BluejayError/notConnected``, ``BluejayNotStartedError``.
    public func isListening(to characteristicIdentifier: CharacteristicIdentifier) throws -> Bool {
        try MainQueue.sync {
            guard let connected else { throw notConnectedError }
            return connected.listeners.isListening(to: characteristicIdentifier)
        }
    }

    /// Asks for the signal strength of the connection, at once and not through the queue. Main queue only. The RSSI
    /// observers receive it.
    ///
    /// - Throws: ``BluejayError/backgroundTaskRunning``, ``BluejayError/notConnected``, ``BluejayNotStartedError``.
    public func readRSSI() throws {
        MainQueue.require()
        if let refusal = refusal(of: .signalStrength) { throw refusal }
        connected?.cbPeripheral.readRSSI()
    }

    /// The peripheral, or why its characteristics cannot be used.
    func usablePeripheral() -> Result<ConnectedPeripheral, any Error> {
        if let refusal = refusal(of: .characteristic) { return .failure(refusal) }
        return connected.map { .success($0) } ?? .failure(BluejayError.notConnected)
    }
}

// The same without the checks that apply outside background tasks. They return what waits in the queue, nil if refused.
extension Bluejay {
    @discardableResult func queueRead(
        from characteristic: CharacteristicIdentifier, on peripheral: ConnectedPeripheral,
        _ completion: Completion<ReadResult<Data?>>
    ) -> QueuedOperation? {
        if peripheral.listeners.isListening(to: characteristic) {
            log("A characteristic that is listened to cannot be read: \(characteristic.description)")
            completion(.failure(BluejayError.readFailed))
            return nil
        }
        let operation = ReadOperation(characteristic, on: peripheral, completion: completion)
        queueAccess(to: characteristic, on: peripheral, operation)
        return operation
    }

    @discardableResult func queueWrite(
        _ value: any Sendable, to characteristic: CharacteristicIdentifier, type: CBCharacteristicWriteType,
        on peripheral: ConnectedPeripheral, _ completion: Completion<WriteResult>
    ) -> QueuedOperation {
        let operation = WriteOperation(
            value, to: characteristic, type: type, on: peripheral, completion: completion)
        queueAccess(to: characteristic, on: peripheral, operation)
        return operation
    }

    @discardableResult func queueListen(
        _ listener: Listener, to characteristic: CharacteristicIdentifier, on peripheral: ConnectedPeripheral
    ) -> QueuedOperation? {
        guard peripheral.listeners.reserve(listener, characteristic) else {
            listener.end(telling: BluejayError.multipleListenTrapped)
            return nil
        }
        let operation = ListenOperation(listener, to: characteristic, on: peripheral)
        queueAccess(to: characteristic, on: peripheral, operation)
        return operation
    }

    @discardableResult func queueEndListen(
        to characteristic: CharacteristicIdentifier, on peripheral: ConnectedPeripheral,
        _ completion: Completion<WriteResult>
    ) -> QueuedOperation {
        peripheral.listeners.end(characteristic)
        let operation = EndListenOperation(characteristic, on: peripheral, completion: completion)
        queueAccess(to: characteristic, on: peripheral, operation)
        return operation
    }

    private func queueAccess(
        to characteristic: CharacteristicIdentifier, on peripheral: ConnectedPeripheral, _ operation: QueuedOperation
    ) {
        let characteristicDiscovery = DiscoverCharacteristicOperation(
            characteristic, on: peripheral, for: operation)
        let serviceDiscovery = DiscoverServiceOperation(
            characteristic.service, on: peripheral, for: operation)
        queue.append([serviceDiscovery, characteristicDiscovery, operation])
    }
}

extension Bluejay: ConnectedPeripheralDelegate {
    func process(_ event: BluetoothEvent) -> Bool {
        queue.process(event)
    }

    func didReadRSSI(_ rssi: NSNumber, error: (any Error)?) {
        finishRSSIReads(error.map { .failure($0) } ?? .success(rssi.intValue))
        guard let identifier = connected?.identifier else { return }
        for observer in rssiObservers.living {
            observer.didReadRSSI(from: identifier, RSSI: rssi, error: error)
        }
    }

    func didModifyServices(_ invalidated: [ServiceIdentifier]) {
        guard let identifier = connected?.identifier else { return }
        for observer in serviceObservers.living {
            observer.didModifyServices(from: identifier, invalidatedServices: invalidated)
        }
    }

    func didReceiveUnhandledValue(_ value: Data?, of characteristic: CharacteristicIdentifier) {
        guard let connected else { return }
        guard let restoration else {
            return log.detail("Dropped a value of \(characteristic.description): nobody listens to it")
        }
        guard let restorer = restoration.listenRestorer else {
            return log("Dropped a value of \(characteristic.description): the listen restorer is gone")
        }
        switch restorer.didReceiveUnhandledListen(from: connected.identifier, on: characteristic, with: value) {
        case .promiseRestoration: break
        case .stopListen:
            queueEndListen(
                to: characteristic, on: connected, Completion(fallback: .failure(BluejayError.cancelled)) { _ in })
        }
    }
}
