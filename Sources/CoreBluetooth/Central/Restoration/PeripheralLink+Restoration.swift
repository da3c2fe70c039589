import BlueZ
import DBus
import MainLoop

/// The agent's part in a link.
extension PeripheralLink {
    /// What is reported to the agent about this link.
    var agentRequest: PeripheralRequest? {
        guard let address = adapterAddress else { return nil }
        return PeripheralRequest(
            peripheral: peripheral.identifier, adapter: address, reconnects: options.reconnects)
    }

    /// Makes the objects of a link that is up, and takes up the subscriptions of an earlier run.
    func takeUp(_ subscriptions: [SubscriptionRequest], _ client: RestorationClient) -> [RestoredService] {
        var open = subscriptions
        let services = services.filter { $0.isPrimary && !$0.isSystems }.compactMap { remote -> RestoredService? in
            guard let uuid = CBUUID(shortening: remote.uuid) else { return nil }
            let service = service(remote, uuid)
            var notifying: [CBCharacteristic] = []
            let characteristics = remote.characteristics.compactMap { remote -> CBCharacteristic? in
                guard let uuid = CBUUID(shortening: remote.uuid) else { return nil }
                let characteristic = characteristic(remote, uuid, of: service)
                let key = CharacteristicKey(remote)
                if let index = open.firstIndex(where: { $0.key == key }) {
                    takeUp(open.remove(at: index), remote, characteristic, client)
                    notifying.append(characteristic)
                }
                return characteristic
            }
            return RestoredService(service: service, characteristics: characteristics, notifying: notifying)
        }
        for request in open { client.abandon(request.subscription) }
        return services
    }

    private func takeUp(
        _ request: SubscriptionRequest, _ remote: RemoteCharacteristic, _ characteristic: CBCharacteristic,
        _ client: RestorationClient
    ) {
        let agent = AgentSubscription(
            characteristic, request.key, of: request.peripheral, usesSocket: request.usesSocket, client: client)
        agent.adopt(request.subscription)
        self.subscriptions[remote.path] = agent
    }

    /// The agent's subscription of a characteristic; nil when the program does without the agent.
    func agentSubscription(_ remote: RemoteCharacteristic, _ characteristic: CBCharacteristic) -> AgentSubscription? {
        guard let client = restoration, client.isAvailable else { return nil }
        return AgentSubscription(
            characteristic, CharacteristicKey(remote), of: peripheral.identifier,
            usesSocket: options.usesNotifySockets ? true : nil, client: client)
    }
}

extension CharacteristicKey {
    @LoopActor
    init(_ remote: RemoteCharacteristic) {
        self.init(
            service: remote.service?.uuid ?? "", characteristic: remote.uuid,
            path: Self.relative(remote.path.string))
    }

    /// The last two elements of an object path: those of the service and of the characteristic.
    package static func relative(_ path: String) -> String {
        path.split(separator: "/").suffix(2).joined(separator: "/")
    }
}
