import BlueZ
import BluetoothLab
import DBus
import Foundation
import MainLoop

/// What other programs may ask of bluetoothd, though this package does not, and what releases do differently.
extension Lab {
    /// Writes without response to a connected device, however long the value is, and returns when bluetoothd has taken
    /// it.
    @LoopActor
    func writeCommand(_ value: Data, to uuid: String, of address: String, on name: String) async throws {
        let characteristic = BlueZSession.shared.adapter(named: name)?.devices.first { $0.address == address }?
            .services.flatMap(\.characteristics).first { $0.uuid == uuid.lowercased() }
        guard let characteristic else { throw LabError("\(address) has no characteristic \(uuid)") }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            characteristic.write(value, as: .command) { continuation.resume(with: $0) }
        }
    }

    /// Scans with a filter for a service.
    ///
    /// - Returns: whether the device was reported, and not bluetoothd gone.
    @LoopActor
    func bluetoothdSurvivesScan(for uuid: String, finding address: String, on name: String) async throws -> Bool {
        let connection = try await BusConnection.system()
        defer { connection.close() }
        guard let adapter = ObjectPath("/org/bluez/\(name)") else { throw LabError("no adapter \(name)") }
        let suffix = address.replacingOccurrences(of: ":", with: "_")
        let outcome = Promise<Bool>("\(address) reported, or bluetoothd gone")
        let sight = connection.onSignal(
            MatchRule(sender: Bluetoothd.busName, interface: "org.freedesktop.DBus.ObjectManager")
        ) { signal in
            let path = signal.arguments.first.flatMap(ObjectPath.init(busValue:))
            guard signal.member == "InterfacesAdded", let path else { return }
            if path.string.hasPrefix(adapter.string), path.string.hasSuffix(suffix) { outcome.fulfil(true) }
        }
        let end = connection.watchOwner(of: Bluetoothd.busName) { if $0 == nil { outcome.fulfil(false) } }
        defer {
            sight.cancel()
            end.cancel()
        }
        func call(_ method: String, _ arguments: [BusValue] = []) async throws {
            _ = try await connection.call(
                MethodCall(
                    destination: Bluetoothd.busName, path: adapter, interface: "org.bluez.Adapter1",
                    method: method, arguments: arguments))
        }
        let filter: [String: BusValue] = ["Transport": .string("le"), "UUIDs": [uuid].busValue]
        try await call("SetDiscoveryFilter", [filter.busValue])
        try await call("StartDiscovery")
        return try await outcome.value(within: .seconds(40))
    }

    /// The signal strength of every link in dBm. Controllers of the virtual radio are a metre apart. Those of btvirt
    /// 5.66 and 5.82 do not know it; those of 5.87 say -1.
    func linkStrength() async throws -> Int {
        if ProcessInfo.processInfo.environment["LAB_RADIO"] == "virtual" { return -59 }
        return try await bluezVersion() < BlueZVersion(5, 87) ? Self.unknownStrength : -1
    }

    /// The kernel's word for a strength that the controller does not know.
    static let unknownStrength = 127
}
