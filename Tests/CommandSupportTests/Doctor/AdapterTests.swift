import DBus
import TestSupport
import Testing

@testable import CommandSupport

/// The adapter, its switches, and what it can do.
@Suite(.fewAtOnce) struct AdapterTests {
    @Test func `the adapter that is asked for is not there`() async throws {
        let machine = try await Machine()
        try await machine.start(adapters: 2)
        let problem = try #require(await machine.examine(adapter: "hci9").problems.first)
        #expect(problem.topic == .adapter)
        #expect(problem.text == "no Bluetooth adapter hci9; available: hci0 00:AA:01:00:00:00, hci1 00:AA:01:01:00:01")
        #expect(problem.remedies == ["export BLUETOOTH_ADAPTER=hci0"])
        #expect(await machine.examine(adapter: "00:aa:01:01:00:01").complaints.isEmpty)
    }

    @Test func `the kernel has no Bluetooth`() async throws {
        let machine = try await Machine()
        try await machine.start(adapters: 0)
        try machine.remove("/sys/class/bluetooth")
        let problem = try #require(await machine.examine().problems.first)
        #expect(problem.topic == .kernel)
        #expect(problem.remedies == ["sudo modprobe bluetooth"])
    }

    @Test func `there are no Bluetooth sockets`() async throws {
        let machine = try await Machine()
        try await machine.start(adapters: 0)
        machine.host.bluetoothSocketError = 97
        let problem = try #require(await machine.examine().problems.first)
        #expect(problem.topic == .kernel && problem.text.contains("sockets"))
    }

    @Test func `there is no controller`() async throws {
        let machine = try await Machine()
        try await machine.start(adapters: 0)
        try machine.remove("/sys/class/bluetooth/hci0")
        try machine.write("", to: "/sys/class/bluetooth/hci0:64")
        let problem = try #require(await machine.examine().problems.first)
        #expect(problem.topic == .adapter && problem.text.contains("no Bluetooth controller"))
        #expect(problem.remedies.first == "sudo modprobe btusb")
    }

    @Test func `bluetoothd does not show the controller`() async throws {
        let machine = try await Machine()
        try await machine.start(adapters: 0)
        let problem = try #require(await machine.examine().problems.first)
        #expect(problem.topic == .adapter && problem.text.contains("the kernel has hci0"))
        #expect(problem.remedies == ["sudo service bluetooth restart"])
    }

    // MARK: Switches

