package import CoreBluetooth
package import RestorationProtocol

/// What a program publishes, by CoreBluetooth. Used on the main queue only.
package final class BluetoothPublisher: NSObject, Publisher {
    package weak var observer: (any PublisherObserver)?

    package private(set) var epoch = 0
    private var manager: CBPeripheralManager?
    private var services: [UInt32: CBMutableService] = [:]
    private var places: [ObjectIdentifier: CharacteristicPlace] = [:]
    private var adding: [(service: CBService, completion: (AgentFailure?) -> Void)] = []
    private var starting: ((AgentFailure?) -> Void)?
    private var requests: [UInt32: CBATTRequest] = [:]
    private var nextRequest: UInt32 = 1

    /// - Parameter adapter: by name or address.
    package init(adapter: String?) {
        super.init()
        manager = CBPeripheralManager(
            delegate: self, queue: .main, options: adapter.map { [CBPeripheralManagerOptionAdapterKey: $0] })
    }

    package var state: Int { manager?.state.rawValue ?? 0 }

    package var subscriptions: [SubscribedCentral] {
        services.values.flatMap { $0.characteristics ?? [] }.flatMap { characteristic in
            ((characteristic as? CBMutableCharacteristic)?.subscribedCentrals ?? []).compactMap {
                subscription($0, characteristic)
            }
        }
    }

    private func subscription(_ central: CBCentral, _ characteristic: CBCharacteristic) -> SubscribedCentral? {
        places[ObjectIdentifier(characteristic)].map { SubscribedCentral(place: $0, central: CentralRecord(central)) }
    }

    private func characteristic(at place: CharacteristicPlace) -> CBMutableCharacteristic? {
        let all = services[place.service]?.characteristics ?? []
        return all.indices.contains(place.index) ? all[place.index] as? CBMutableCharacteristic : nil
    }

    // MARK: Services

    package func publish(_ record: ServiceRecord, completion: @escaping (AgentFailure?) -> Void) {
        guard let manager, manager.state == .poweredOn, services[record.number] == nil else {
            return completion(AgentFailure(CBError(.operationCancelled)))
        }
        guard let service = record.service else { return completion(AgentFailure(CBError(.invalidParameters))) }
        let included = (record.includes ?? []).compactMap { services[$0] }
        guard included.count == (record.includes ?? []).count else {
            return completion(AgentFailure(CBError(.invalidParameters)))
        }
        if !included.isEmpty { service.includedServices = included }
        services[record.number] = service
        for (index, characteristic) in (service.characteristics ?? []).enumerated() {
            places[ObjectIdentifier(characteristic)] = CharacteristicPlace(service: record.number, index: index)
        }
        adding.append((service, completion))
        manager.add(service)
    }

    package func withdraw(_ number: UInt32) {
        guard let service = services[number] else { return }
        if manager?.state == .poweredOn { manager?.remove(service) }
        forget(number)
    }

    private func forget(_ number: UInt32) {
        for characteristic in services.removeValue(forKey: number)?.characteristics ?? [] {
            places[ObjectIdentifier(characteristic)] = nil
        }
    }

    // MARK: Advertising

    package func advertise(_ advertisement: AdvertisementRecord, completion: @escaping (AgentFailure?) -> Void) {
        guard let manager, manager.state == .poweredOn, starting == nil else {
            return completion(AgentFailure(CBError(.operationCancelled)))
        }
        starting = completion
        manager.startAdvertising(advertisement.dictionary)
    }

    package func stopAdvertising() { manager?.stopAdvertising() }

    // MARK: Requests and values

    package func respond(_ answer: CentralAnswer) {
        guard let request = requests.removeValue(forKey: answer.request), manager?.state == .poweredOn else { return }
        request.value = answer.value
        manager?.respond(to: request, withResult: CBATTError.Code(rawValue: answer.code) ?? .unlikelyError)
    }

    private func received(_ request: CBATTRequest, value: Data?) {
        guard let place = places[ObjectIdentifier(request.characteristic)] else {
            return manager?.respond(to: request, withResult: .unlikelyError) ?? ()
        }
        let number = nextRequest
        nextRequest &+= 1
        requests[number] = request
        observer?.received(
            CentralRequest(
                number: number, place: place, central: CentralRecord(request.central), offset: request.offset,
                value: value, wantsResponse: request.wantsResponse), self)
    }

    package func update(_ update: ValueUpdate) -> Bool {
        // The service may have been withdrawn while the value was on its way.
        guard let manager, manager.state == .poweredOn, let characteristic = characteristic(at: update.place) else {
            return true
        }
        return manager.updateValue(update.value, for: characteristic, onSubscribedCentrals: nil)
    }

    package func stop() {
        observer = nil
        dropEverything()
        // Withdraws the rest by its end.
        manager = nil
    }

    /// Nothing is published any longer.
    private func dropEverything() {
        let (adding, starting) = (adding, starting)
        (self.adding, self.starting) = ([], nil)
        (services, places, requests) = ([:], [:], [:])
        let failure = AgentFailure(CBError(.operationCancelled))
        for (_, completion) in adding { completion(failure) }
        starting?(failure)
    }
}

extension BluetoothPublisher: CBPeripheralManagerDelegate {
    package func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        epoch += 1
        dropEverything()
        observer?.stateChanged(self)
    }

    package func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
        guard let index = adding.firstIndex(where: { $0.service === service }) else { return }
        let completion = adding.remove(at: index).completion
        if error != nil, let number = services.first(where: { $0.value === service })?.key { forget(number) }
        completion(error.map { AgentFailure($0) })
    }

    package func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
        let completion = starting
        starting = nil
        completion?(error.map { AgentFailure($0) })
    }

    package func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        if let subscription = subscription(central, characteristic) { observer?.subscribed(subscription, self) }
    }

    package func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        if let subscription = subscription(central, characteristic) { observer?.unsubscribed(subscription, self) }
    }

    package func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        received(request, value: nil)
    }

    package func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        // bluetoothd joins the parts of a long write: there is one.
        if let first = requests.first { received(first, value: first.value ?? Data()) }
    }

    package func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        observer?.isReady(self)
    }
}

extension CentralRecord {
    fileprivate init(_ central: CBCentral) {
        self.init(identifier: central.identifier, mtu: central.attMTU)
    }
}
