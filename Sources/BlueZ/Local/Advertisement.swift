import DBus
package import Foundation
package import MainLoop

/// What an adapter sends out while it waits for centrals.
package struct AdvertisementData: Hashable, Swift.Sendable {
    package var localName: String?
    /// 128-bit or short UUIDs.
    package var serviceUUIDs: [String]
    package var manufacturerData: [UInt16: Data]
    package var serviceData: [String: Data]
    /// What the device looks like, by its assigned number.
    package var appearance: UInt16?
    /// Whether the controller's transmit power goes with it.
    package var hasTxPower: Bool
    /// Between two advertisements, in milliseconds; nil: what the kernel has by itself, 1.28 s.
    package var interval: UInt32?

    package init(
        localName: String? = nil, serviceUUIDs: [String] = [], manufacturerData: [UInt16: Data] = [:],
        serviceData: [String: Data] = [:], appearance: UInt16? = nil, hasTxPower: Bool = false, interval: UInt32? = nil
    ) {
        self.hasTxPower = hasTxPower
        self.interval = interval
        self.localName = localName
        self.appearance = appearance
        self.serviceUUIDs = serviceUUIDs
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
    }
}

/// An advertisement of this program, connectable and discoverable.
@LoopActor
package final class Advertisement {
    private static var count = 0
    /// How often bluetoothd is asked.
    private static let attempts = 5
    /// More than the turns of its loop in which bluetoothd registers an advertisement.
    nonisolated private static let steps = 10

    package let data: AdvertisementData
    /// Called when bluetoothd has ended it by itself.
    package var onRelease: (@LoopActor () -> Void)?

    private let path: ObjectPath
    private var registration: (adapter: Adapter, connection: BusConnection)?
    private var isUnwanted = false

    package init(_ data: AdvertisementData) {
        self.data = data
        Self.count += 1
        path = ObjectPath.root.appending("bluejay").appending("advertisement\(Self.count)")
    }

    package var isRegistered: Bool { registration != nil }

    /// Starts advertising.
    ///
    /// - Throws: ``BlueZError``: the data do not fit, the adapter has no room for another advertisement, is off, …
    package func register(with adapter: Adapter) async throws {
        let connection = try adapter.connection
        do {
            try connection.export([exportedInterface], at: path)
            try await ask(adapter)
            registration = (adapter, connection)
        } catch {
            connection.unexport(path)
            throw (error as? BusError).map(BlueZError.init) ?? error
        }
    }

    /// Asks bluetoothd to register it, and asks again when it has forgotten that.
    ///
    /// When the adapter's alias or discoverability changes while bluetoothd (5.66, 5.82) registers an advertisement, it
    /// does not answer, and would go on advertising after the end of this program.
    private func ask(_ adapter: Adapter) async throws {
        var attempts = RetryLog(logger, "register an advertisement")
        for attempt in 1...Self.attempts {
            var isForgotten = false
            try await adapter.inTurn { isForgotten = try await askOnce(adapter) }
            guard isForgotten else { return attempts.ended() }
            let failure = BlueZError.timedOut("\(LEAdvertisingManager1.registerAdvertisement.name) of \(adapter.name)")
            attempts.failed("\(failure)")
            _ = try? await adapter.call(LEAdvertisingManager1.unregisterAdvertisement, [.objectPath(path)])
            if attempt == Self.attempts || isUnwanted { throw failure }
        }
    }

    /// - Returns: whether bluetoothd has forgotten to answer: it has answered more other calls meanwhile than a
    ///   registration takes steps. One that is just slow must not be asked to withdraw what it is registering: it
    ///   crashes (5.66, 5.82, 5.87).
    private func askOnce(_ adapter: Adapter) async throws -> Bool {
        let path = path
        let patience = (adapter.session?.timing ?? BlueZSession.Timing()).advertisement
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                _ = try await adapter.call(
                    LEAdvertisingManager1.registerAdvertisement, [.objectPath(path), [String: BusValue]().busValue],
                    timeout: nil)
                return false
            }
            group.addTask {
                try await Task.sleep(for: patience)
                // The controller, too, takes its time for a step.
                for _ in 0..<Self.steps {
                    try await Task.sleep(for: patience / 40)
                    _ = try await adapter.fetch(LEAdvertisingManager1.activeInstances)
                }
                return true
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
    }

    /// Does not ask bluetoothd again to register it: it is to be unregistered as soon as that has been answered.
    package func giveUp() { isUnwanted = true }

    /// Stops advertising. Does nothing when it is not registered, or when bluetoothd has ended.
    package func unregister() async {
        guard let (adapter, connection) = registration else { return }
        registration = nil
        // An error means that bluetoothd has forgotten it already.
        try? await adapter.inTurn {
            _ = try await adapter.call(LEAdvertisingManager1.unregisterAdvertisement, [.objectPath(path)])
        }
        connection.unexport(path)
    }

    /// Forgets the registration without a call of bluetoothd, which has ended.
    package func abandon() {
        registration?.connection.unexport(path)
        registration = nil
    }

    private var exportedInterface: ExportedInterface {
        let data = data
        var properties = [
            ExportedProperty(LEAdvertisement1.type, get: { "peripheral" }),
            // Without this flag a scan that sets no filter does not report the device.
            ExportedProperty(LEAdvertisement1.discoverable, get: { true }),
        ]
        if let name = data.localName { properties.append(ExportedProperty(LEAdvertisement1.localName, get: { name })) }
        if let appearance = data.appearance {
            properties.append(ExportedProperty(LEAdvertisement1.appearance, get: { appearance }))
        }
        if data.hasTxPower { properties.append(ExportedProperty(LEAdvertisement1.includes, get: { ["tx-power"] })) }
        if let interval = data.interval {
            properties.append(ExportedProperty(LEAdvertisement1.minInterval, get: { interval }))
            properties.append(ExportedProperty(LEAdvertisement1.maxInterval, get: { interval }))
        }
        if !data.serviceUUIDs.isEmpty {
            properties.append(ExportedProperty(LEAdvertisement1.serviceUUIDs, get: { data.serviceUUIDs }))
        }
        if !data.manufacturerData.isEmpty {
            properties.append(
                ExportedProperty(
                    LEAdvertisement1.manufacturerData, get: { data.manufacturerData.mapValues { .bytes($0) } }))
        }
        if !data.serviceData.isEmpty {
            properties.append(
                ExportedProperty(LEAdvertisement1.serviceData, get: { data.serviceData.mapValues { .bytes($0) } }))
        }
        return ExportedInterface(
            LEAdvertisement1.self,
            methods: [
                ExportedMethod(LEAdvertisement1.release) { [weak self] invocation in
                    invocation.reply()
                    self?.abandon()
                    self?.onRelease?()
                }
            ], properties: properties)
    }
}
