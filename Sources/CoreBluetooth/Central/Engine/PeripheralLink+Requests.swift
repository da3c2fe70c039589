import BlueZ
import MainLoop

/// Reading, writing and notifications.
extension PeripheralLink {
    /// bluetoothd refuses a request while another program's is under way; it is tried again for this long.
    private static let busyRetries = 100
    private static let busyPause: Duration = .milliseconds(20)
    /// How long a pairing may take that a request has set off.
    private static let pairingPatience: Duration = .seconds(3)

    // MARK: Reading

    func read(_ characteristic: CBCharacteristic) {
        addRequest { link, done in
            guard let remote = link.remoteCharacteristic(characteristic) else {
                link.reportValue(characteristic, .failure(CBError(.invalidHandle)))
                return done()
            }
            guard remote.flags.contains("read") else {
                link.reportValue(characteristic, .failure(CBATTError(.readNotPermitted)))
                return done()
            }
            let subscription = link.subscriptions[remote.path]
            subscription?.readBegins()
            let confirm = link.doubting { [weak link] (result: Result<Data, any Error>) in
                link?.reportValue(characteristic, result)
                done()
            }
            link.retrying { completion in
                remote.read(completion: completion)
            } completion: { (result: Result<Data, any Error>) in
                subscription?.readEnds(with: try? result.get())
                confirm(result)
            }
        }
    }

    private func reportValue(_ characteristic: CBCharacteristic, _ result: Result<Data, any Error>) {
        guard phase == .connected else { return }
        post { peripheral in
            switch result {
            case .success(let value):
                characteristic.value = value
                peripheral.delegate?.peripheral(peripheral, didUpdateValueFor: characteristic, error: nil)
            case .failure(let error):
                peripheral.delegate?.peripheral(
                    peripheral, didUpdateValueFor: characteristic, error: coreBluetoothError(error))
            }
        }
    }

    func read(_ descriptor: CBDescriptor) {
        addRequest { link, done in
            guard let remote = link.remoteDescriptor(descriptor) else {
                link.reportValue(descriptor, .failure(CBError(.invalidHandle)))
                return done()
            }
            let confirm = link.doubting { [weak link] (result: Result<Data, any Error>) in
                link?.reportValue(descriptor, result)
                done()
            }
            link.retrying { completion in
                remote.read(completion: completion)
            } completion: {
                confirm($0)
            }
        }
    }

    private func reportValue(_ descriptor: CBDescriptor, _ result: Result<Data, any Error>) {
        guard phase == .connected else { return }
        post { peripheral in
            switch result {
            case .success(let bytes):
                descriptor.bytes = bytes
                descriptor.value = DescriptorValue.decode(bytes, of: descriptor.uuid)
                peripheral.delegate?.peripheral(peripheral, didUpdateValueFor: descriptor, error: nil)
            case .failure(let error):
                peripheral.delegate?.peripheral(
                    peripheral, didUpdateValueFor: descriptor, error: coreBluetoothError(error))
            }
        }
    }

    // MARK: Writing

    func write(_ data: Data, to characteristic: CBCharacteristic) {
        addRequest { link, done in
            let report: @LoopActor (Result<Void, any Error>) -> Void = { [weak link] result in
                link?.reportOutcome(result) { peripheral, error in
                    peripheral.delegate?.peripheral(peripheral, didWriteValueFor: characteristic, error: error)
                }
                done()
            }
            guard let remote = link.remoteCharacteristic(characteristic) else {
                return report(.failure(CBError(.invalidHandle)))
            }
            guard remote.flags.contains("write") else { return report(.failure(CBATTError(.writeNotPermitted))) }
            guard data.count <= ATT.maximumValueLength else {
                return report(.failure(CBATTError(.invalidAttributeValueLength)))
            }
            let confirm = link.doubting(report)
            link.retrying {
                remote.write(data, as: .request, completion: $0)
            } completion: {
                confirm($0)
            }
        }
    }

