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

    /// Runs a test while an adapter becomes discoverable and ceases to be, over and over.
    func whileDiscoverableChanges(on name: String, _ body: () async throws -> Void) async throws {
        let changes = Task {
            var isOn = false
            while !Task.isCancelled {
                isOn.toggle()
                try await setDiscoverable(isOn, on: name)
            }
            try await setDiscoverable(false, on: name)
        }
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        changes.cancel()
        try await changes.value
        try outcome.get()
    }

    @LoopActor
    private func setDiscoverable(_ isOn: Bool, on name: String) async throws {
        let connection = try BusConnection.system()
        defer { connection.close() }
        guard let path = ObjectPath("/org/bluez/\(name)") else { throw LabError("no adapter \(name)") }
        // In a task of its own, which is not cancelled with the one that calls.
        try await Task {
            _ = try await connection.call(
                MethodCall(
                    destination: Bluetoothd.busName, path: path, interface: "org.freedesktop.DBus.Properties",
                    method: "Set",
                    arguments: [.string("org.bluez.Adapter1"), .string("Discoverable"), .variant(.boolean(isOn))]))
        }.value
    }

    @LoopActor
    private func reloadBusPolicy() async throws {
        let connection = try BusConnection.system()
        defer { connection.close() }
        guard let path = ObjectPath("/org/freedesktop/DBus") else { throw LabError("no path of the bus") }
        _ = try await connection.call(
            MethodCall(
                destination: "org.freedesktop.DBus", path: path, interface: "org.freedesktop.DBus",
                method: "ReloadConfig"))
    }
}
