import BlueZ
import DBus
import MainLoop

/// Requests, subscriptions and notifications.
extension PeripheralCore {
    /// Takes over what bluetoothd asks of a characteristic.
    func connect(_ link: CharacteristicLink) {
        let local = link.local
        local.onRead = { [weak self, weak link] request in
            guard let self, let link else { return }
            read(link, request)
        }
        local.onWrite = { [weak self, weak link] request in
            guard let self, let link else { return }
            write(link, request)
        }
        local.onSubscribe = { [weak self, weak link] context in
            guard let self, let link else { return }
            subscribe(link, subscriber(context, of: link))
        }
        local.onUnsubscribe = { [weak self, weak link] in
            guard let self, let link else { return }
            unsubscribeAll(link)
        }
        local.onReadyToNotify = { [weak self] in self?.sendUpdates() }
    }

    // MARK: Requests

    private func read(_ link: CharacteristicLink, _ request: LocalRequest) {
        // bluetoothd 5.66 lets reads of a characteristic pass that has no flag for reading or writing at all.
        guard link.plan.isReadable else { return request.fail(CBATTError.Code.readNotPermitted) }
        if let value = link.plan.staticValue { return request.reply(part: value) }
        let central = central(for: request.context)
        let mtu = central.mtu
        let answer = PendingAnswer(to: request, isRead: true, owner: ObjectIdentifier(self))
        deliver { [characteristic = link.plan.characteristic, offset = request.context.offset] manager in
            central.central.attMTU = mtu
            let request = CBATTRequest(
                central: central.central, characteristic: characteristic, offset: offset, value: nil,
                pendingAnswer: answer)
            guard let delegate = manager.delegate else {
                return manager.respond(to: request, withResult: .requestNotSupported)
            }
            delegate.peripheralManager(manager, didReceiveRead: request)
        }
    }

    private func write(_ link: CharacteristicLink, _ request: LocalRequest) {
        guard link.plan.isWriteable else { return request.fail(CBATTError.Code.writeNotPermitted) }
        // Only a question whether a long write may begin; its parts come as one value, with one offset, at its end.
        if request.context.isPrepareAuthorization { return request.reply() }
        let offset = request.context.offset
        guard offset <= ATT.maximumValueLength else { return request.fail(CBATTError.Code.invalidOffset) }
        guard offset + request.value.count <= ATT.maximumValueLength else {
            return request.fail(CBATTError.Code.invalidAttributeValueLength)
        }
        let central = central(for: request.context)
        let mtu = central.mtu
        let answer = PendingAnswer(to: request, isRead: false, owner: ObjectIdentifier(self))
        deliver { [characteristic = link.plan.characteristic, value = request.value] manager in
            central.central.attMTU = mtu
            let request = CBATTRequest(
                central: central.central, characteristic: characteristic, offset: offset, value: value,
                pendingAnswer: answer)
            guard let delegate = manager.delegate else {
                return manager.respond(to: request, withResult: .requestNotSupported)
            }
            delegate.peripheralManager(manager, didReceiveWrite: [request])
        }
    }

    // MARK: Centrals

    private func central(for context: RequestContext) -> RemoteCentral {
        central(at: context.device, mtu: context.mtu)
    }

    /// - Parameter mtu: nil when it is not known.
    private func central(at path: ObjectPath, mtu: Int?) -> RemoteCentral {
        if let known = centrals[path] {
            if let mtu { known.mtu = mtu }
            return known
        }
        let device = session.device(at: path)
        // `dev_00_AA_01_01_00_01`, should the mirror not have it yet.
        let address = device?.address ?? path.lastElement.dropFirst(4).replacingOccurrences(of: "_", with: ":")
        let identifier = PeerIdentifier(addressText: address, isRandom: device?.addressType == "random")?.uuid
        let central = RemoteCentral(
            path: path, central: CBCentral(identifier: identifier ?? UUID()), mtu: mtu ?? ATT.minimumMTU)
        centrals[path] = central
        if device?.isConnected != true { confirmConnection(of: path) }
        return central
    }

    /// Asks whether a central that is not known as connected is. What it has sent may arrive after the report that it
    /// is disconnected, which must not make it a subscriber that never goes.
    private func confirmConnection(of path: ObjectPath) {
        guard path != .root else { return }
        session.confirmConnection(of: path) { [weak self] answer in
            switch answer {
            case .success(true), .failure(BlueZError.timedOut): break
            case .success(false), .failure:
                self?.disconnected(path, isBonded: self?.session.device(at: path)?.isPaired ?? false)
            }
        }
    }

    func connected(_ device: Device) {
        for link in links.values {
            guard let absent = link.absentSubscribers.removeValue(forKey: device.path), device.isPaired else {
                continue
            }
            link.local.resumeNotifying()
            subscribe(link, central(at: device.path, mtu: absent.mtu))
        }
    }

