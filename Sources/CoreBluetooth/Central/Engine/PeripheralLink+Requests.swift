import BlueZ
import DBus
import MainLoop

/// Reading, writing and notifications.
extension PeripheralLink {
    func perform(_ request: GATTRequest) {
        if let completion = request.completion { requests.opens(completion) }
        switch request {
        case .readRSSI(let completion): readRSSI(completion)
        case .discoverServices(let filter, let completion): discoverServices(filter, completion)
        case .discoverIncludedServices(let filter, let service, let completion):
            discoverIncludedServices(filter, of: service, completion)
        case .discoverCharacteristics(let filter, let service, let completion):
            discoverCharacteristics(filter, of: service, completion)
        case .discoverDescriptors(let characteristic, let completion):
            discoverDescriptors(of: characteristic, completion)
        case .readValue(let attribute, let completion): read(attribute, completion)
        case .writeValue(let data, let attribute, let completion): write(data, to: attribute, completion)
        case .writeWithoutResponse(let data, let characteristic): writeCommand(data, to: characteristic)
        case .setNotifying(let enabled, let characteristic, let completion):
            setNotifying(enabled, for: characteristic, completion)
        case .openL2CAPChannel(let psm, let completion): openL2CAPChannel(psm, completion)
        }
    }

    /// Drops the requests that were not answered: the link has ended, or is about to.
    func dropRequests() {
        let dropped = requests.clear()
        guard !dropped.isEmpty else { return }
        post { _ in
            for request in dropped { request.drop() }
        }
    }

    // MARK: Reading and writing

    private func read(_ attribute: ValueAttribute, _ completion: RequestCompletion<Data>) {
        addRequest { [self] done in
            let report = answering(completion, done) { _, result in attribute.wasRead(result) }
            guard let remote = remote(attribute) else { return report(.failure(CBError(.invalidHandle))) }
            guard remote.isReadable else { return report(.failure(CBATTError(.readNotPermitted))) }
            guard let subscription = subscriptions[remote.path] else {
                return PendingRequest.make(on: self, of: remote.path, remote.read, completion: report)
            }
            let read: PendingRequest<Data>.Ask = { answered in
                subscription.readBegins()
                remote.read { result in
                    subscription.readEnds(with: try? result.get())
                    answered(result)
                }
            }
            PendingRequest.make(on: self, of: remote.path, read, completion: report)
        }
    }

    private func write(_ data: Data, to attribute: ValueAttribute, _ completion: RequestCompletion<Void>) {
        addRequest { [self] done in
            let report = answering(completion, done)
            guard let remote = remote(attribute) else { return report(.failure(CBError(.invalidHandle))) }
            guard remote.isWritable else { return report(.failure(CBATTError(.writeNotPermitted))) }
            guard data.count <= ATT.maximumValueLength else {
                return report(.failure(CBATTError(.invalidAttributeValueLength)))
            }
            PendingRequest.make(on: self, of: remote.path, { remote.write(data, completion: $0) }, completion: report)
        }
    }

    /// bluetoothd's object behind an attribute; nil when it is of an earlier connection, or was removed.
    private func remote(_ attribute: ValueAttribute) -> RemoteValue? {
        switch attribute {
        case .characteristic(let characteristic):
            guard let remote = remoteCharacteristic(characteristic) else { return nil }
            return .characteristic(remote)
        case .descriptor(let descriptor):
            guard let remote = remoteDescriptor(descriptor) else { return nil }
            return .descriptor(remote)
        }
    }

    /// A write without response. It keeps its place among the requests, but none waits for an answer to it.
    private func writeCommand(_ data: Data, to characteristic: CBCharacteristic) {
        requests.add { [weak self] done in
            guard let self else { return done() }
            guard let remote = remoteCharacteristic(characteristic), remote.flags.contains(.writeWithoutResponse)
            else {
                Diagnostics.misuse(
                    "dropped a write without response to \(characteristic.uuid), which does not support it")
                commandIsThrough()
                return done()
            }
            guard !remote.flags.contains(.write), remote.offersWriteSocket else {
                return writeByBus(data, to: remote, done)
            }
            withWriteSocket(remote) { [weak self] socket in
                guard let socket else { return self?.writeByBus(data, to: remote, done) ?? done() }
                socket.send(data) { [weak self] in
                    self?.commandIsThrough()
                    done()
                }
            }
        }
    }

