extension Bluejay {
    /// Reads a characteristic. Main queue only.
    ///
    /// The service and the characteristic are discovered first if necessary. Fails with CoreBluetooth's error, an error
    /// of decoding, ``BluejayError/missingService(_:)``, ``BluejayError/missingCharacteristic(_:)``,
    /// ``BluejayError/readFailed`` if the characteristic is listened to, ``BluejayError/notConnected``,
    /// ``BluejayError/backgroundTaskRunning``, ``BluejayError/disconnectQueued``, ``BluejayNotStartedError``, or the
    /// error that the queue was cancelled with.
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
    /// Fails like ``read(from:completion:)``.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: the characteristic to write.
    ///   - value: converted to bytes when the write starts.
    ///   - type: with response, the completion is called when the peripheral has answered. Without response, it is
    ///     called when CoreBluetooth has accepted the value, which waits until there is room for it.
    ///   - completion: called when the write has succeeded or failed.
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
    /// The completion is called for every value. For a value that cannot be decoded it is called with an error
    /// (``BluejayError/missingData`` for a missing value). If the listen cannot be installed, it is called once with an
    /// error, as for ``read(from:completion:)``. It is called neither to confirm the listen nor when the connection
    /// ends (see ``broadcastErrorsToListeners``).
    ///
    /// Listens end with the connection; listen again in ``ConnectionObserver/connected(to:)``. If the characteristic's
    /// service is removed during the connection, the listen ends with ``BluejayError/missingService(_:)``; see
    /// ``ServiceObserver``.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: the characteristic to listen to.
    ///   - option: whether a later listen to the same characteristic is refused with
    ///     ``BluejayError/multipleListenTrapped``, or replaces this one, which then ends with
    ///     ``BluejayError/multipleListenReplaced``. Only the option of the first listen counts.
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
        case .failure(let error): listener.end(with: error)
        }
    }

    /// Ends a listen. Main queue only.
    ///
    /// Stops calling the listener. The completion is called when the peripheral has confirmed, even if
    /// there was no listener. Fails like ``read(from:completion:)``.
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

    /// Whether there is a listen to a characteristic, including one that the peripheral has not confirmed yet.
    ///
    /// - Throws: ``BluejayError/notConnected``, ``BluejayNotStartedError``.
    public func isListening(to characteristicIdentifier: CharacteristicIdentifier) throws -> Bool {
        try MainQueue.sync {
            guard let connected else { throw notConnectedError }
            return connected.listeners.isListening(to: characteristicIdentifier)
        }
    }

    /// Requests the signal strength of the connection at once, not through the queue. Main queue only. The RSSI
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

// The same without the checks that apply outside background tasks. They return the queued operation, or nil if refused.
extension Bluejay {
    @discardableResult func queueRead(
        from characteristic: CharacteristicIdentifier, on peripheral: ConnectedPeripheral,
        _ completion: Completion<ReadResult<Data?>>
    ) -> QueuedOperation? {
        if peripheral.listeners.isListening(to: characteristic) {
            log("Cannot read a characteristic that is listened to: \(characteristic.description)")
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
            listener.end(with: BluejayError.multipleListenTrapped)
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
        // What is known needs no discovery, unless something comes before the operation that could change that.
        let startsNow = queue.isRunning && queue.isEmpty
        if startsNow, peripheral.isDiscovered(characteristic.service), peripheral.known(characteristic) != nil {
            return queue.append([operation])
        }
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
            return log.detail("Dropped a value of \(characteristic.description): no listener")
        }
        guard let restorer = restoration.listenRestorer else {
            return log("Dropped a value of \(characteristic.description): the listen restorer no longer exists")
        }
        switch restorer.didReceiveUnhandledListen(from: connected.identifier, on: characteristic, with: value) {
        case .promiseRestoration: break
        case .stopListen:
            queueEndListen(
                to: characteristic, on: connected, Completion(fallback: .failure(BluejayError.cancelled)) { _ in })
        }
    }
}