    /// bluetoothd keeps the subscriptions of a bonded central. 5.66 keeps its socket, too. 5.82 and 5.87 close it when
    /// the central disconnects, and ask for no other when it is back: they believe that the program still notifies it,
    /// because the central writes the value that its CCCD has (`gatt_ccc_write_cb` in src/gatt-database.c). What then
    /// goes out as signals arrives.
    func disconnected(_ path: ObjectPath, isBonded: Bool) {
        for link in links.values {
            if let ended = link.endedSubscriptions.removeValue(forKey: path), isBonded,
                ended.isRecent(at: .now, within: session.timing.socketEnd)
            {
                link.absentSubscribers[path] = ended
            }
            guard let central = link.subscribers.first(where: { $0.path == path }) else { continue }
            if link.local.isSubscribed {
                if isBonded { link.absentSubscribers[path] = EndedSubscription(mtu: central.mtu, time: .now) }
                awaitSuccessor(of: link)
            }
            unsubscribe(link, path)
        }
        centrals[path] = nil
    }

    /// bluetoothd tells only of the first central that subscribes. When that one has gone and notifications are still
    /// on, they may be another one's. If nobody has them, bluetoothd ends them in a moment.
    private func awaitSuccessor(of link: CharacteristicLink) {
        guard link.subscribers.count == 1, otherConnectedDevice(than: link) != nil else { return }
        link.succession = .timer(after: .milliseconds(100)) { [weak self, weak link] in
            guard let self, let link, link.succession != nil else { return }
            link.succession = nil
            if link.subscribers.isEmpty, link.local.isSubscribed, let other = otherConnectedDevice(than: link) {
                subscribe(link, central(at: other.path, mtu: nil))
            } else if !link.hasReceivers {
                updates.close(link.key)
            }
        }
    }

    private func otherConnectedDevice(than link: CharacteristicLink) -> Device? {
        adapter?.devices.first { device in
            device.isConnected && !link.subscribers.contains { $0.path == device.path }
        }
    }

    // MARK: Subscriptions

    private func subscriber(_ context: RequestContext?, of link: CharacteristicLink) -> RemoteCentral {
        if let context { return central(for: context) }
        // An older bluetoothd does not say who it is.
        return central(at: otherConnectedDevice(than: link)?.path ?? .root, mtu: nil)
    }

    private func subscribe(_ link: CharacteristicLink, _ central: RemoteCentral) {
        guard !link.subscribers.contains(where: { $0.path == central.path }) else { return }
        if !link.hasReceivers { link.generation += 1 }
        link.subscribers.append(central)
        link.absentSubscribers[central.path] = nil
        link.endedSubscriptions[central.path] = nil
        link.succession = nil
        let subscribed = openUpdates(link)
        let mtu = central.mtu
        deliver { [characteristic = link.plan.characteristic] manager in
            central.central.attMTU = mtu
            characteristic.subscribedCentrals = subscribed
            manager.delegate?.peripheralManager(manager, central: central.central, didSubscribeTo: characteristic)
        }
    }

    private func unsubscribe(_ link: CharacteristicLink, _ path: ObjectPath) {
        guard let index = link.subscribers.firstIndex(where: { $0.path == path }) else { return }
        let central = link.subscribers.remove(at: index)
        let subscribed = openUpdates(link)
        deliver { [characteristic = link.plan.characteristic] manager in
            characteristic.subscribedCentrals = subscribed
            manager.delegate?.peripheralManager(manager, central: central.central, didUnsubscribeFrom: characteristic)
        }
    }

    func unsubscribeAll(_ link: CharacteristicLink) {
        let now = ContinuousClock.now
        link.absentSubscribers = link.absentSubscribers.filter {
            $0.value.isRecent(at: now, within: session.timing.socketEnd)
        }
        link.endedSubscriptions = [:]
        link.succession = nil
        for central in link.subscribers {
            link.endedSubscriptions[central.path] = EndedSubscription(mtu: central.mtu, time: now)
            unsubscribe(link, central.path)
        }
        // What is queued for it would otherwise hold up the rest until somebody else's socket is ready.
        sendUpdates()
    }

    /// Tells the queue who receives values of the characteristic.
    private func openUpdates(_ link: CharacteristicLink) -> [CBCentral] {
        let subscribed = link.subscribers.map(\.central)
        if !link.hasReceivers {
            updates.close(link.key)
        } else {
            updates.open(link.key, generation: link.generation, centrals: subscribed.map(ObjectIdentifier.init))
        }
        return subscribed
    }

    // MARK: Notifications

    /// How many values go out before the loop looks after everything else: a program that always has one more must not
    /// keep it from hearing that the central is gone.
    private static let valuesPerTurn = 64

    /// Hands values to bluetoothd until there are none left, or there is no room: then it goes on as soon as there is.
    func sendUpdates() {
        var done = 0
        for _ in 0..<Self.valuesPerTurn {
            if batch.isEmpty {
                tellIfReady(after: done)
                done = 0
                updates.take(into: &batch)
                if batch.isEmpty { return }
            }
            let update = batch[0]
            if let link = links[update.target], link.generation == update.generation, link.hasReceivers,
                !link.local.notify(update.value)
            {
                return tellIfReady(after: done)
            }
            batch.removeFirst()
            done += 1
        }
        tellIfReady(after: done)
        MainLoop.shared.async { [weak self] in self?.sendUpdates() }
    }

    private func tellIfReady(after count: Int) {
        guard count > 0, updates.finished(count) else { return }
        deliver { $0.delegate?.peripheralManagerIsReady(toUpdateSubscribers: $0) }
    }
}

extension LocalRequest {
    fileprivate func fail(_ code: CBATTError.Code) { fail(attError: UInt8(clamping: code.rawValue)) }
}
