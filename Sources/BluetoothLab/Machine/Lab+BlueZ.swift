public import BlueZ
import DBus
import Foundation
import MainLoop

/// A release of BlueZ, such as 5.66.
public typealias BlueZVersion = BlueZ.BlueZVersion

/// What only bluetoothd itself knows or can do. All of these throw when bluetoothd does not answer.
extension Lab {
    /// Switches a controller on.
    public func power(on adapter: String) async throws { try await setPower(true, adapter) }
    /// Switches a controller off, which ends its connections.
    public func power(off adapter: String) async throws { try await setPower(false, adapter) }

    @LoopActor
    private func setPower(_ isOn: Bool, _ name: String) async throws {
        try await adapter(name).setPowered(isOn)
    }

    /// Whether the device of this address is paired with the controller.
    @LoopActor
    public func isPaired(_ address: String, on name: String) async throws -> Bool {
        try await adapter(name).devices.contains { $0.address == address && $0.isPaired }
    }

    /// Waits until the device of this address is paired with the controller. bluetoothd reports that a moment after the
    /// link has been encrypted, so what needs encryption may have been read before.
    ///
    /// - Throws: ``LabError`` if it is not paired in time.
    public func waitUntilPaired(_ address: String, on name: String, within limit: Duration = .seconds(20)) async throws
    {
        try await waitUntil(address, on: name, is: "paired", within: limit) { $0.isPaired }
    }

    /// Waits until a controller has a link to the device of this address. The two sides of a link learn of it one after
    /// the other.
    ///
    /// - Throws: ``LabError`` if it is not connected in time.
    public func waitUntilConnected(
        _ address: String, on name: String, within limit: Duration = .seconds(20)
    ) async throws {
        try await waitUntil(address, on: name, is: "connected", within: limit) { $0.isConnected }
    }

    @LoopActor
    private func waitUntil(
        _ address: String, on name: String, is state: String, within limit: Duration,
        _ condition: @escaping @LoopActor (Device) -> Bool
    ) async throws {
        let adapter = try await adapter(name)
        let isCase = { @LoopActor in adapter.devices.contains { $0.address == address && condition($0) } }
        let outcome = FirstOutcome<Bool>()
        if isCase() { outcome.report(true) }
        let observation = BlueZSession.shared.observe { _ in
            if isCase() { outcome.report(true) }
        }
        defer { observation.cancel() }
        guard await outcome.value(within: limit, otherwise: false) else {
            throw LabError("\(address) is not \(state) with \(name) within \(limit)")
        }
    }

    /// The controller's alias, the name that peers see.
    public func alias(of name: String) async throws -> String {
        try await fetch(Adapter1.alias, on: name)
    }

    /// Whether a controller is on.
    public func isPowered(_ name: String) async throws -> Bool {
        try await fetch(Adapter1.powered, on: name)
    }

    /// How many advertisements are registered with the controller.
    public func advertisements(on name: String) async throws -> Int {
        Int(try await fetch(LEAdvertisingManager1.activeInstances, on: name))
    }

    /// How many more advertisements the controller has room for.
    public func advertisementsLeft(on name: String) async throws -> Int {
        Int(try await fetch(LEAdvertisingManager1.supportedInstances, on: name))
    }

    /// The release of the bluetoothd that runs: what differs between them is in `docs/bluez-versions.md`.
    public func bluezVersion() async throws -> BlueZVersion {
        guard let adapter = controllers.first else { throw LabError("the lab has no controller to ask") }
        let modalias = try await fetch(Adapter1.modalias, on: adapter)
        guard let version = BlueZVersion(modalias: modalias) else { throw LabError("no version of BlueZ: \(modalias)") }
        return version
    }

    /// Asks bluetoothd, because what has changed may still be on its way here.
    @LoopActor
    private func fetch<Interface, Value>(
        _ property: InterfaceProperty<Interface, Value>, on name: String
    ) async throws -> Value {
        let connection = try await BusConnection.system()
        defer { connection.close() }
        guard let path = Adapter.path(of: name) else { throw LabError("no adapter \(name)") }
        return try await connection.fetch(property, at: path)
    }

    /// What bluetoothd has of the controllers and devices, for people.
    @LoopActor
    public func describeDevices() async throws -> String {
        try await BlueZSession.shared.waitUntilAvailable()
        return BlueZSession.shared.adapters.map { adapter in
            let devices = adapter.devices.map { device in
                "\n    \(device.address) \"\(device.name ?? "")\", connected: \(device.isConnected), "
                    + "services resolved: \(device.areServicesResolved), RSSI: \(device.rssi.map(String.init) ?? "none"), "
                    + "UUIDs: \(device.serviceUUIDs.count)"
            }
            return "\(adapter.name), powered: \(adapter.isPowered)\(devices.joined())"
        }.joined(separator: "\n")
    }

    /// Makes bluetoothd forget a device: connection, pairing, services and all.
    @LoopActor
    public func forget(_ address: String, on name: String) async throws {
        let adapter = try await adapter(name)
        for device in adapter.devices where device.address == address { try await adapter.remove(device) }
    }

    /// Ends the link between a controller and a device in the kernel, at once: `Device1.Disconnect` takes bluetoothd 2
    /// s and more, and it would not connect again by itself.
    ///
    /// - Throws: `BlueZError.notConnected` when there is no link.
    @LoopActor
    public func cutLink(to address: String, on name: String) async throws {
        guard let index = UInt16(name.drop { !$0.isNumber }) else { throw LabError("no adapter \(name)") }
        // Public, as those of the lab's controllers are.
        try await ManagementSocket.endLink(
            controller: index, peer: ManagementSocket.address(address, isRandom: false))
    }

    /// Brings the lab's controllers into the state in which the lab starts: bluetoothd runs, they are powered, and no
    /// device is known to them. bluetoothd otherwise keeps what it knows of a device's services, by the address, and in
    /// the lab one peripheral after another has the same address.
    @LoopActor
    public func reset() async throws {
        if (try? await BlueZSession.shared.waitUntilAvailable(timeout: .seconds(2))) == nil {
            try await bluetoothd(.start)
        }
        for name in controllers {
            let adapter = try await adapter(name)
            if !adapter.isPowered { try await adapter.setPowered(true) }
            for device in adapter.devices { try await adapter.remove(device) }
        }
    }

    @LoopActor
    private func adapter(_ name: String) async throws -> Adapter {
        try await BlueZSession.shared.waitUntilAvailable()
        guard let adapter = BlueZSession.shared.adapter(named: name) else { throw LabError("no adapter \(name)") }
        return adapter
    }
}