    func write(_ data: Data, to descriptor: CBDescriptor) {
        addRequest { link, done in
            let report: @LoopActor (Result<Void, any Error>) -> Void = { [weak link] result in
                link?.reportOutcome(result) { peripheral, error in
                    peripheral.delegate?.peripheral(peripheral, didWriteValueFor: descriptor, error: error)
                }
                done()
            }
            guard let remote = link.remoteDescriptor(descriptor) else {
                return report(.failure(CBError(.invalidHandle)))
            }
            // The configuration belongs to the system: setNotifyValue is the way.
            guard descriptor.uuid != CBUUID(string: CBUUIDClientCharacteristicConfigurationString) else {
                return report(.failure(CBATTError(.writeNotPermitted)))
            }
            let confirm = link.doubting(report)
            link.retrying {
                remote.write(data, completion: $0)
            } completion: {
                confirm($0)
            }
        }
    }

    /// A write without response. It keeps its place among the requests, but none waits for an answer to it.
    func writeCommand(_ data: Data, to characteristic: CBCharacteristic) {
        requests.add { [weak self] done in
            guard let self else { return done() }
            guard let remote = remoteCharacteristic(characteristic), remote.flags.contains("write-without-response")
            else {
                Diagnostics.misuse(
                    "a write without response to \(characteristic.uuid), which does not take it: dropped")
                commandIsThrough()
                return done()
            }
            guard !remote.flags.contains("write"), remote.offersWriteSocket else {
                remote.write(data, as: .command) { [weak self] result in
                    if case .failure(let error) = result { Diagnostics.warning("a write was dropped: \(error)") }
                    self?.commandIsThrough()
                }
                return done()
            }
            withWriteSocket(remote) { [weak self] socket in
                guard let socket else {
                    remote.write(data, as: .command) { [weak self] _ in self?.commandIsThrough() }
                    return done()
                }
                socket.send(data) { [weak self] in
                    self?.commandIsThrough()
                    done()
                }
            }
        }
    }

