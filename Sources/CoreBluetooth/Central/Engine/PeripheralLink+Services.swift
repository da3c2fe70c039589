import BlueZ
import DBus

/// Finding services, characteristics and descriptors: all of it is answered from bluetoothd's objects.
extension PeripheralLink {
    // MARK: Resolution

    /// bluetoothd says that the services are resolved; the last of them may still be on their way (bleak #1806).
    func resolveIfReady() {
        guard phase == .connected, !isResolved, let device, device.areServicesResolved else { return }
        session.afterBurst { [weak self, weak device] in
            guard let self, phase == .connected, device === self.device, !isResolved else { return }
            isResolved = true
            if let restoration, let agentRequest { restoration.connected(agentRequest) }
            let waiters = resolutionWaiters
            resolutionWaiters = []
            for waiter in waiters { waiter() }
        }
    }

    /// Does `work` when bluetoothd has told all services, and all of those that it is just telling.
    private func whenResolved(_ work: @escaping @BusActor () -> Void) {
        if !isResolved {
            resolutionWaiters.append(work)
        } else if serviceChanges.isPending {
            changeWaiters.append(work)
        } else {
            work()
        }
    }

    /// Adds a request that is answered from bluetoothd's objects.
    private func addLookup(_ work: @escaping @BusActor (PeripheralLink) -> Void) {
        requests.add { [weak self] done in
            guard let self else { return done() }
            whenResolved { [weak self] in
                if let self { work(self) }
                done()
            }
        }
    }

    // MARK: Discovery

    func discoverServices(_ filter: [CBUUID]?) {
        requests.add { [weak self] done in
            self?.whenResolved {
                Task { [weak self] in
                    let mtu = await self?.device?.services.lazy.flatMap(\.characteristics).first?.fetchMTU()
                    self?.reportServices(filter, mtu: mtu ?? nil)
                    done()
                }
            }
        }
    }

    private func reportServices(_ filter: [CBUUID]?, mtu: Int?) {
        guard let device, phase == .connected, isResolved else { return }
        let found = device.services.filter(\.isPrimary).compactMap { remote in
            wanted(remote.uuid, filter).map { service(remote, $0) }
        }
        post { peripheral in
            if let mtu { peripheral.mtu = mtu }
            peripheral.services = (peripheral.services ?? []).adding(found)
            peripheral.delegate?.peripheral(peripheral, didDiscoverServices: nil)
        }
    }

    func discoverIncludedServices(_ filter: [CBUUID]?, of service: CBService) {
        addLookup { link in
            guard let remote = link.remoteService(service) else {
                return link.post {
                    $0.delegate?.peripheral($0, didDiscoverIncludedServicesFor: service, error: CBError(.invalidHandle))
                }
            }
            let found = remote.includes.compactMap { link.session.service(at: $0) }.compactMap { included in
                link.wanted(included.uuid, filter).map { link.service(included, $0) }
            }
            link.post {
                service.includedServices = (service.includedServices ?? []).adding(found)
                $0.delegate?.peripheral($0, didDiscoverIncludedServicesFor: service, error: nil)
            }
        }
    }

    func discoverCharacteristics(_ filter: [CBUUID]?, of service: CBService) {
        addLookup { link in
            guard let remote = link.remoteService(service) else {
                return link.post {
                    $0.delegate?.peripheral($0, didDiscoverCharacteristicsFor: service, error: CBError(.invalidHandle))
                }
            }
            let found = remote.characteristics.compactMap { characteristic in
                link.wanted(characteristic.uuid, filter).map { link.characteristic(characteristic, $0, of: service) }
            }
            link.post {
                service.characteristics = (service.characteristics ?? []).adding(found)
                $0.delegate?.peripheral($0, didDiscoverCharacteristicsFor: service, error: nil)
            }
        }
    }

    func discoverDescriptors(of characteristic: CBCharacteristic) {
        addLookup { link in
            guard let remote = link.remoteCharacteristic(characteristic) else {
                return link.post {
                    $0.delegate?.peripheral(
                        $0, didDiscoverDescriptorsFor: characteristic, error: CBError(.invalidHandle))
                }
            }
            let found = remote.descriptors.compactMap { descriptor in
                link.wanted(descriptor.uuid, nil).map { link.descriptor(descriptor, $0, of: characteristic) }
            }
            link.post {
                characteristic.descriptors = (characteristic.descriptors ?? []).adding(found)
                $0.delegate?.peripheral($0, didDiscoverDescriptorsFor: characteristic, error: nil)
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
        new.objectPath = path.string
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
                uuid: uuid, properties: CBCharacteristicProperties(bluezFlags: remote.flags), service: service)
        }
    }

    private func descriptor(
        _ remote: RemoteDescriptor, _ uuid: CBUUID, of characteristic: CBCharacteristic
    ) -> CBDescriptor {
        object(remote.path) { CBDescriptor(uuid: uuid, characteristic: characteristic) }
    }

    /// bluetoothd's object behind an object of the app's; nil when it is of an earlier connection, or has gone.
    private func path(_ attribute: CBAttribute) -> ObjectPath? {
        guard let path = attribute.objectPath.flatMap(ObjectPath.init(_:)), attributes[path] === attribute else {
            return nil
        }
        return path
    }

    private func remoteService(_ service: CBService) -> RemoteService? {
        path(service).flatMap { session.service(at: $0) }
    }

    func remoteCharacteristic(_ characteristic: CBCharacteristic) -> RemoteCharacteristic? {
        path(characteristic).flatMap { session.characteristic(at: $0) }
    }

    func remoteDescriptor(_ descriptor: CBDescriptor) -> RemoteDescriptor? {
        path(descriptor).flatMap { session.descriptor(at: $0) }
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
    /// From the properties of a remote characteristic as bluetoothd names them (BlueZ `doc/gatt-api.txt`, "Flags").
    init(bluezFlags flags: [String]) {
        self = flags.reduce(into: []) { properties, flag in
            switch flag {
            case "broadcast": properties.insert(.broadcast)
            case "read": properties.insert(.read)
            case "write-without-response": properties.insert(.writeWithoutResponse)
            case "write": properties.insert(.write)
            case "notify": properties.insert(.notify)
            case "indicate": properties.insert(.indicate)
            case "authenticated-signed-writes": properties.insert(.authenticatedSignedWrites)
            case "extended-properties": properties.insert(.extendedProperties)
            default: break
            }
        }
    }
}
