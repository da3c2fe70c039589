import BlueZ
import DBus
import MainLoop

/// The centrals that are connected, and what they are subscribed to.
extension PeripheralCore {
    // MARK: Centrals

    func central(for context: RequestContext) -> RemoteCentral {
        central(at: context.device, mtu: context.mtu)
    }

    /// - Parameter mtu: nil when it is not known.
    func central(at path: ObjectPath, mtu: Int?) -> RemoteCentral {
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

    /// A bluetoothd whose release is not known (`DeviceID` in main.conf) counts as one that has: there the returning
    /// central would get nothing otherwise.
    var hasSocketForEach: Bool { adapter?.bluezVersion?.hasSocketForEachSubscriber ?? true }

    func connected(_ device: Device) {
        for link in orderedLinks {
            guard let absent = link.absentSubscribers.removeValue(forKey: device.path), device.isPaired else {
                continue
            }
            link.local.resumeNotifying(hasSocketForEach ? device.path : nil)
            subscribe(link, central(at: device.path, mtu: absent.mtu))
        }
    }

    /// bluetoothd keeps the subscriptions of a bonded central. 5.66 keeps its socket, too. 5.82 and 5.87 close it when
    /// the central disconnects, and ask for no other when it is back: they believe that the program still notifies it,
    /// because the central writes the value that its CCCD has (`gatt_ccc_write_cb` in src/gatt-database.c). What then
    /// goes out as signals arrives, and not what goes over the sockets of others.
    func disconnected(_ path: ObjectPath, isBonded: Bool) {
        for link in orderedLinks {
            if let ended = link.endedSubscriptions.removeValue(forKey: path), isBonded,
                ended.isRecent(at: .now, within: session.timing.socketEnd)
            {
                link.absentSubscribers[path] = ended
            }
            guard let central = link.subscribers.first(where: { $0.path == path }) else { continue }
            let hasEnded = link.uncertainEnds?.centrals.remove(path) != nil
            if isBonded, link.local.isSubscribed || hasEnded {
                link.absentSubscribers[path] = EndedSubscription(mtu: central.mtu, time: .now)
            }
            if link.local.isSubscribed { awaitSuccessor(of: link) }
            unsubscribe(link, path)
            link.local.disconnected(path)
            if !isBonded {
                awaitSocketEnd(of: link)
                unbondedSubscriberLeft(link)
            }
        }
        centrals[path] = nil
    }

    /// A central that subscribes, and ends that before bluetoothd (5.66) has the socket, leaves it with one too many in
    /// its count of subscribers. It keeps the socket when that central disconnects, and reports no other one that
    /// subscribes, until the service is published again.
    private func awaitSocketEnd(of link: CharacteristicLink) {
        guard link.local.hasSocket, link.absentSubscribers.isEmpty else { return }
        link.socketEnd = .timer(after: Self.socketEndTime) { [weak self, weak link] in
            // By its answer bluetoothd, which may be late, has closed what it closes with the link.
            self?.session.connection?.confirmReceipt { [weak self] in
                guard let self, let link, link.socketEnd != nil else { return }
                link.socketEnd = nil
                // A central that is there now would miss what comes and goes.
                guard link.local.hasSocket, !link.hasReceivers, otherConnectedDevice(than: link) == nil else { return }
                publishAnew(link)
            }
        }
    }

    /// Short: the central may come back at once.
    static let socketEndTime: Duration = .milliseconds(50)

    /// bluetoothd reports only the first central that subscribes. When that one has disconnected and notifications are
    /// still on, they may be for another central. If nobody is subscribed, bluetoothd ends them in a moment.
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

    func subscriber(_ context: RequestContext?, of link: CharacteristicLink) -> RemoteCentral {
        if let context { return central(for: context) }
        // An older bluetoothd does not say which central it is.
        return central(at: otherConnectedDevice(than: link)?.path ?? .root, mtu: nil)
    }

    func subscribe(_ link: CharacteristicLink, _ central: RemoteCentral) {
        // It would not have to subscribe again otherwise.
        if link.uncertainEnds?.centrals.remove(central.path) != nil { endSubscription(link, central.path) }
        guard !link.subscribers.contains(where: { $0.path == central.path }) else { return }
        if !link.hasReceivers { link.generation += 1 }
        link.subscribers.append(central)
        link.absentSubscribers[central.path] = nil
        link.endedSubscriptions[central.path] = nil
        link.succession = nil
        link.socketEnd = nil
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
        // Where each has a socket, the end of the last says nothing of those that are away.
        if !hasSocketForEach {
            link.absentSubscribers = link.absentSubscribers.filter {
                $0.value.isRecent(at: now, within: session.timing.socketEnd)
            }
        }
        link.endedSubscriptions = [:]
        link.succession = nil
        link.uncertainEnds = nil
        for central in link.subscribers { endSubscription(link, central.path, at: now) }
        // What is queued for it would otherwise hold up the rest until somebody else's socket is ready.
        sendUpdates()
    }

    /// Takes over that bluetoothd has ended the subscription of one central.
    func endSubscription(_ link: CharacteristicLink, _ path: ObjectPath, at time: ContinuousClock.Instant = .now) {
        guard let central = link.subscribers.first(where: { $0.path == path }) else { return }
        link.endedSubscriptions[path] = EndedSubscription(mtu: central.mtu, time: time)
        unsubscribe(link, path)
    }

    /// Sets in the queue which centrals receive values of the characteristic.
    private func openUpdates(_ link: CharacteristicLink) -> [CBCentral] {
        let subscribed = link.subscribers.map(\.central)
        if !link.hasReceivers {
            updates.close(link.key)
        } else {
            updates.open(link.key, generation: link.generation, centrals: subscribed.map(ObjectIdentifier.init))
        }
        return subscribed
    }
}