    @Test func `the adapter is off`() async throws {
        let machine = try await Machine()
        try await machine.start { $0.set("Powered", .boolean(false)) }
        let report = await machine.examine()
        #expect(
            report.problems == [
                Finding(.power, .problem, "hci0 is off", remedies: ["bluetoothctl power on"])
            ])
        // dittojay helps itself.
        #expect(await machine.examine(as: .peripheral).complaints.isEmpty)
    }

    @Test func `the adapter of several is off`() async throws {
        let machine = try await Machine()
        try await machine.start(adapters: 2) { $0.set("Powered", .boolean($0.index == 0)) }
        #expect(await machine.examine().complaints.isEmpty)
        let problem = try #require(await machine.examine(adapter: "hci1").problems.first)
        #expect(problem.topic == .power)
        #expect(problem.remedies.first?.contains("/org/bluez/hci1") == true)
    }

    @Test func `the adapter is blocked`() async throws {
        let machine = try await Machine()
        try await machine.start { $0.set("Powered", .boolean(false)) }
        try machine.write("1\n", to: "/sys/class/rfkill/rfkill1/soft")
        let report = await machine.examine()
        #expect(
            report.problems == [
                Finding(
                    .radio, .problem, "hci0 is blocked (rfkill)",
                    remedies: ["echo 0 | sudo tee /sys/class/rfkill/rfkill1/soft"])
            ])
        #expect(
            Doctor(role: .peripheral, adapter: nil, host: machine.host).radioObstacle(of: "hci0")
                == "hci0 is blocked (rfkill): echo 0 | sudo tee /sys/class/rfkill/rfkill1/soft")
        #expect(Doctor(role: .peripheral, adapter: nil, host: machine.host).radioObstacle(of: "hci7") == nil)
        try machine.write("", to: "/usr/sbin/rfkill")
        #expect(await machine.examine().problems.first?.remedies == ["sudo rfkill unblock bluetooth"])
        try machine.write("1\n", to: "/sys/class/rfkill/rfkill1/hard")
        let hard = try #require(await machine.examine(as: .peripheral).problems.first)
        #expect(hard.topic == .radio && hard.text.contains("switch or key"))
    }

    @Test func `switches of other adapters do not matter`() async throws {
        let machine = try await Machine()
        try await machine.start()
        try machine.write(["/sys/class/rfkill/rfkill1/name": "hci7\n", "/sys/class/rfkill/rfkill1/soft": "1\n"])
        #expect(await machine.examine().complaints.isEmpty)
        // A switch of the machine is one of all adapters.
        try machine.write("tpacpi_bluetooth_sw\n", to: "/sys/class/rfkill/rfkill1/name")
        #expect(await machine.examine().problems.map(\.topic) == [.radio])
    }

    // MARK: Roles

    @Test func `the adapter cannot be a central`() async throws {
        let machine = try await Machine()
        try await machine.start { $0.set("Roles", ["peripheral"].busValue) }
        #expect(await machine.examine().problems.map(\.topic) == [.scanning])
        #expect(await machine.examine(as: .peripheral).complaints.isEmpty)
    }

    @Test func `a scan of somebody else is no obstacle`() async throws {
        let machine = try await Machine()
        try await machine.start { $0.set("Discovering", .boolean(true)) }
        let report = await machine.examine()
        #expect(report.complaints.isEmpty)
        #expect(report.findings.contains { $0.topic == .scanning && $0.text.contains("does not interfere") })
    }

    @Test func `the adapter cannot advertise`() async throws {
        let machine = try await Machine()
        try await machine.start(adapters: 2) { $0.offersAdvertising = false }
        let problem = try #require(await machine.examine(as: .peripheral).problems.first)
        #expect(problem.topic == .advertising && problem.text.contains("another adapter"))
        #expect(await machine.examine(as: .central).complaints.isEmpty)
    }

    @Test func `another adapter can advertise`() async throws {
        let machine = try await Machine()
        try await machine.start(adapters: 2) { $0.offersAdvertising = $0.index == 1 }
        let problem = try #require(await machine.examine(as: .peripheral).problems.first)
        #expect(problem.remedies == ["export BLUETOOTH_ADAPTER=hci1"])
    }

    @Test func `the advice is another option where an option overrides the variable`() async throws {
        let machine = try await Machine()
        try await machine.start(adapters: 2) { $0.offersAdvertising = $0.index == 1 }
        let missing = try #require(await machine.examine(adapter: "hci9", adapterVariable: nil).problems.first)
        #expect(missing.remedies == ["bluejay doctor --adapter hci0"])
        let lacking = try #require(
            await machine.examine(as: .peripheral, adapter: "hci0", adapterVariable: nil).problems.first)
        #expect(lacking.remedies == ["dittojay doctor --adapter hci1"])
    }

    @Test func `there is no room for another advertisement`() async throws {
        let machine = try await Machine()
        try await machine.start { $0.advertisementsOfOthers = 4 }
        let problem = try #require(await machine.examine(as: .peripheral).problems.first)
        #expect(problem.topic == .advertising && problem.text.contains("other programs use 4"))
        #expect(problem.remedies == ["sudo service bluetooth restart"])
        #expect(await machine.examine(as: .central).complaints.isEmpty)
    }

    @Test func `the adapter cannot have services`() async throws {
        let machine = try await Machine()
        try await machine.start { $0.offersServices = false }
        #expect(await machine.examine(as: .peripheral).problems.map(\.topic) == [.services])
    }

    // MARK: The kernel's parts

    @Test func `the kernel cannot pair`() async throws {
        let machine = try await Machine()
        try await machine.start()
        try machine.write([
            "/proc/crypto": "name         : sha256\n",
            "/lib/modules/6.1.0-test/modules.dep": "kernel/crypto/cmac.ko:\n",
            "/etc/os-release": "ID=ubuntu\n",
        ])
        let warning = try #require(await machine.examine().warnings.first)
        #expect(warning.topic == .pairing && warning.text.contains("ecdh_generic"))
        #expect(warning.remedies == ["sudo apt install linux-modules-extra-6.1.0-test"])
        // Where the kernel's files are not there, as in a container, nothing can be said.
        try machine.remove("/lib/modules")
        #expect(await machine.examine().complaints.isEmpty)
    }

    @Test func `sockets are short`() async throws {
        let machine = try await Machine()
        try await machine.start()
        try machine.write("16384\n", to: "/proc/sys/net/core/wmem_default")
        let warning = try #require(await machine.examine().warnings.first)
        #expect(warning.topic == .sockets)
        #expect(warning.remedies == ["sudo sysctl -w net.core.wmem_default=212992"])
        #expect(await machine.examine(as: .peripheral).complaints.isEmpty)
        // A container's settings are not those of bluetoothd's sockets.
        try machine.write("", to: "/.dockerenv")
        #expect(await machine.examine().complaints.isEmpty)
    }
}