    /// Hands a command to bluetoothd when it is its turn. Then the next request may follow.
    private func writeByBus(_ data: Data, to remote: RemoteCharacteristic, _ done: @escaping @LoopActor () -> Void) {
        let link = linkNumber
        session.commandGate.enter { [weak self] pass in
            defer { done() }
            guard let self, linkNumber == link else { return }
            remote.write(data, as: .command) { [weak self] result in
                withExtendedLifetime(pass) {}
                guard let self, linkNumber == link else { return }
                commandIsThrough(failure: result.failure)
            }
        }
    }

    private func commandIsThrough(failure: (any Error)? = nil) {
        let failure = failure.map { "\($0)" }
        post { peripheral in
            let outcome = peripheral.commandEnds(failure: failure)
            if let loss = outcome.loss { Diagnostics.warning("\(loss)") }
            if outcome.isReady { peripheral.delegate?.peripheralIsReady(toSendWriteWithoutResponse: peripheral) }
        }
    }

    /// Nil when somebody else holds the socket, or bluetoothd has none to give.
    private func withWriteSocket(
        _ remote: RemoteCharacteristic, _ body: @escaping @LoopActor (WriteSocket?) -> Void
    ) {
        if let socket = writeSockets[remote.path], socket.isOpen { return body(socket) }
        remote.acquireWrite { [weak self] result in
            guard let self, phase == .connected, let packets = try? result.get() else { return body(nil) }
            let socket = WriteSocket(packets)
            writeSockets[remote.path] = socket
            body(socket)
        }
    }

    // MARK: Notifications

    private func setNotifying(
        _ enabled: Bool, for characteristic: CBCharacteristic, _ completion: RequestCompletion<Void>
    ) {
        addRequest { [self] done in
            let report: Completion<Void> = { [self] result in
                let isNotifying = isSubscribed(characteristic)
                answer(completion, result) { _, _ in characteristic.isNotifying = isNotifying }
                done()
            }
            guard let remote = remoteCharacteristic(characteristic) else {
                return report(.failure(CBError(.invalidHandle)))
            }
            guard !remote.flags.isDisjoint(with: [.notify, .indicate]) else {
                return report(.failure(CBATTError(.requestNotSupported)))
            }
            let current = subscriptions[remote.path]
            if enabled == (current != nil) { return report(.success(())) }
            if let current { return unsubscribe(current, at: remote.path, report) }
            post { _ in characteristic.notificationLoss = CBNotificationLoss() }
            subscribe(by: subscription(to: remote, characteristic), at: remote.path, report)
        }
    }

    private func subscription(
        to remote: RemoteCharacteristic, _ characteristic: CBCharacteristic
    ) -> any Subscription {
        if let agent = agentSubscription(remote, characteristic) { return agent }
        // bluetoothd has no sockets for indications.
        guard options.usesNotifySockets, remote.flags.contains(.notify) else {
            return SignalSubscription(remote, characteristic, of: self)
        }
        return SocketSubscription(remote, characteristic, of: self)
    }

    private func subscribe(
        by subscription: any Subscription, at path: ObjectPath, _ report: @escaping Completion<Void>
    ) {
        subscriptions[path] = subscription
        PendingRequest.make(on: self, of: path, subscription.start) { [self] result in
            guard subscriptions[path] === subscription else {
                // The service was removed meanwhile, and the subscription with it.
                return report(.failure(CBError(.invalidHandle)))
            }
            if let socket = subscription as? SocketSubscription, SocketSubscription.isUnavailable(after: result) {
                let signals = SignalSubscription(socket.remote, socket.characteristic, of: self)
                return subscribe(by: signals, at: path, report)
            }
            if case .failure = result {
                subscription.end()
                subscriptions[path] = nil
            }
            report(result)
            if case .success = result { subscription.isOn() }
        }
    }

    private func isSubscribed(_ characteristic: CBCharacteristic) -> Bool {
        remoteCharacteristic(characteristic).map { subscriptions[$0.path] != nil } ?? false
    }

    private func unsubscribe(
        _ subscription: any Subscription, at path: ObjectPath, _ report: @escaping Completion<Void>
    ) {
        subscription.stop { [self] result in
            subscription.end()
            if subscriptions[path] === subscription { subscriptions[path] = nil }
            report(result)
        }
    }

    /// The peripheral has notified or indicated values.
    func received(_ values: [Data], of characteristic: CBCharacteristic) {
        post { peripheral in
            for value in values {
                characteristic.value = value
                characteristic.isValueNotified = true
                peripheral.delegate?.peripheral(peripheral, didUpdateValueFor: characteristic, error: nil)
            }
        }
    }

