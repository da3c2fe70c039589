import BlueZ
import Logging
import MainLoop

/// Services that include others. bluetoothd (5.66 to 5.87, `include_services` in src/gatt-database.c) lets a service
/// include only those of its own application, and takes no further services into one: the applications of the services
/// that are included become one with it, which centrals see as a change of these services.
extension PeripheralCore {
    /// Registers a service, together with those that it includes and those that have to do with them.
    func register(
        _ service: PublishedService, including included: [PublishedService], with adapter: Adapter
    ) async throws {
        let former = included.map(\.application).reduce(into: [LocalApplication]()) { all, application in
            if !all.contains(where: { $0 === application }) { all.append(application) }
        }
        guard !former.isEmpty else { return try await service.application.register(with: adapter) }
        let relatives = members(of: former)
        await unregister(former)
        let application = LocalApplication(relatives.map(\.local) + [service.local])
        service.application = application
        do {
            try await application.register(with: adapter)
            for relative in relatives { relative.application = application }
        } catch {
            // Back to how it was.
            for application in former { await registerAgain(application) }
            throw error
        }
    }

    /// Withdraws a service that is no longer among ``services``. Those that have included it go on without it.
    func withdraw(_ service: PublishedService) async {
        let application = service.application
        let rest = members(of: [application])
        await unregister([application])
        for other in rest { other.local.includes.removeAll { $0 === service.local } }
        for group in Self.related(rest) {
            let application = LocalApplication(group.map(\.local))
            for member in group { member.application = application }
            await registerAgain(application)
        }
    }

    /// Unregisters applications, and refuses first what their services were asked for.
    func unregister(_ applications: [LocalApplication]) async {
        for link in members(of: applications).flatMap(\.links) { link.refuseOpenRequests() }
        await LocalApplication.unregister(applications)
    }

    func registerAgain(_ application: LocalApplication) async {
        guard let adapter else { return }
        do {
            try await application.register(with: adapter)
        } catch {
            logger.error("cannot republish a service", metadata: ["error": "\(error)"])
        }
    }

    /// The services in groups of those that include each other, each in the order of the services.
    private static func related(_ services: [PublishedService]) -> [[PublishedService]] {
        var groups: [[PublishedService]] = []
        for service in services {
            var relatives: [PublishedService] = []
            var others: [[PublishedService]] = []
            for group in groups {
                let isRelated = group.contains { member in service.local.includes.contains { $0 === member.local } }
                if isRelated { relatives += group } else { others.append(group) }
            }
            groups = others + [(relatives + [service]).sorted { $0.number < $1.number }]
        }
        return groups
    }
}
