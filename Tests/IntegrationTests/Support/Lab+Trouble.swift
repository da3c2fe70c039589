import BlueZ
import BluetoothLab
import DBus
import Foundation
import MainLoop

/// Trouble that a test makes for a while.
extension Lab {
    /// Runs a test while bluetoothd does nothing, and then lets it go on.
    func whileBluetoothdStandsStill(_ body: () async throws -> Void) async throws {
        let status = try ChildProcess("lab-bluetoothd", ["status"])
        _ = try await status.exitStatus()
        guard let process = status.lines.first.flatMap(pid_t.init) else {
            throw LabError("no bluetoothd: \(status.transcript)")
        }
        guard Foundation.kill(process, SIGSTOP) == 0 else { throw LabError("bluetoothd cannot be stopped: \(errno)") }
        defer { _ = Foundation.kill(process, SIGCONT) }
        try await body()
    }

    /// Runs a test while the system bus lets nobody connect to a device, and then allows it again.
    func whileConnectingIsForbidden(_ body: () async throws -> Void) async throws {
        let path = "/etc/dbus-1/system.d/lab-forbids-connecting.conf"
        let policy = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig><policy context="mandatory">
            <deny send_destination="org.bluez" send_interface="org.bluez.Device1" send_member="Connect"/>
            </policy></busconfig>
            """
        try policy.write(toFile: path, atomically: false, encoding: .utf8)
        let outcome: Result<Void, any Error>
        do {
            try await reloadBusPolicy()
            outcome = .success(try await body())
        } catch {
            outcome = .failure(error)
        }
        try FileManager.default.removeItem(atPath: path)
        try await reloadBusPolicy()
        try outcome.get()
    }

    /// Runs a test while an adapter becomes discoverable and ceases to be, over and over for a second. That is as long
    /// as a program takes to register its advertisement, and less than it waits until it registers it again. An
    /// advertisement may be withdrawn when this returns.
    func whileDiscoverableChanges<Value: Sendable>(
        on name: String, _ body: () async throws -> Value
    ) async throws -> Value {
        let changes = Task {
            let end = ContinuousClock.now + .seconds(1)
            var isOn = false
            while !Task.isCancelled, ContinuousClock.now < end {
                isOn.toggle()
                try await setDiscoverable(isOn, on: name)
            }
            try await setDiscoverable(false, on: name)
        }
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        changes.cancel()
        try await changes.value
        try await waitUntilAdvertisingIsUpToDate(on: name)
        return try outcome.get()
    }

    private func setDiscoverable(_ isOn: Bool, on name: String) async throws {
        // In a task of its own, which is not cancelled with the one that calls.
        try await Task {
            try await set("Discoverable", to: .boolean(isOn), on: name)
        }.value
    }

    /// When an adapter starts or stops being discoverable, bluetoothd changes the flags of its advertisements. One that
    /// is withdrawn before the kernel has answered that makes bluetoothd 5.66 crash: it uses what it has freed. The
    /// kernel does one thing after another, so that it has answered when it has also changed the adapter's name.
    @LoopActor
    private func waitUntilAdvertisingIsUpToDate(on name: String) async throws {
        let connection = try await BusConnection.system()
        defer { connection.close() }
        let isRenamed = Promise<Bool>("a new name of the adapter")
        let owner = connection.watchOwner(of: Bluetoothd.busName) { _ in }
        let changes = connection.onSignal(
            .propertiesChanged(of: Adapter1.self, at: try path(of: name), from: Bluetoothd.busName)
        ) { signal in
            if signal.propertyChanges(of: Adapter1.self)?.contains(Adapter1.alias) == true { isRenamed.fulfil(true) }
        }
        defer {
            changes.cancel()
            owner.cancel()
        }
        let answer = try await connection.call(
            MethodCall(
                destination: Bluetoothd.busName, path: try path(of: name),
                interface: "org.freedesktop.DBus.Properties", method: "Get",
                arguments: [.string(Adapter1.name), .string(Adapter1.alias.name)]))
        guard case .variant(.string(let alias))? = answer.arguments.first else {
            throw LabError("an adapter without a name")
        }
        try await set(Adapter1.alias.name, to: .string(alias + "."), on: name)
        _ = try await isRenamed.value(within: .seconds(10))
        try await set(Adapter1.alias.name, to: .string(alias), on: name)
    }

    @LoopActor
    private func set(_ property: String, to value: BusValue, on name: String) async throws {
        let connection = try await BusConnection.system()
        defer { connection.close() }
        _ = try await connection.call(
            MethodCall(
                destination: Bluetoothd.busName, path: try path(of: name),
                interface: "org.freedesktop.DBus.Properties", method: "Set",
                arguments: [.string(Adapter1.name), .string(property), .variant(value)]))
    }

    private func path(of name: String) throws -> ObjectPath {
        guard let path = ObjectPath("/org/bluez/\(name)") else { throw LabError("no adapter \(name)") }
        return path
    }

    @LoopActor
    private func reloadBusPolicy() async throws {
        let connection = try await BusConnection.system()
        defer { connection.close() }
        guard let path = ObjectPath("/org/freedesktop/DBus") else { throw LabError("no path of the bus") }
        _ = try await connection.call(
            MethodCall(
                destination: "org.freedesktop.DBus", path: path, interface: "org.freedesktop.DBus",
                method: "ReloadConfig"))
    }
}