    /// Values of a characteristic were lost, or may have been.
    func lost(_ loss: PacketLoss, of characteristic: CBCharacteristic) {
        post { peripheral in
            characteristic.notificationLoss += loss
            peripheral.delegate?.peripheral(peripheral, didUpdateNotificationLossFor: characteristic)
        }
    }

    // MARK: RSSI

    private func readRSSI(_ completion: RequestCompletion<Int>) {
        guard let device else { return answer(completion, .failure(CBError(.notConnected))) }
        Task { [weak self] in
            let result: Result<Int, any Error>
            do { result = .success(try await device.readRSSI()) } catch { result = .failure(error) }
            self?.answer(completion, result) { peripheral, result in
                if let rssi = try? result.get() { peripheral.lastRSSI = NSNumber(value: rssi) }
            }
        }
    }

    // MARK: Common

    /// Adds a request that bluetoothd gets over the bus, after everything that was sent past it.
    ///
    /// A request that waits keeps the link, until it is done or ``dropConnectionState()`` drops it.
    private func addRequest(_ request: @escaping RequestQueue.Request) {
        requests.add { [self] done in
            afterWriteSockets { request(done) }
        }
    }

    /// The sockets and the bus are two ways to bluetoothd: it must have read what is in a socket before anything later
    /// goes over the bus. Nothing reports that it has; it takes less than a millisecond.
    private func afterWriteSockets(_ work: @escaping @LoopActor () -> Void) {
        guard writeSockets.values.contains(where: \.hasUnread) else { return work() }
        drainTimer = .timer(after: .milliseconds(1)) { [weak self] in self?.afterWriteSockets(work) }
    }

    /// Answers a request, its error as the app knows it, unless it was dropped with its link.
    ///
    /// - Parameter update: changes the public objects before that, on the manager's queue.
    func answer<Answer: Swift.Sendable>(
        _ completion: RequestCompletion<Answer>, _ result: Result<Answer, any Error>,
        _ update: @escaping @Sendable (CBPeripheral, Result<Answer, any Error>) -> Void = { _, _ in }
    ) {
        guard requests.answers(completion) else { return }
        guard phase == .connected else { return post { _ in completion.drop() } }
        let result = result.mapError(coreBluetoothError)
        post { peripheral in
            update(peripheral, result)
            completion(result)
        }
    }

    /// What is to be called with the result of a request: answers it, and then the request is done.
    private func answering<Answer: Swift.Sendable>(
        _ completion: RequestCompletion<Answer>, _ done: @escaping @LoopActor () -> Void,
        _ update: @escaping @Sendable (CBPeripheral, Result<Answer, any Error>) -> Void = { _, _ in }
    ) -> Completion<Answer> {
        { [self] result in
            answer(completion, result, update)
            done()
        }
    }
}

/// Called once with the result of a request.
typealias Completion<T> = @LoopActor (Result<T, any Error>) -> Void

/// bluetoothd's object of an attribute that has a value.
@LoopActor
private enum RemoteValue {
    case characteristic(RemoteCharacteristic)
    case descriptor(RemoteDescriptor)

    var path: ObjectPath {
        switch self {
        case .characteristic(let characteristic): characteristic.path
        case .descriptor(let descriptor): descriptor.path
        }
    }

    var isReadable: Bool {
        switch self {
        case .characteristic(let characteristic): characteristic.flags.contains(.read)
        case .descriptor: true
        }
    }

    var isWritable: Bool {
        switch self {
        case .characteristic(let characteristic): characteristic.flags.contains(.write)
        // It belongs to the system: setNotifyValue is the way.
        case .descriptor(let descriptor): descriptor.uuid != Self.clientConfiguration
        }
    }

    private static let clientConfiguration = CBUUID(string: CBUUIDClientCharacteristicConfigurationString).bluezText

    func read(completion: @escaping Completion<Data>) {
        switch self {
        case .characteristic(let characteristic): characteristic.read(completion: completion)
        case .descriptor(let descriptor): descriptor.read(completion: completion)
        }
    }

    func write(_ data: Data, completion: @escaping Completion<Void>) {
        switch self {
        case .characteristic(let characteristic): characteristic.write(data, as: .request, completion: completion)
        case .descriptor(let descriptor): descriptor.write(data, completion: completion)
        }
    }
}
