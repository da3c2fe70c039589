import DBus
import Foundation
package import MainLoop

/// A GATT service that this program offers, as part of a ``LocalApplication``.
@LoopActor
package final class LocalService {
    /// The 128-bit UUID, or a short one.
    package let uuid: String
    package let isPrimary: Bool
    package let characteristics: [LocalCharacteristic]
    /// The services that it includes. bluetoothd wants them in the same application.
    package var includes: [LocalService]

    /// Where it is on the bus, while it is registered.
    private(set) var path: ObjectPath?
    /// The first handle that bluetoothd is asked for; nil to leave it to bluetoothd.
    private var firstHandle: UInt16?

    package init(
        uuid: String, isPrimary: Bool = true, includes: [LocalService] = [], characteristics: [LocalCharacteristic]
    ) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.includes = includes
        self.characteristics = characteristics
    }

    // MARK: Handles

    /// - Returns: whether there are enough.
    func takeHandles(on adapter: Adapter) -> Bool {
        guard let session = adapter.session else { return false }
        var ranges =
            session.handles[adapter.path]
            ?? HandleRanges(
                next: HandleCounterFile(address: adapter.address, folder: session.handleFolder),
                time: Date().timeIntervalSince1970)
        defer { session.handles[adapter.path] = ranges }
        firstHandle = ranges.take(attributeCount)
        return firstHandle != nil
    }

    /// Leaves the handles to bluetoothd.
    func forgetHandles() { firstHandle = nil }

    func releaseHandles(on adapter: Adapter) {
        if let firstHandle { adapter.session?.handles[adapter.path]?.release(firstHandle) }
        firstHandle = nil
    }

    /// How many handles the service takes.
    private var attributeCount: Int {
        characteristics.reduce(1 + includes.count) {
            $0 + 2 + $1.descriptors.count + ($1.flags.allowSubscribing ? 1 : 0)
        }
    }

    // MARK: On the bus

    func export(on connection: BusConnection, at path: ObjectPath) throws(BusError) {
        let uuid = uuid
        let isPrimary = isPrimary
        let included = includes.compactMap(\.path)
        var properties = [
            ExportedProperty(GattService1.uuid, get: { uuid }),
            ExportedProperty(GattService1.primary, get: { isPrimary }),
        ]
        if !included.isEmpty { properties.append(ExportedProperty(GattService1.includes, get: { included })) }
        if let firstHandle { properties.append(ExportedProperty(GattService1.handle, get: { firstHandle })) }
        self.path = path
        try connection.export([ExportedInterface(GattService1.self, properties: properties)], at: path)
        for (index, characteristic) in characteristics.enumerated() {
            try characteristic.export(on: connection, at: path.appending("characteristic\(index)"), of: path)
        }
    }

    func unexport(from connection: BusConnection) {
        guard let path else { return }
        self.path = nil
        for (index, characteristic) in characteristics.enumerated() {
            characteristic.unexport(from: connection, at: path.appending("characteristic\(index)"))
        }
        connection.unexport(path)
    }
}
