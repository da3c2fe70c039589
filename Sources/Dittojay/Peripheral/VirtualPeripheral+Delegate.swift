import CoreBluetooth
import GATTProfiles

extension VirtualPeripheral: CBPeripheralManagerDelegate {
    public func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        stateChanged(peripheral.state)
    }

    public func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        // One that was withdrawn meanwhile has another registration, or none.
        guard let simulated = services.first(where: { $0.registration === service }) else { return }
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
            return tell(.failed) { $0.message = "cannot advertise: \(error.localizedDescription)" }
        }
        tell(.advertising) { event in
            let names = services.filter { $0.isPublished && $0.profile.isAdvertised }.map(\.profile.name)
            event.message =
                "\"\(localName)\" with \(names.joined(separator: ", ")) on \(adapter?.name ?? "") "
                + (adapter?.address ?? "")
        }
    }

    // MARK: Subscriptions

    public func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        guard let simulated = self.characteristic(for: characteristic) else { return }
        let known = note(central)
        tell(.subscribed) { event in
            event.name(simulated)
            event.central = known
        }
        simulated.subscriptionsChanged()
    }

    public func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        guard let simulated = self.characteristic(for: characteristic) else { return }
        // Not noted: it may be the last that is heard of a central that has gone.
        let known = PeripheralEvent.Central(
            address: central.bluetoothAddress ?? central.identifier.uuidString,
            mtu: central.maximumUpdateValueLength + 3)
        tell(.unsubscribed) { event in
            event.name(simulated)
            event.central = known
        }
        simulated.subscriptionsChanged()
        burst?.proceed()
    }

    public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        for service in services {
            for characteristic in service.characteristics { characteristic.sendWaiting() }
        }
        burst?.proceed()
    }

    // MARK: Requests

    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        guard let simulated = characteristic(for: request.characteristic) else {
            return peripheral.respond(to: request, withResult: .attributeNotFound)
        }
        let central = note(request.central)
        let isWorthTelling = simulated.behaviour.reportsRequests
        do throws(CBATTError) {
            let value = try simulated.behaviour.read()
            guard request.offset <= value.count else { throw CBATTError(.invalidOffset) }
            request.value = request.offset == 0 ? value : value.dropFirst(request.offset)
            peripheral.respond(to: request, withResult: .success)
            reads += 1
            // The parts of a long value are one read.
            guard isWorthTelling, request.offset == 0 else { return }
            tell(.read) { event in
                event.name(simulated)
                event.central = central
                event.value = value
            }
        } catch {
            peripheral.respond(to: request, withResult: error.code)
            tell(.read) { event in
                event.name(simulated)
                event.central = central
                event.attError = error.code.rawValue
            }
        }
    }

    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let first = requests.first else { return }
        // One characteristic at a time: a reliable write to several is refused, as nothing here can undo.
        guard let simulated = characteristic(for: first.characteristic),
            requests.allSatisfy({ $0.characteristic === first.characteristic })
        else { return peripheral.respond(to: first, withResult: .requestNotSupported) }
        let central = note(first.central)
        var value = Data()
        var refusal: CBATTError?
        do throws(CBATTError) {
            value = try WriteAssembly.value(
                after: requests.lazy.map { ($0.offset, $0.value ?? Data()) }, on: simulated.behaviour.valueBeforeWrite)
            try simulated.behaviour.write(value)
            writes += 1
        } catch {
            refusal = error
        }
        peripheral.respond(to: first, withResult: refusal?.code ?? .success)
        guard refusal != nil || simulated.behaviour.reportsRequests else { return }
        tell(.written) { event in
            event.name(simulated)
            event.central = central
            event.value = refusal == nil ? value : first.value
            event.attError = refusal?.code.rawValue
        }
    }
}

extension PeripheralEvent {
    fileprivate mutating func name(_ characteristic: SimulatedCharacteristic) {
        service = characteristic.service.profile.name
        self.characteristic = characteristic.profile.name
    }
}
