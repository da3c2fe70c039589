import DBus
package import MainLoop

/// What bluetoothd adds and removes at once of this program's services: one, so that it comes and goes without the
/// others, or those of which some include others (BlueZ: `doc/gatt-api.txt`, "Service hierarchy").
@LoopActor
package final class LocalApplication {
    /// A service comes after those that it includes: bluetoothd (5.66, `include_services` in src/gatt-database.c) takes
    /// them in the order in which they are listed, and leaves out what it does not have yet.
    package let services: [LocalService]

    private let root: ObjectPath
    private typealias Registered = (adapter: Adapter, connection: BusConnection)
    private var registration: Registered?

    package init(_ services: [LocalService]) {
        self.services = services
        Self.count += 1
        root = ObjectPath.root.appending("bluejay").appending("application\(Self.count)")
    }

    private static var count = 0

    /// Whether bluetoothd has it.
    package var isRegistered: Bool { registration != nil }

    /// Registers the services with `adapter`. Connected centrals that subscribed to Service Changed are notified.
    ///
    /// - Throws: ``BlueZError``.
    package func register(with adapter: Adapter) async throws {
        let connection = try adapter.connection
        for _ in 0..<3 {
            guard services.allSatisfy({ $0.takeHandles(on: adapter) }) else { break }
            do {
                return try await register(with: adapter, connection)
            } catch BlueZError.failed {
                // Another program may have these handles. They stay taken, so the next attempt uses others.
            }
        }
        for service in services { service.forgetHandles() }
        try await register(with: adapter, connection)
    }

    private func register(with adapter: Adapter, _ connection: BusConnection) async throws {
        do {
            try export(on: connection)
            try await adapter.inTurn {
                try await adapter.call(
                    GattManager1.registerApplication, [.objectPath(root), [String: BusValue]().busValue])
            }
            registration = (adapter, connection)
        } catch {
            unexport(from: connection)
            throw (error as? BusError).map(BlueZError.init) ?? error
        }
    }

    /// Removes the services. Connected centrals are notified. Does nothing when they are not registered, or when
    /// bluetoothd has ended.
    package func unregister() async { await Self.unregister([self]) }

    /// Removes applications at once: between two, a BlueZ central may have looked into the first, and then misses the
    /// second (5.66).
    package static func unregister(_ applications: [LocalApplication]) async {
        let registered = applications.compactMap { application in
            application.takeRegistration().map { (application, $0) }
        }
        guard let (_, first) = registered.first else { return }
        try? await first.adapter.inTurn { await unregister(registered, first.connection) }
    }

    private static func unregister(
        _ registered: [(LocalApplication, Registered)], _ connection: BusConnection
    ) async {
        // bluetoothd uses memory that it has freed, and mostly crashes, if the answer to its AcquireNotify comes when
        // it has removed the characteristic (5.66 and 5.82, `acquire_notify_reply` in src/gatt-database.c). So what it
        // has asked is answered first.
        await connection.confirmReceipt()
        await withCheckedContinuation { continuation in
            var outstanding = registered.count
            // All in this turn of the loop, so that nothing comes between them.
            for (application, registration) in registered {
                application.end(registration) {
                    outstanding -= 1
                    if outstanding == 0 { continuation.resume() }
                }
            }
        }
    }

    private func takeRegistration() -> Registered? {
        defer { registration = nil }
        return registration
    }

    private func end(_ registration: Registered, completion: @escaping @LoopActor () -> Void) {
        let call = MethodCall(
            GattManager1.unregisterApplication, of: Bluetoothd.busName, at: registration.adapter.path,
            arguments: [.objectPath(root)])
        // An error means that bluetoothd has forgotten it already.
        registration.connection.call(call) { [self] _ in
            unexport(from: registration.connection)
            releaseHandles(on: registration.adapter)
            completion()
        }
    }

    /// Forgets the registration without a call of bluetoothd, which has ended.
    package func abandon() {
        guard let (adapter, connection) = takeRegistration() else { return }
        unexport(from: connection)
        releaseHandles(on: adapter)
    }

    private func releaseHandles(on adapter: Adapter) {
        for service in services { service.releaseHandles(on: adapter) }
    }

    private func export(on connection: BusConnection) throws(BusError) {
        // Objects are listed in the order of their paths.
        let width = String(services.count).utf8.count
        for (index, service) in services.enumerated() {
            let number = String(index)
            let padding = String(repeating: "0", count: width - number.utf8.count)
            try service.export(on: connection, at: root.appending("service" + padding + number))
        }
        // The object manager is added last and removed first, so that no signals announce objects before they are
        // registered.
        connection.exportObjectManager(at: root)
    }

    private func unexport(from connection: BusConnection) {
        connection.unexportObjectManager(at: root)
        for service in services { service.unexport(from: connection) }
    }
}
