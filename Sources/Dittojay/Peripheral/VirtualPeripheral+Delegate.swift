import CoreBluetooth
import GATTProfiles

extension VirtualPeripheral: CBPeripheralManagerDelegate {
    public func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        stateChanged(peripheral.state)
    }

    public func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        // One that was withdrawn meanwhile has another registration, or none.
        guard let simulated = services.all.first(where: { $0.registration === service }) else { return }
        let name = simulated.profile.name
        let replies = publicationReplies.removeValue(forKey: name) ?? []
        if let error {
            simulated.withdraw()
            // The others are advertised all the same.
            simulated.publication = .failed
            let message = "cannot publish the service \(name): \(error.localizedDescription)"
            tell(.failed) { $0.message = message }
            for reply in replies { reply(ControlReply(error: message)) }
        } else {
            simulated.publication = .done
            if !replies.isEmpty { tell(.serviceAdded) { $0.service = name } }
            for reply in replies { reply(ControlReply()) }
        }
        advertise()
    }

    public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        if let error {
            advertisedServices = nil
            tell(.failed) { $0.message = "cannot advertise: \(error.localizedDescription)" }
            return becameReady()
        }
        tell(.advertising) { event in
            let names = services.all.filter { $0.isPublished && $0.profile.isAdvertised }.map(\.profile.name)
            event.message =
                "\"\(localName)\"\(names.isEmpty ? "" : " with ")\(names.joined(separator: ", ")) on \(adapter?.name ?? "") "
                + (adapter?.address ?? "")
        }
        becameReady()
    }

    // MARK: Subscriptions

    public func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        guard let simulated = services.characteristic(for: characteristic) else { return }
        let known = note(central)
        tell(.subscribed) { event in
            event.name(simulated)
            event.central = known
        }
        simulated.subscriptionsChanged()
        occurred(.subscribed, to: simulated)
    }

    public func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        guard let simulated = services.characteristic(for: characteristic) else { return }
        let known = known(central)
        tell(.unsubscribed) { event in
            event.name(simulated)
            event.central = known
        }
        simulated.subscriptionsChanged()
        occurred(.unsubscribed, to: simulated)
        burst?.proceed()
    }

    public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        for service in services.all {
            for characteristic in service.characteristics { characteristic.sendWaiting() }
        }
        burst?.proceed()
    }
}

extension PeripheralEvent {
    mutating func name(_ characteristic: SimulatedCharacteristic) {
        service = characteristic.service.profile.name
        self.characteristic = characteristic.profile.name
    }
}