    private func commandIsThrough() {
        post { peripheral in
            guard peripheral.commandEnds() else { return }
            peripheral.delegate?.peripheralIsReady(toSendWriteWithoutResponse: peripheral)
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

    func setNotifying(_ enabled: Bool, for characteristic: CBCharacteristic) {
        addRequest { link, done in
            let report: @LoopActor (Result<Void, any Error>) -> Void = { [weak link] result in
                let isNotifying = link?.isSubscribed(characteristic) ?? false
                link?.reportOutcome(result) { peripheral, error in
                    characteristic.isNotifying = isNotifying
                    peripheral.delegate?.peripheral(
                        peripheral, didUpdateNotificationStateFor: characteristic, error: error)
                }
                done()
            }
            guard let remote = link.remoteCharacteristic(characteristic) else {
                return report(.failure(CBError(.invalidHandle)))
            }
            guard remote.flags.contains("notify") || remote.flags.contains("indicate") else {
                return report(.failure(CBATTError(.requestNotSupported)))
            }
            let current = link.subscriptions[remote.path]
            if enabled == (current != nil) { return report(.success(())) }
            if let current { link.unsubscribe(current, report) } else { link.subscribe(remote, characteristic, report) }
        }
    }

    private func subscribe(
        _ remote: RemoteCharacteristic, _ characteristic: CBCharacteristic,
        _ report: @escaping @LoopActor (Result<Void, any Error>) -> Void
    ) {
        let subscription: Subscription
        if let agent = agentSubscription(remote, characteristic) {
            subscription = Subscription(remote, agent: agent)
        } else {
            subscription = Subscription(remote) { [weak self] values in
                self?.post { peripheral in
                    for value in values {
                        characteristic.value = value
                        peripheral.delegate?.peripheral(peripheral, didUpdateValueFor: characteristic, error: nil)
                    }
                }
            } lost: { [weak self] loss in
                self?.post { peripheral in
                    characteristic.notificationLoss += loss
                    peripheral.delegate?.peripheral(peripheral, didUpdateNotificationLossFor: characteristic)
                }
            }
        }
        post { _ in characteristic.notificationLoss = CBNotificationLoss() }
        subscriptions[remote.path] = subscription
        let confirm: @LoopActor (Result<Void, any Error>) -> Void = doubting { [weak self] result in
            guard let self, subscriptions[remote.path] === subscription else {
                // The service was removed meanwhile, and the subscription with it.
                return report(.failure(CBError(.invalidHandle)))
            }
            if case .failure = result {
                subscription.end()
                subscriptions[remote.path] = nil
            }
            report(result)
            if case .success = result { subscription.isOn() }
        }
        retrying { [options] completion in
            subscription.start(usingSocket: options.usesNotifySockets, completion: completion)
        } completion: { result in
            confirm(result)
        }
    }

    private func isSubscribed(_ characteristic: CBCharacteristic) -> Bool {
        remoteCharacteristic(characteristic).map { subscriptions[$0.path] != nil } ?? false
    }

    private func unsubscribe(
        _ subscription: Subscription, _ report: @escaping @LoopActor (Result<Void, any Error>) -> Void
    ) {
        subscription.stop { [weak self] result in
            subscription.end()
            let path = subscription.remote.path
            if self?.subscriptions[path] === subscription { self?.subscriptions[path] = nil }
            report(result)
        }
    }

    // MARK: RSSI

    func readRSSI() {
        guard let device else { return }
        Task { [weak self] in
            let result: Result<Int, any Error>
            do { result = .success(try await device.readRSSI()) } catch { result = .failure(error) }
            guard let self, phase == .connected else { return }
            post { peripheral in
                switch result {
                case .success(let rssi):
                    let number = NSNumber(value: rssi)
                    peripheral.lastRSSI = number
                    peripheral.delegate?.peripheral(peripheral, didReadRSSI: number, error: nil)
                case .failure(let error):
                    peripheral.delegate?.peripheral(
                        peripheral, didReadRSSI: NSNumber(value: 127), error: coreBluetoothError(error))
                }
            }
        }
    }

    // MARK: Common

    /// Adds a request that bluetoothd gets over the bus, after everything that was sent past it.
    private func addRequest(
        _ body: @escaping @LoopActor (PeripheralLink, _ done: @escaping @LoopActor () -> Void) -> Void
    ) {
        requests.add { [weak self] done in
            guard let self else { return done() }
            afterWriteSockets { [weak self] in
                guard let self else { return done() }
                body(self, done)
            }
        }
    }

    /// The sockets and the bus are two ways to bluetoothd: what went into a socket must have been read before anything
    /// that is to come after it goes over the bus. Nothing tells when that is so; it takes less than a millisecond.
    private func afterWriteSockets(_ work: @escaping @LoopActor () -> Void) {
        guard writeSockets.values.contains(where: \.hasUnread) else { return work() }
        drainTimer = .timer(after: .milliseconds(1)) { [weak self] in self?.afterWriteSockets(work) }
    }

    /// Makes a request again for as long as bluetoothd is busy, and once when the device is paired because of it: what
    /// needs encryption makes bluetoothd pair, but 5.82 may ask the device again before that is done, and then answers
    /// with the device's second refusal.
    private func retrying<T: Swift.Sendable>(
        attempts: Int = busyRetries,
        _ request: @escaping @LoopActor (@escaping @LoopActor (Result<T, any Error>) -> Void) -> Void,
        completion: @escaping @LoopActor (Result<T, any Error>) -> Void
    ) {
        let wasPaired = device?.isPaired ?? false
        request { [weak self] result in
            guard let self, phase == .connected, attempts > 1, case .failure(let error as BlueZError) = result else {
                return completion(result)
            }
            switch error {
            case .inProgress:
                busyTimer = .timer(after: Self.busyPause) { [weak self] in
                    self?.retrying(attempts: attempts - 1, request, completion: completion)
                }
            case .att(ATT.insufficientAuthentication) where !wasPaired:
                afterPairing(until: .now + Self.pairingPatience) { [weak self] isPaired in
                    guard let self, isPaired else { return completion(result) }
                    retrying(attempts: attempts - 1, request, completion: completion)
                }
            default: completion(result)
            }
        }
    }

    private func afterPairing(until deadline: ContinuousClock.Instant, _ work: @escaping @LoopActor (Bool) -> Void) {
        guard phase == .connected, let device, !device.isPaired, deadline > .now else {
            return work(phase == .connected && device?.isPaired ?? false)
        }
        busyTimer = .timer(after: Self.busyPause) { [weak self] in self?.afterPairing(until: deadline, work) }
    }

    private func reportOutcome(
        _ result: Result<Void, any Error>, _ report: @escaping @Sendable (CBPeripheral, (any Error)?) -> Void
    ) {
        guard phase == .connected else { return }
        post { peripheral in
            switch result {
            case .success: report(peripheral, nil)
            case .failure(let error): report(peripheral, coreBluetoothError(error))
            }
        }
    }
}
