import DequeModule
import MainLoop

/// The centrals that are connected to the agent, what they ask for and what they are sent.
extension AgentPeripheralCore {
    /// How many centrals are remembered that may have left: addresses change.
    private static let maximumUnknown = 64

    func central(_ record: CentralRecord) -> CBCentral {
        let central = centrals[record.identifier] ?? CBCentral(identifier: record.identifier)
        if centrals.count > Self.maximumUnknown {
            let subscribed = Set(characteristics.values.flatMap(\.subscribers).map(\.identifier))
            centrals = centrals.filter { subscribed.contains($0.key) }
        }
        centrals[record.identifier] = central
        central.attMTU = max(record.mtu, ATT.minimumMTU)
        return central
    }

    func characteristic(at place: CharacteristicPlace) -> AgentCharacteristic? {
        guard let service = services[place.service], service.characteristics.indices.contains(place.index) else {
            return nil
        }
        return characteristics[ObjectIdentifier(service.characteristics[place.index])]
    }

    func subscribe(_ link: AgentCharacteristic, _ central: CBCentral) {
        guard !link.subscribers.contains(where: { $0 === central }) else { return }
        if link.subscribers.isEmpty { link.generation += 1 }
        link.subscribers.append(central)
        openUpdates(link)
    }

    func unsubscribe(_ link: AgentCharacteristic, _ central: CBCentral) {
        guard let index = link.subscribers.firstIndex(where: { $0 === central }) else { return }
        link.subscribers.remove(at: index)
        openUpdates(link)
        deliver { [characteristic = link.characteristic, subscribers = link.subscribers] manager in
            characteristic.subscribedCentrals = subscribers
            manager.delegate?.peripheralManager(manager, central: central, didUnsubscribeFrom: characteristic)
        }
    }

    /// Sets in the queue which centrals receive values of the characteristic.
    private func openUpdates(_ link: AgentCharacteristic) {
        let key = ObjectIdentifier(link.characteristic)
        guard !link.subscribers.isEmpty else { return updates.close(key) }
        updates.open(key, generation: link.generation, centrals: link.subscribers.map(ObjectIdentifier.init))
    }

    func subscribed(_ subscription: SubscribedCentral) {
        guard let link = characteristic(at: subscription.place) else { return }
        let central = central(subscription.central)
        subscribe(link, central)
        deliver { [characteristic = link.characteristic, subscribers = link.subscribers] manager in
            characteristic.subscribedCentrals = subscribers
            manager.delegate?.peripheralManager(manager, central: central, didSubscribeTo: characteristic)
        }
    }

    func unsubscribed(_ subscription: SubscribedCentral) {
        guard let link = characteristic(at: subscription.place) else { return }
        unsubscribe(link, central(subscription.central))
    }

    // MARK: Requests

    func received(_ record: CentralRequest) {
        guard let link = characteristic(at: record.place) else {
            let code = CBATTError.Code.unlikelyError.rawValue
            return connection.send(.respond(CentralAnswer(request: record.number, code: code, value: nil)))
        }
        let isRead = record.value == nil
        let answer = PendingAnswer(owner: ObjectIdentifier(self)) { [weak self, agents] result, value in
            guard let self, agents == self.agents else { return }
            let value = isRead && result == .success ? (value ?? Data()).prefix(ATT.maximumValueLength) : nil
            connection.send(
                .respond(CentralAnswer(request: record.number, code: result.rawValue, value: value.map { Data($0) })))
        }
        let request = CBATTRequest(
            central: central(record.central), characteristic: link.characteristic, offset: record.offset,
            value: record.value, wantsResponse: record.wantsResponse, pendingAnswer: answer)
        deliver { manager in
            guard let delegate = manager.delegate else {
                return manager.respond(to: request, withResult: .requestNotSupported)
            }
            if isRead {
                delegate.peripheralManager(manager, didReceiveRead: request)
            } else {
                delegate.peripheralManager(manager, didReceiveWrite: [request])
            }
        }
    }

    // MARK: Values

    /// Hands values to the agent, as long as it has room.
    func sendUpdates() {
        while unconfirmed < AgentLimits.updates {
            if batch.isEmpty { updates.take(into: &batch) }
            guard !batch.isEmpty else { return }
            var dropped = 0
            var values: [ValueUpdate] = []
            while unconfirmed + values.count < AgentLimits.updates, let update = batch.popFirst() {
                let link = characteristics[update.target]
                guard let link, link.generation == update.generation, !link.subscribers.isEmpty else {
                    dropped += 1
                    continue
                }
                values.append(
                    ValueUpdate(place: link.place, value: Data(update.value.prefix(ATT.maximumValueLength))))
            }
            if dropped > 0 { finished(dropped) }
            guard !values.isEmpty else { continue }
            unconfirmed += values.count
            connection.send(.update(values))
        }
    }

    func confirmed(_ count: Int) {
        let count = min(count, unconfirmed)
        unconfirmed -= count
        finished(count)
        sendUpdates()
    }

    private func finished(_ count: Int) {
        guard count > 0, updates.finished(count) else { return }
        deliver { $0.delegate?.peripheralManagerIsReady(toUpdateSubscribers: $0) }
    }
}
