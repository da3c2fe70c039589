import BlueZ
import DBus
import MainLoop

/// Changes of the peripheral's services while it is connected.
extension PeripheralLink {
    func serviceAdded(_ service: RemoteService) {
        discovery.attributeAppeared()
        // Before the resolution it is only the connection's beginning.
        guard phase == .connected, isResolved, service.isPrimary else { return }
        collect { $0.serviceAdded() }
    }

    /// A service has got another characteristic. If the app has already got the list, as far as bluetoothd had it, a
    /// change of the service is reported, so that the app discovers the characteristics again.
    func attributeAdded(to service: RemoteService) {
        discovery.attributeAppeared()
        guard phase == .connected, isResolved, !missedRemovals.contains(service.path),
            explored.remove(service.path) != nil
        else { return }
        let object = CBUUID(shortening: service.uuid).map { self.service(service, $0) }
        // What the app listens to in this service stays as it is.
        let isInUse = subscriptions.keys.contains { $0.isSameOrBelow(service.path) }
        collect { changes in
            guard let object, !isInUse else { return changes.serviceAdded() }
            return changes.serviceRemoved(object)
        }
    }

    func serviceRemoved(_ service: RemoteService) {
        guard missedRemovals.remove(service.path) == nil, phase == .connected, isResolved else { return }
        lose(service)
    }

    /// The device says that it has no attribute like this one of bluetoothd's.
    ///
    /// bluetoothd (5.66) can miss that a service was removed while it still looks into an earlier change, and goes on
    /// showing it. When the device has another one of the kind, which has come in its place, the service counts as
    /// removed: a search by its UUID would find this one first, forever. One that has no other of its kind is
    /// kept: the error says all that there is to say.
    func attributeIsUnknown(_ path: ObjectPath) {
        guard phase == .connected, isResolved, let service = services.first(where: { path.isSameOrBelow($0.path) }),
            services.contains(where: { $0 !== service && $0.uuid == service.uuid })
        else { return }
        missedRemovals.insert(service.path)
        lose(service)
    }

    /// Ends what the app uses of a service, and reports that it was removed.
    private func lose(_ service: RemoteService) {
        explored.remove(service.path)
        // The removal is reported even if the app has not discovered the service.
        let object = CBUUID(shortening: service.uuid).map { self.service(service, $0) }
        let gone = attributes.filter { $0.key.isSameOrBelow(service.path) }
        for (path, _) in gone {
            attributes[path] = nil
            subscriptions.removeValue(forKey: path)?.end()
            writeSockets.removeValue(forKey: path)?.close()
        }
        let characteristics = gone.values.compactMap { $0 as? CBCharacteristic }
        if !characteristics.isEmpty {
            post { _ in
                for characteristic in characteristics { characteristic.isNotifying = false }
            }
        }
        if let object, service.isPrimary { collect { $0.serviceRemoved(object) } }
    }

    private func collect(_ note: (inout ServiceChanges<CBService>) -> ServiceChanges<CBService>.Change?) {
        let number = serviceChanges.number
        if let former = note(&serviceChanges) { report(former.removed) }
        guard serviceChanges.number != number else { return }
        session.afterPendingSignals { [weak self, number = serviceChanges.number] in self?.burstEnded(number) }
    }

    private func burstEnded(_ number: Int) {
        guard phase == .connected, let change = serviceChanges.end(number) else { return }
        report(change.removed)
        let waiters = changeWaiters
        changeWaiters = []
        for waiter in waiters { waiter() }
        makeRequestAfterChange()
    }

    /// Makes the request that is under way again, when bluetoothd has reported the next change of the services or when
    /// the time is over.
    func afterServiceChange(atMost limit: Duration, _ request: @escaping @LoopActor () -> Void) {
        requestAfterChange = request
        busyTimer = .timer(after: limit) { [weak self] in self?.makeRequestAfterChange() }
    }

    private func makeRequestAfterChange() {
        guard let request = requestAfterChange else { return }
        requestAfterChange = nil
        busyTimer = nil
        request()
    }

    private func report(_ gone: [CBService]) {
        post { [weak self] peripheral in
            peripheral.services?.removeAll { service in gone.contains { $0 === service } }
            peripheral.delegate?.peripheral(peripheral, didModifyServices: gone)
            guard !gone.isEmpty else { return }
            // The app's earlier requests to these services are still to be refused. A characteristic does not keep its
            // service alive: without this, the delegate would get a characteristic without a service.
            MainLoop.shared.async { self?.keepUntilAnswered(gone) }
        }
    }

    private func keepUntilAnswered(_ services: [CBService]) {
        requests.add { [weak self] done in
            self?.post { _ in withExtendedLifetime(services) {} }
            done()
        }
    }
}
