import BlueZ
import DBus
import MainLoop

/// Finding services, characteristics and descriptors: all of it is answered from bluetoothd's objects.
extension PeripheralLink {
    // MARK: Resolution

    /// bluetoothd says that the services are resolved; the last of them may still be on their way (bleak #1806).
    func resolveIfReady() {
        guard phase == .connected, !isResolved, let device, device.areServicesResolved else { return }
        session.afterPendingSignals { [weak self, weak device] in
            guard let self, phase == .connected, let device, device === self.device, !isResolved else { return }
            if hasFoundNothing(device) {
                return resolutionFailed(
                    "bluetoothd found no services: the device did not answer, or not all that it was asked")
            }
            isResolved = true
            resolutionFailure = nil
            resolutionTimer = nil
            discovery.attributeAppeared()
            if let restoration, let agentRequest { restoration.connected(agentRequest) }
            resumeResolutionWaiters()
        }
    }

    private func resumeResolutionWaiters() {
        let waiters = resolutionWaiters
        resolutionWaiters = []
        for waiter in waiters { waiter() }
    }

    /// Whether the discovery has failed, although bluetoothd (5.66) says that the services are resolved: it does when
    /// its ATT requests time out, too. A device that answers has Generic Access at least (Core Specification, Vol 3,
    /// Part C, 12), which bluetoothd keeps to itself but lists.
    private func hasFoundNothing(_ device: Device) -> Bool {
        device.services.isEmpty && device.serviceUUIDs.allSatisfy { !Device.servicesOfEveryDevice.contains($0) }
    }

    /// How long the discovery of the services may take: bluetoothd gives each of its requests 30 seconds.
    private static let resolutionTimeout: Duration = .seconds(60)

    /// Sees to it that a discovery without an end is ended.
    func limitResolution() {
        resolutionTimer = .timer(after: Self.resolutionTimeout) { [weak self] in
            self?.resolutionFailed(
                "the device's services were not found within \(Self.resolutionTimeout.components.seconds) s")
        }
    }

    private func resolutionFailed(_ reason: String) {
        guard phase == .connected, !isResolved else { return }
        resolutionFailure = CBError(.connectionTimeout, userInfo: [NSLocalizedDescriptionKey: reason])
        resolutionTimer = nil
        resumeResolutionWaiters()
    }

    /// Does `work` when bluetoothd has reported all services, including those that it is adding at the moment; or when
    /// they cannot be known.
    private func whenResolved(_ work: @escaping @LoopActor () -> Void) {
        if resolutionFailure != nil {
            work()
        } else if !isResolved {
            resolutionWaiters.append(work)
        } else if serviceChanges.isPending {
            changeWaiters.append(work)
        } else {
            work()
        }
    }

    /// Adds a request that is answered from bluetoothd's objects.
    ///
    /// - Parameter isComplete: whether all that is looked for is there. What is not is waited for while more is to be
    ///   expected.
    private func addLookup(
        isComplete: @escaping @LoopActor (PeripheralLink) -> Bool = { _ in true },
        _ work: @escaping @LoopActor (PeripheralLink) -> Void
    ) {
        requests.add { [weak self] done in
            guard let self else { return done() }
            whenResolved { [weak self] in
                guard let self else { return done() }
                let answer: @LoopActor () -> Void = { [weak self] in
                    if let self { work(self) }
                    done()
                }
                guard isResolved else { return answer() }
                discovery.whenComplete({ [weak self] in self.map(isComplete) ?? true }, answer)
            }
        }
    }

    // MARK: Discovery

    /// The device's services, without those that it no longer has.
    var services: [RemoteService] { device?.services.filter { !missedRemovals.contains($0.path) } ?? [] }

    func discoverServices(_ filter: [CBUUID]?, _ completion: RequestCompletion<Void>) {
        requests.add { [weak self] done in
            self?.whenResolved { [weak self] in
                guard let self else { return done() }
                discovery.whenComplete({ [weak self] in self?.hasServices(filter) ?? true }) {
                    Task { [weak self] in
                        let mtu = await self?.services.lazy.flatMap(\.characteristics).first?.fetchMTU()
                        self?.answerServices(filter, mtu: mtu ?? nil, completion)
                        done()
                    }
                }
            }
        }
    }

    private func hasServices(_ filter: [CBUUID]?) -> Bool {
        guard isResolved, device != nil else { return true }
        return services.map(\.uuid).haveAll(filter)
    }

    private func answerServices(_ filter: [CBUUID]?, mtu: Int?, _ completion: RequestCompletion<Void>) {
        guard isResolved else {
            return answer(completion, .failure(resolutionFailure ?? CBError(.connectionTimeout)))
        }
        let found = services.filter { $0.isPrimary && (filter != nil || !$0.isSystems) }.compactMap { remote in
            wanted(remote.uuid, filter).map { service(remote, $0) }
        }
        answer(completion, .success(())) { peripheral, _ in
            if let mtu { peripheral.mtu = mtu }
            peripheral.services = (peripheral.services ?? []).adding(found)
        }
    }

