package import DBus
import Foundation
package import MainLoop

/// A Bluetooth controller of this machine.
@LoopActor
package final class Adapter: RemoteObject<Adapter1> {
    /// The path of the controller with the kernel's name `name`, such as `hci0`; nil if it is no name.
    package nonisolated static func path(of name: String) -> ObjectPath? {
        ObjectPath("\(AgentManager1.path)/\(name)")
    }

    /// When it was reported to be off, if it was on before.
    private var offSince: ContinuousClock.Instant?

    override func event(_ changes: PropertyChanges<Adapter1>) -> BlueZEvent? {
        if let powered = changes[Adapter1.powered] { offSince = powered ? nil : .now }
        return .adapterChanged(self, changes)
    }

    // MARK: Properties

    /// The kernel's name of the controller: `hci0`.
    package nonisolated var name: String { path.lastElement }
    /// The kernel's number for it, 0 for hci0.
    nonisolated var index: UInt16? { UInt16(name.drop { !$0.isNumber }) }
    /// The controller's address, such as `00:AA:01:00:00:00`.
    package var address: String { properties[Adapter1.address] ?? "" }
    /// Whether this is its name (`hci0`) or address (any letter case).
    package func isNamed(_ name: String) -> Bool {
        self.name == name || (name.utf8.count == 17 && address.caseInsensitiveCompare(name) == .orderedSame)
    }

    /// `public` or `random`.
    package var addressType: String { properties[Adapter1.addressType] ?? "public" }
    /// The name that peers see (GAP Device Name).
    package var alias: String { properties[Adapter1.alias] ?? "" }
    /// The system's name of the controller, which is the alias when none is set.
    package var systemName: String { properties[Adapter1.systemName] ?? "" }
    package var isPowered: Bool { properties[Adapter1.powered] ?? false }
    /// Whether any program scans.
    package var isDiscovering: Bool { properties[Adapter1.discovering] ?? false }
    /// `central`, `peripheral`; empty with older releases of BlueZ, which do not report it.
    package var roles: [String] { properties[Adapter1.roles] ?? [] }
    /// bluetoothd's release; nil if its settings give adapters another identity (`DeviceID`).
    package var bluezVersion: BlueZVersion? { properties[Adapter1.modalias].flatMap { BlueZVersion(modalias: $0) } }
    /// Whether local services can be registered here.
    package internal(set) var offersGattManager = false
    /// Whether advertisements can be registered here.
    package internal(set) var offersAdvertising = false

    /// The devices that bluetoothd knows here: connected, paired, or seen a moment ago.
    package var devices: [Device] { devicesByPath.values.sorted { $0.path.string < $1.path.string } }
    var devicesByPath: [ObjectPath: Device] = [:]

    /// Whether a device is connected here, in either role.
    package var hasLinks: Bool { devicesByPath.values.contains { $0.isConnected } }

    // MARK: Changing it

    /// Makes a call that sets the controller up, or puts it back, when it is its turn.
    func inTurn(_ call: @LoopActor () async throws -> Void) async throws {
        guard let session else { return try await call() }
        try await session.callGate.pass(call)
    }

    /// Switches it on or off, and returns when it is.
    ///
    /// The kernel (6.12) reports that a controller is off some 30 ms before that is done. A command to switch it on in
    /// these milliseconds has no effect, though it is answered with success, and bluetoothd (5.66) then waits for that
    /// effect and refuses every further one. Nothing reports the end of it, so this waits for some time.
    package func setPowered(_ powered: Bool) async throws {
        if powered, let offSince {
            let rest = Self.switchingOffTime - (.now - offSince)
            if rest > .zero { try await Task.sleep(for: rest) }
        }
        try await inTurn { try await set(Adapter1.powered, to: powered) }
        guard await becomes(within: Self.powerTime, { $0.isPowered == powered }) else {
            throw BlueZError.failed(name: "", message: "\(name) does not switch \(powered ? "on" : "off")")
        }
    }

    /// What the kernel may take, with some allowance.
    private static let switchingOffTime: Duration = .milliseconds(500)
    /// How long a change of the power may take once bluetoothd has answered. It takes a few milliseconds.
    private static let powerTime: Duration = .seconds(5)

    private func becomes(within limit: Duration, _ isSo: @escaping @LoopActor (Adapter) -> Bool) async -> Bool {
        if isSo(self) { return true }
        let outcome = FirstOutcome<Bool>()
        let observation = session?.observe { [weak self] event in
            if case .adapterChanged(let adapter, _) = event, adapter === self, isSo(adapter) { outcome.report(true) }
        }
        defer { observation?.cancel() }
        return await outcome.value(within: limit, otherwise: false)
    }

    /// How long the kernel may take to give the controller a name.
    private static let renamingTime: Duration = .seconds(2)

    /// Sets the name that peers see. The empty string brings the system's name back.
    ///
    /// Returns when the name is in effect: bluetoothd answers before the kernel has taken it, and until then peers that
    /// ask for it get the former name.
    package func setAlias(_ alias: String) async throws {
        try await inTurn { try await set(Adapter1.alias, to: alias) }
        let expected = alias.isEmpty ? systemName : alias
        _ = await becomes(within: Self.renamingTime) { $0.alias == expected }
    }

    /// Makes bluetoothd forget the device: its link, its pairing, its cached services.
    ///
    /// bluetoothd (5.87, `device_request_disconnect` in src/device.c) may report success, and keep the device and its
    /// keys until the end of its next link. That happens when the link has ended and one of its own profiles has not
    /// noticed it yet. It has by the time of a second call.
    package func remove(_ device: Device) async throws {
        try await removeOnce(device)
        if await isKept(device) { try await removeOnce(device) }
    }

    private func removeOnce(_ device: Device) async throws {
        do {
            try await call(Adapter1.removeDevice, [.objectPath(device.path)])
        } catch BlueZError.objectRemoved where isValid {
            // Another program, or bluetoothd by itself, has removed it meanwhile.
        }
    }

    /// Whether bluetoothd still has this object, and not one that has come in its place.
    private func isKept(_ device: Device) async -> Bool {
        guard device.isValid, (try? await device.fetch(Device1.paired)) != nil else { return false }
        return device.isValid
    }

    /// How many advertisements of this machine's programs it sends.
    package func advertisementCount() async throws -> Int {
        Int(try await fetch(LEAdvertisingManager1.activeInstances))
    }

    /// Whether the controller has extended advertising (Bluetooth 5.0); false if bluetoothd does not say. The kernel
    /// then scans for it and connects by it as well.
    package func hasExtendedAdvertising() async -> Bool {
        let phys = try? await fetch(LEAdvertisingManager1.supportedSecondaryChannels)
        isExtended = phys?.isEmpty == false
        return isExtended
    }

    /// The same as it was known last: from the beginning, in so far as bluetoothd has said it with the controller.
    package internal(set) var isExtended = false

    // MARK: Discovery

    /// Scanning, shared by all clients in this process.
    package private(set) lazy var discovery = Discovery(self)

    /// Sets the devices to be reported. A scan without any filter does not report LE devices that are not
    /// discoverable, hence there is always one.
    func setDiscoveryFilter(_ filter: DiscoveryFilter) async throws {
        do {
            try await call(Adapter1.setDiscoveryFilter, [filter.options.busValue])
        } catch BlueZError.invalidArguments where filter.options["Pattern"] != nil {
            // A bluetoothd that knows no patterns yet.
            try await call(Adapter1.setDiscoveryFilter, [filter.options.filter { $0.key != "Pattern" }.busValue])
        }
    }

    /// Takes back the filter that was set. A program that has one when it leaves the bus, together with the last one
    /// that scans, makes bluetoothd (5.66, 5.87) scan until it restarts.
    func clearDiscoveryFilter() async throws {
        try await call(Adapter1.setDiscoveryFilter, [[String: BusValue]().busValue], timeout: .seconds(3))
    }

    /// Starts scanning; it lasts until ``stopDiscovery()``, or until this program's connection to the bus ends.
    ///
    /// BlueZ 5.66 does not answer when the controller's last scan has not ended yet.
    func startDiscovery() async throws { try await call(Adapter1.startDiscovery, timeout: .seconds(3)) }
    func stopDiscovery() async throws { try await call(Adapter1.stopDiscovery, timeout: .seconds(3)) }
}

/// What a scan reports (BlueZ: `SetDiscoveryFilter`).
package struct DiscoveryFilter: Hashable, Swift.Sendable {
    /// Only devices that advertise one of these services, as 128-bit UUIDs in lower case; empty means any.
    package var serviceUUIDs: [String]
    /// Whether each advertisement is reported, not only changes.
    package var reportsDuplicates: Bool

    package init(serviceUUIDs: [String] = [], reportsDuplicates: Bool = false) {
        self.serviceUUIDs = serviceUUIDs
        self.reportsDuplicates = reportsDuplicates
    }

    /// As bluetoothd takes it.
    ///
    /// bluetoothd (5.82 and 5.87, `merge_discovery_filters` in src/adapter.c) ignores a filter for a transport if the
    /// controller has only that one, and without a filter it does not report devices that are not discoverable. A
    /// pattern makes the filter count: the empty one, which matches any name.
    var options: [String: BusValue] {
        var options: [String: BusValue] = [
            "Transport": .string("le"), "DuplicateData": .boolean(reportsDuplicates),
        ]
        if serviceUUIDs.isEmpty {
            options["Pattern"] = .string("")
        } else {
            options["UUIDs"] = serviceUUIDs.busValue
        }
        return options
    }
}
