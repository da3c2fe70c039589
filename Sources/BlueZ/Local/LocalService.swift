import DBus
import Foundation
package import MainLoop

/// A GATT service that this program offers. It is registered as an application of its own, so that it can be added and
/// removed without the others (BlueZ: `doc/gatt-api.txt`, "Service hierarchy").
@LoopActor
package final class LocalService {
    /// The 128-bit UUID, or a short one.
    package let uuid: String
    package let isPrimary: Bool
    package let characteristics: [LocalCharacteristic]

    private let root: ObjectPath
    private typealias Registered = (adapter: Adapter, connection: BusConnection)
    private var registration: Registered?
    /// The first handle that bluetoothd is asked for; nil to leave it to bluetoothd.
    private var firstHandle: UInt16?

    package init(uuid: String, isPrimary: Bool = true, characteristics: [LocalCharacteristic]) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.characteristics = characteristics
        Self.count += 1
        root = ObjectPath.root.appending("bluejay").appending("application\(Self.count)")
    }

    private static var count = 0

    /// Whether bluetoothd has it.
    package var isRegistered: Bool { registration != nil }

    /// Registers the service with `adapter`. Connected centrals that subscribed to Service Changed are notified.
    ///
    /// - Throws: ``BlueZError``.
    package func register(with adapter: Adapter) async throws {
        let connection = try adapter.connection
        for _ in 0..<3 {
            firstHandle = Self.takeHandles(attributeCount, on: adapter)
            guard firstHandle != nil else { break }
            do {
                return try await register(with: adapter, connection)
            } catch BlueZError.failed {
                // Another program may have these handles. They stay taken, so the next attempt uses others.
            }
        }
        firstHandle = nil
        try await register(with: adapter, connection)
    }

    private static func takeHandles(_ count: Int, on adapter: Adapter) -> UInt16? {
        guard let session = adapter.session else { return nil }
        var ranges =
            session.handles[adapter.path]
            ?? HandleRanges(
                next: HandleCounterFile(address: adapter.address, folder: session.handleFolder),
                time: Date().timeIntervalSince1970)
        defer { session.handles[adapter.path] = ranges }
        return ranges.take(count)
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

    /// Removes the service. Connected centrals are notified. Does nothing when it is not registered, or when bluetoothd
    /// has ended.
    package func unregister() async { await Self.unregister([self]) }

    /// Removes services at once: between two, a BlueZ central may have looked into the first, and then misses the
    /// second (5.66).
    package static func unregister(_ services: [LocalService]) async {
        let registered = services.compactMap { service in service.takeRegistration().map { (service, $0) } }
        guard let (_, first) = registered.first else { return }
        try? await first.adapter.inTurn { await unregister(registered, first.connection) }
    }

    private static func unregister(
        _ registered: [(LocalService, Registered)], _ connection: BusConnection
    ) async {
        // bluetoothd uses memory that it has freed, and mostly crashes, if the answer to its AcquireNotify comes when
        // it has removed the characteristic (5.66 and 5.82, `acquire_notify_reply` in src/gatt-database.c). So what it
        // has asked is answered first.
        await connection.confirmReceipt()
        await withCheckedContinuation { continuation in
            var outstanding = registered.count
            // All in this turn of the loop, so that nothing comes between them.
            for (service, registration) in registered {
                service.end(registration) {
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
        if let firstHandle { adapter.session?.handles[adapter.path]?.release(firstHandle) }
        firstHandle = nil
    }

    /// How many handles the service takes.
    private var attributeCount: Int {
        characteristics.reduce(1) { $0 + 2 + $1.descriptors.count + ($1.flags.allowSubscribing ? 1 : 0) }
    }

    private var servicePath: ObjectPath { root.appending("service") }

    private func export(on connection: BusConnection) throws(BusError) {
        let uuid = uuid
        let isPrimary = isPrimary
        var properties = [
            ExportedProperty(GattService1.uuid, get: { uuid }),
            ExportedProperty(GattService1.primary, get: { isPrimary }),
        ]
        if let firstHandle { properties.append(ExportedProperty(GattService1.handle, get: { firstHandle })) }
        try connection.export([ExportedInterface(GattService1.self, properties: properties)], at: servicePath)
        for (index, characteristic) in characteristics.enumerated() {
            try characteristic.export(
                on: connection, at: servicePath.appending("characteristic\(index)"), of: servicePath)
        }
        // The object manager is added last and removed first, so that no signals announce objects before they are
        // registered.
        connection.exportObjectManager(at: root)
    }

    private func unexport(from connection: BusConnection) {
        connection.unexportObjectManager(at: root)
        for (index, characteristic) in characteristics.enumerated() {
            characteristic.unexport(from: connection, at: servicePath.appending("characteristic\(index)"))
        }
        connection.unexport(servicePath)
    }
}
