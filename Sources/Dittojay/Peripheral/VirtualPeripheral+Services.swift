import CoreBluetooth
import GATTProfiles

/// Services that come and go by command.
extension VirtualPeripheral {
    /// Publishes a service, and answers when it is published.
    func add(_ text: String, _ reply: @escaping (ControlReply) -> Void) {
        switch service(text) {
        case .failure(let problem): reply(ControlReply(error: problem.description))
        case .success(let service):
            guard !service.isPublished else {
                return reply(ControlReply(error: "the service \(service.profile.name) is published already"))
            }
            guard manager?.state == .poweredOn else { return reply(ControlReply(error: notReady)) }
            publish(service, reply)
        }
    }

    /// Publishes all services that are not, and answers when the last of them is published, or with the first problem.
    func addAll(_ reply: @escaping (ControlReply) -> Void) {
        guard manager?.state == .poweredOn else { return reply(ControlReply(error: notReady)) }
        let missing = services.all.filter { !$0.isPublished }
        guard !missing.isEmpty else { return reply(ControlReply(error: "all services are published already")) }
        var outstanding = missing.count
        var error: String?
        for service in missing {
            publish(service) { answer in
                error = error ?? answer.error
                outstanding -= 1
                if outstanding == 0 { reply(error.map { ControlReply(error: $0) } ?? ControlReply()) }
            }
        }
    }

    /// Withdraws a service. Connected centrals learn it from bluetoothd.
    func remove(_ text: String) -> ControlReply {
        switch service(text) {
        case .failure(let problem): return ControlReply(error: problem.description)
        case .success(let service):
            guard let registration = service.registration, service.isPublished, let manager,
                manager.state == .poweredOn
            else { return ControlReply(error: notPublished(service)) }
            manager.remove(registration)
            withdraw([service])
            return ControlReply()
        }
    }

    /// Withdraws all services.
    func removeAll() -> ControlReply {
        guard let manager, manager.state == .poweredOn else { return ControlReply(error: notReady) }
        let registered = services.all.filter { $0.registration != nil }
        guard !registered.isEmpty else { return ControlReply(error: "no service is published") }
        manager.removeAllServices()
        withdraw(registered)
        return ControlReply()
    }

    private func publish(_ service: SimulatedService, _ reply: @escaping (ControlReply) -> Void) {
        publicationReplies[service.profile.name, default: []].append(reply)
        service.isWanted = true
        if service.registration == nil { publish(service) }
    }

    private func withdraw(_ withdrawn: [SimulatedService]) {
        for service in withdrawn {
            let name = service.profile.name
            let wasPublished = service.isPublished
            service.isWanted = false
            service.withdraw()
            if wasPublished { tell(.serviceRemoved) { $0.service = name } }
            // Whoever has asked for it just before gets an answer, too.
            for reply in publicationReplies.removeValue(forKey: name) ?? [] {
                reply(ControlReply(error: "the service \(name) was withdrawn before it was published"))
            }
        }
        burst?.proceed()
        advertise()
    }

    private struct NoSuchService: Error, CustomStringConvertible {
        let description: String
    }

    /// The service that a user names: by its name, or by its UUID if only one has it.
    private func service(_ text: String) -> Result<SimulatedService, NoSuchService> {
        if let service = services.service(named: text) { return .success(service) }
        let found = services.all.filter { service in
            AttributePath(text).map {
                $0.service == nil && $0.characteristic.matches(uuid: service.profile.uuid, name: nil)
            } ?? false
        }
        if let service = found.first, found.count == 1 { return .success(service) }
        let problem =
            found.isEmpty
            ? "the profile \(profile.name) has no service \"\(text)\"; it has: "
            : "\"\(text)\" is one of several services: "
        let names = (found.isEmpty ? services.all : found).map(\.profile.name)
        return .failure(NoSuchService(description: problem + names.joined(separator: ", ")))
    }
}
