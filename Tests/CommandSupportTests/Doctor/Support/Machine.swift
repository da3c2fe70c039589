import DBus
import Foundation
import MainLoop
import TestSupport

@testable import CommandSupport

/// A machine to be examined: a folder for its files, a bus of its own, and what is on it. A fresh one is healthy.
final class Machine {
    private let folder: TemporaryFolder
    var root: URL { folder.url }
    let bus: PrivateBus
    private var bluez: FakeBluetoothd?
    private var impostor: BusConnection?
    var host: Doctor.Host

    /// A rule of the bus that keeps everybody from bluetoothd.
    static let closedBus = #"<deny send_destination="org.bluez"/>"#

    /// - Parameter rules: what the bus's policy says besides allowing everything.
    init(rules: String = "") async throws {
        folder = try TemporaryFolder()
        bus = try await PrivateBus.start(rules: rules)
        host = Doctor.Host(root: folder.path, busAddress: bus.address, kernelRelease: "6.1.0-test")
        try write(Self.healthyFiles)
    }

    private static let healthyFiles = [
        "/etc/bluetooth/main.conf":
            "[General]\nControllerMode = le\nJustWorksRepairing = confirm\n[GATT]\nChannels = 1\n",
        "/etc/dbus-1/system.d/bluetooth.conf": policy("context=\"default\""),
        "/etc/group": "root:x:0:\nbluetooth:x:109:\n",
        "/etc/init.d/bluetooth": "",
        "/usr/bin/dbus-daemon": "",
        "/usr/libexec/bluetooth/bluetoothd": "#!/bin/sh\necho 5.66\n",
        "/sys/class/bluetooth/hci0/address": "",
        "/sys/class/rfkill/rfkill0/type": "wlan\n", "/sys/class/rfkill/rfkill0/soft": "1\n",
        "/sys/class/rfkill/rfkill1/type": "bluetooth\n", "/sys/class/rfkill/rfkill1/name": "hci0\n",
        "/sys/class/rfkill/rfkill1/soft": "0\n", "/sys/class/rfkill/rfkill1/hard": "0\n",
        "/proc/sys/net/core/wmem_default": "212992\n",
        "/proc/crypto": "name         : sha256\nname         : ecdh-nist-p256\n",
        "/lib/modules/6.1.0-test/modules.dep": "kernel/crypto/ecdh_generic.ko.xz:\nkernel/crypto/cmac.ko.xz:\n",
    ]

    /// bluez's policy file, with one rule that lets somebody talk to bluetoothd.
    static func policy(_ whom: String) -> String {
        """
        <busconfig>
          <policy user="root"><allow own="org.bluez"/><allow send_destination="org.bluez"/></policy>
          <policy \(whom)>
            <allow send_destination="org.bluez"/>
          </policy>
        </busconfig>
        """
    }

    // MARK: Files

    func write(_ text: String, to path: String) throws { try write([path: text]) }

    func write(_ files: [String: String]) throws {
        for (path, text) in files {
            let file = root.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
    }

    func link(_ path: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: root.appendingPathComponent(path).path, withDestinationPath: target)
    }

    func makeExecutable(_ path: String) throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: root.appendingPathComponent(path).path)
    }

    func remove(_ path: String) throws {
        try FileManager.default.removeItem(at: root.appendingPathComponent(path))
    }

    /// Adds a process of bluetoothd.
    func addProcess(_ number: Int, state: String = "S", commandLine: String = "/usr/libexec/bluetooth/bluetoothd\0-n\0")
        throws
    {
        try write([
            "/proc/\(number)/comm": "bluetoothd\n",
            "/proc/\(number)/stat": "\(number) (bluetoothd) \(state) 1 1 1",
            "/proc/\(number)/cmdline": commandLine,
        ])
    }

    // MARK: bluetoothd

    /// Puts a bluetoothd on the bus.
    ///
    /// - Parameter configure: makes its adapters, hci0, hci1, …, others than ordinary ones.
    func start(adapters count: Int = 1, _ configure: @Sendable @LoopActor (FakeAdapter) -> Void = { _ in }) async throws
    {
        let daemon = try await FakeBluetoothd(on: bus, adapters: 0)
        for _ in 0..<count { await daemon.addAdapter(nil, configure) }
        bluez = daemon
    }

    /// Puts a program on the bus that does not know bluetoothd's methods.
    func startImpostor() async throws {
        let connection = try await bus.connect()
        try await connection.requestName("org.bluez")
        impostor = connection
    }

    func examine(
        as role: Doctor.Role = .central, adapter: String? = nil, adapterVariable: String? = "BLUETOOTH_ADAPTER"
    ) async -> Report {
        let doctor = Doctor(
            role: role, adapter: adapter, adapterVariable: adapterVariable, host: host)
        return await doctor.examine()
    }
}

extension Report {
    /// The findings that are not fine.
    var complaints: [Finding] { findings.filter { $0.verdict != .ok } }
}