    func discoverIncludedServices(
        _ filter: [CBUUID]?, of service: CBService, _ completion: RequestCompletion<Void>
    ) {
        addLookup { link in
            guard let remote = link.remoteService(service) else {
                return link.answer(completion, .failure(CBError(.invalidHandle)))
            }
            let found = remote.includes.compactMap { link.session.service(at: $0) }.compactMap { included in
                link.wanted(included.uuid, filter).map { link.service(included, $0) }
            }
            link.answer(completion, .success(())) { _, _ in
                service.includedServices = (service.includedServices ?? []).adding(found)
            }
        }
    }

    func discoverCharacteristics(
        _ filter: [CBUUID]?, of service: CBService, _ completion: RequestCompletion<Void>
    ) {
        addLookup { link in
            link.remoteService(service)?.characteristics.map(\.uuid).haveAll(filter) ?? true
        } _: { link in
            guard let remote = link.remoteService(service) else {
                return link.answer(completion, .failure(CBError(.invalidHandle)))
            }
            link.explored.insert(remote.path)
            let found = remote.characteristics.compactMap { characteristic in
                link.wanted(characteristic.uuid, filter).map { link.characteristic(characteristic, $0, of: service) }
            }
            link.answer(completion, .success(())) { _, _ in
                service.characteristics = (service.characteristics ?? []).adding(found)
            }
        }
    }

    func discoverDescriptors(of characteristic: CBCharacteristic, _ completion: RequestCompletion<Void>) {
        addLookup { link in
            guard let remote = link.remoteCharacteristic(characteristic) else {
                return link.answer(completion, .failure(CBError(.invalidHandle)))
            }
            let found = remote.descriptors.compactMap { descriptor in
                link.wanted(descriptor.uuid, nil).map { link.descriptor(descriptor, $0, of: characteristic) }
            }
            link.answer(completion, .success(())) { _, _ in
                characteristic.descriptors = (characteristic.descriptors ?? []).adding(found)
            }
        }
    }

    func wanted(_ text: String, _ filter: [CBUUID]?) -> CBUUID? {
        guard let uuid = CBUUID(shortening: text), filter?.contains(uuid) ?? true else { return nil }
        return uuid
    }

    // MARK: Objects

    /// The app's object for one of bluetoothd's: the same for the whole connection.
    private func object<T: CBAttribute>(_ path: ObjectPath, make: () -> T) -> T {
        if let known = attributes[path] as? T { return known }
        let new = make()
        new.path = path
        attributes[path] = new
        return new
    }

    func service(_ remote: RemoteService, _ uuid: CBUUID) -> CBService {
        object(remote.path) { CBService(uuid: uuid, isPrimary: remote.isPrimary, peripheral: peripheral) }
    }

    func characteristic(
        _ remote: RemoteCharacteristic, _ uuid: CBUUID, of service: CBService
    ) -> CBCharacteristic {
        object(remote.path) {
            CBCharacteristic(
                uuid: uuid, properties: CBCharacteristicProperties(remote.flags), service: service)
        }
    }

    private func descriptor(
        _ remote: RemoteDescriptor, _ uuid: CBUUID, of characteristic: CBCharacteristic
    ) -> CBDescriptor {
        object(remote.path) { CBDescriptor(uuid: uuid, characteristic: characteristic) }
    }

    /// bluetoothd's object behind an object of the app; nil when it is of an earlier connection, or was removed.
    private func path(_ attribute: CBAttribute) -> ObjectPath? {
        guard let path = attribute.path, attributes[path] === attribute else { return nil }
        return path
    }

    private func remoteService(_ service: CBService) -> RemoteService? {
        guard let path = path(service) else { return nil }
        return session.service(at: path)
    }

    func remoteCharacteristic(_ characteristic: CBCharacteristic) -> RemoteCharacteristic? {
        guard let path = path(characteristic) else { return nil }
        return session.characteristic(at: path)
    }

    func remoteDescriptor(_ descriptor: CBDescriptor) -> RemoteDescriptor? {
        guard let path = path(descriptor) else { return nil }
        return session.descriptor(at: path)
    }
}

extension [String] {
    /// Whether all UUIDs that are looked for are among these; any will do if none in particular is.
    fileprivate func haveAll(_ wanted: [CBUUID]?) -> Bool {
        guard let wanted else { return !isEmpty }
        return wanted.allSatisfy { contains($0.bluezText) }
    }
}

extension Array where Element: AnyObject {
    /// These and those of `others` that are not among them.
    fileprivate func adding(_ others: [Element]) -> [Element] {
        self + others.filter { other in !contains { $0 === other } }
    }
}

extension CBUUID {
    /// The UUID as bluetoothd writes it.
    package var bluezText: String { fullText.lowercased() }
}

extension CBCharacteristicProperties {
    /// The properties of a remote characteristic.
    init(_ flags: AttributeFlags) {
        self = Self.flags.reduce(into: []) { properties, row in
            if flags.contains(row.flag) { properties.insert(row.property) }
        }
    }

    private static let flags: [(flag: AttributeFlags, property: CBCharacteristicProperties)] = [
        (.broadcast, .broadcast), (.read, .read), (.writeWithoutResponse, .writeWithoutResponse), (.write, .write),
        (.notify, .notify), (.indicate, .indicate), (.authenticatedSignedWrites, .authenticatedSignedWrites),
        (.extendedProperties, .extendedProperties),
    ]
}

extension RemoteService {
    /// Whether it is the system's to use. As on Apple's platforms, an app gets it only if it asks for it by its UUID.
    var isSystems: Bool { Device.servicesOfEveryDevice.contains(uuid) }
}
