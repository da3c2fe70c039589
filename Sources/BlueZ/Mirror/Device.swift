import DBus
package import Foundation
package import MainLoop

/// A remote device.
@LoopActor
package final class Device: RemoteObject<Device1> {
    package private(set) weak var adapter: Adapter?

    init(path: ObjectPath, properties: PropertyValues<Device1>, adapter: Adapter, session: BlueZSession) {
        self.adapter = adapter
        isPaired = properties[Device1.paired] ?? false
        super.init(path: path, properties: properties, session: session)
    }

    /// Services that every device has, and none advertises: Generic Access and Generic Attribute.
    package nonisolated static let servicesOfEveryDevice = [
        "00001800-0000-1000-8000-00805f9b34fb", "00001801-0000-1000-8000-00805f9b34fb",
    ]

    // MARK: Properties

    /// The device's address, such as `00:AA:01:01:00:01`.
    package var address: String { properties[Device1.address] ?? "" }
    /// The address that the device had when bluetoothd first saw it, as its path has it. A device that was found by a
    /// private address has another ``address`` once it is paired, and keeps its path until bluetoothd ends (5.66,
    /// `device_update_addr` in src/device.c).
    package var firstAddress: String {
        String(path.string.suffix(17)).replacing("_", with: ":")
    }
    /// `public` or `random`.
    package var addressType: String { properties[Device1.addressType] ?? "public" }
    /// The GAP name, or before a connection the advertised name.
    package var name: String? { properties[Device1.deviceName] }
    package var alias: String { properties[Device1.alias] ?? address }
    /// The services that are advertised, or after a connection found, as 128-bit UUIDs in lower case; see
    /// ``hidesAdvertisedServices``.
    package var serviceUUIDs: [String] { properties[Device1.uuids] ?? [] }
    /// Whether ``serviceUUIDs`` are those of a connection.
    ///
    /// Once bluetoothd has found a device's services, it reports those and no longer what the device advertises, until
    /// it forgets the device (5.66 to 5.87, `device_add_eir_uuids` in src/device.c).
    package var hidesAdvertisedServices: Bool {
        areServicesResolved || serviceUUIDs.contains { Self.servicesOfConnections.contains($0) }
    }
    /// Generic Access and Generic Attribute, which devices have and hardly any advertises.
    private static let servicesOfConnections: Set = [
        "00001800-0000-1000-8000-00805f9b34fb", "00001801-0000-1000-8000-00805f9b34fb",
    ]
    /// dBm; only while a scan sees the device. 127 means not known.
    package var rssi: Int? { properties[Device1.rssi].map(Int.init) }
    /// dBm, as advertised.
    package var txPower: Int? { properties[Device1.txPower].map(Int.init) }
    /// What it looks like, by the assigned number.
    package var appearance: UInt16? { properties[Device1.appearance] }
    /// By company identifier.
    package var manufacturerData: [UInt16: Data] { properties[Device1.manufacturerData] ?? [:] }
    /// By service UUID.
    package var serviceData: [String: Data] { properties[Device1.serviceData] ?? [:] }
    /// The advertised flags (Core Specification Supplement, Part A, 1.3).
    package var advertisingFlags: Data? { properties[Device1.advertisingFlags] }
    package var isConnected: Bool { properties[Device1.connected] ?? false }
    /// Its link as the kernel sees it: bluetoothd does not report whether it is encrypted. Nil if the kernel cannot be
    /// asked.
    package var kernelLink: KernelLinks.Link? { adapter?.index.flatMap { session?.kernelLink($0, address) } }
    /// Whether the services were found after connecting. The last objects may still follow.
    package var areServicesResolved: Bool { properties[Device1.servicesResolved] ?? false }
    /// Kept, because each request asks for it.
    package private(set) var isPaired: Bool
    package var isTrusted: Bool { properties[Device1.trusted] ?? false }
    package var isBlocked: Bool { properties[Device1.blocked] ?? false }
    /// Whether bluetoothd knows something of the device that must not be lost: a connection, a pairing, a user's
    /// settings.
    var isWorthKeeping: Bool {
        isConnected || isPaired || isTrusted || isBlocked || (name != nil && alias != name) || attempts > 0
    }

    /// The primary services, in the order of their handles.
    package var services: [RemoteService] { servicesByPath.values.sorted { $0.path.string < $1.path.string } }
    var servicesByPath: [ObjectPath: RemoteService] = [:]

    // MARK: Connecting

    /// Why the last connection ended; nil where neither bluetoothd nor the kernel says.
    package var disconnectionReason: DisconnectionReason? {
        session?.noteEndedLinks()
        return reportedReason ?? kernelReason
    }
    /// What bluetoothd has said of the last connection's end.
    var reportedReason: DisconnectionReason?
    /// What the kernel has said of it. The kernel is faster: it may know of the end when bluetoothd has yet to report
    /// the beginning.
    var kernelReason: DisconnectionReason?
    /// Whether the last connection ended because it could not be encrypted: one side has lost the keys. False, too,
    /// where nothing says so.
    package var hasFailedAuthentication: Bool { disconnectionReason == .authentication }

    override func update(_ changes: PropertyChanges<Device1>) {
        super.update(changes)
        if changes.contains(Device1.paired) { isPaired = changes[Device1.paired] ?? false }
        if changes[Device1.connected] == true { reportedReason = nil }
        if changes[Device1.connected] == false { linkUse = LinkUse() }
        if changes.contains(Device1.connected) { isEndingLink = false }
    }

    /// bluetoothd reads a property when it reports it, which is once it is idle. A link that has ended meanwhile, and
    /// another that has begun, are one report: that a connected device is connected.
    override func propertiesChanged(_ signal: BusSignal) {
        if isConnected, signal.propertyChanges(of: Device1.self)?[Device1.connected] == true {
            var end = PropertyChanges<Device1>()
            end[Device1.connected] = false
            end[Device1.servicesResolved] = false
            apply(end)
        }
        super.propertiesChanged(signal)
    }

    override func event(_ changes: PropertyChanges<Device1>) -> BlueZEvent? { .deviceChanged(self, changes) }

    /// Who in this process uses the link.
    package var linkUse = LinkUse()

    /// Attempts of this process to connect or pair that are under way.
    private var attempts = 0

    /// Whether the controller was switched off while bluetoothd connected for this program. bluetoothd (5.66) may
    /// believe forever that it still does (seen with the kernel 6.1).
    package var isAttemptAbandoned = false

    /// Connects. bluetoothd gives up after some 40 seconds when the device is not there.
    ///
    /// - Throws: ``BlueZError``. Cancelling the task stops waiting; it is ``disconnect()`` that stops the attempt.
    package func connect() async throws {
        attempts += 1
        defer { attempts -= 1 }
        // An attempt that fails has no end of a link, and must not have that of an earlier one.
        session?.noteEndedLinks()
        kernelReason = nil
        try await call(Device1.connect, timeout: .seconds(120))
        guard !isConnected, let session else { return }
        // Noted as the answer arrives: when this task resumes, the device may be disconnected again.
        _ = try await withCheckedThrowingContinuation { continuation in
            session.confirmConnection(of: path) { continuation.resume(with: $0) }
        }
    }

    /// Asks bluetoothd whether the link is there. False, too, if it does not say.
    package func fetchIsConnected() async -> Bool {
        (try? await fetch(Device1.connected)) ?? false
    }

    /// bluetoothd (5.66) may leave out that a device is connected: see
    /// ``BlueZSession/confirmConnection(of:completion:)``. Services are found over a link only.
    override func completed(_ changes: PropertyChanges<Device1>) -> PropertyChanges<Device1> {
        guard !isConnected, changes[Device1.connected] == nil, changes[Device1.servicesResolved] == true else {
            return changes
        }
        var changes = changes
        changes[Device1.connected] = true
        return changes
    }

    /// Drops the link, or gives up the attempt to connect. It is done once ``isConnected`` is false.
    package func disconnect() async throws {
        isEndingLink = isConnected
        do {
            try await call(Device1.disconnect)
        } catch {
            isEndingLink = false
            throw error
        }
    }

    /// Whether this process has asked bluetoothd to end the link that is there.
    private var isEndingLink = false

    /// Whether bluetoothd has been asked to end the link, which it does 2 to 3 s later. False, too, where that cannot
    /// be known of another program: before the services are, or with BlueZ before 5.56.
    ///
    /// There is no property for it. The sign is that bluetoothd turns no notifications on any longer
    /// (`characteristic_start_notify` in src/gatt-client.c): asked of a characteristic that has none, it says either
    /// so, or that the characteristic has none.
    package func isBeingDisconnected() async -> Bool {
        if isEndingLink { return isConnected }
        let characteristics = services.lazy.flatMap(\.characteristics)
        guard let mute = characteristics.first(where: { !$0.flags.allowSubscribing }) else { return false }
        do {
            _ = try await mute.call(GattCharacteristic1.startNotify)
        } catch BlueZError.notConnected {
            return isConnected
        } catch {}
        return false
    }

    /// Each step of pairing may take 30 s.
    func callPair() async throws {
        attempts += 1
        defer { attempts -= 1 }
        try await call(Device1.pair, timeout: .seconds(150))
    }

    package func setTrusted(_ trusted: Bool) async throws { try await set(Device1.trusted, to: trusted) }
}
