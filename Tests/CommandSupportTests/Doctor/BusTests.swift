import DBus
import Foundation
import TestSupport
import Testing

@testable import CommandSupport

/// The bus, bluetoothd on it, and who may talk to it.
@Suite(.fewAtOnce) struct BusTests {
    @Test(arguments: [Doctor.Role.central, .peripheral])
    func `nothing is found on a healthy machine`(role: Doctor.Role) async throws {
        let machine = try await Machine()
        try await machine.start()
        let report = await machine.examine(as: role)
        #expect(report.complaints.isEmpty)
        let common: Set<Finding.Topic> = [.bus, .bluetoothd, .permission, .version, .adapter, .power]
        let more: Set<Finding.Topic> = role == .central ? [.scanning, .sockets] : [.advertising, .services]
        #expect(Set(report.findings.map(\.topic)) == common.union(more))
    }

    @Test func `a bus that the environment moved away`() async throws {
        let machine = try await Machine()
        machine.host.busAddress = "unix:path=/nowhere/bus"
        machine.host.isBusAddressGiven = true
        let finding = try #require(await machine.examine().problems.first)
        #expect(finding.topic == .bus)
        #expect(finding.text.contains("/nowhere/bus") && finding.text.contains("DBUS_SYSTEM_BUS_ADDRESS"))
        #expect(finding.remedies == ["unset DBUS_SYSTEM_BUS_ADDRESS"])
    }

    @Test func `a bus that does not run or is not installed`() async throws {
        let machine = try await Machine()
        machine.host.busAddress = "unix:path=\(machine.root.path)/no-bus"
        #expect(await machine.examine().problems.first?.remedies == ["sudo service dbus start"])
        try machine.write("", to: "/run/systemd/system/x")
        #expect(await machine.examine().problems.first?.remedies == ["sudo systemctl start dbus"])
        try machine.remove("/usr/bin/dbus-daemon")
        #expect(await machine.examine().problems.first?.remedies == ["sudo apt install dbus"])
        try machine.write("", to: "/.dockerenv")
        let remedy = "--volume /run/dbus/system_bus_socket:/run/dbus/system_bus_socket"
        #expect(await machine.examine().problems.first?.remedies == [remedy])
    }

    @Test func `a bus that does not answer`() async throws {
        let machine = try await Machine()
        machine.bus.freeze()
        defer { machine.bus.thaw() }
        let finding = try #require(await machine.examine().problems.first)
        #expect(finding.text == "the bus at \(machine.host.busAddress) does not answer")
        #expect(finding.remedies == ["sudo service dbus restart"])
        // The way to it is not what is wrong.
        try machine.write("", to: "/.dockerenv")
        #expect(await machine.examine().problems.first == finding)
    }

    @Test func `a bus socket that is closed to the user`() async throws {
        let machine = try await Machine()
        machine.host.busAddress = "unix:path=/run/bus"
        machine.host.user.name = "alice"
        let finding = Doctor(role: .central, adapter: nil, host: machine.host).unreachable(
            .cannotConnect(address: "unix:path=/run/bus", reason: "Failed to connect to socket: Permission denied"))
        #expect(finding.text == "alice may not open /run/bus")
        #expect(finding.remedies == ["sudo chmod 666 /run/bus"])
    }

    @Test func `a bus that does not know the user`() async throws {
        let machine = try await Machine()
        machine.host.user = .init(name: "user 4711", number: 4711, groups: [4711])
        try machine.write("root:x:0:0:root:/root:/bin/sh\n", to: "/etc/passwd")
        func finding() -> Finding {
            Doctor(role: .central, adapter: nil, host: machine.host).unreachable(
                .cannotConnect(address: "unix:path=/run/bus", reason: BusError.closing))
        }
        #expect(finding().text.contains("4711"))
        #expect(finding().remedies == ["sudo useradd --uid 4711 --no-create-home user4711"])
        try machine.write("", to: "/.dockerenv")
        #expect(finding().remedies == ["--user nobody"])
        try machine.remove("/.dockerenv")
        try machine.write("alice:x:4711:4711::/:/bin/sh\n", to: "/etc/passwd")
        #expect(finding().remedies == ["sudo service dbus start"])
    }

    // MARK: bluetoothd

    @Test func `bluetoothd does not run`() async throws {
        let machine = try await Machine()
        #expect(
            await machine.examine().problems == [
                Finding(.bluetoothd, .problem, "does not run", remedies: ["sudo service bluetooth start"])
            ])
        try machine.remove("/etc/init.d/bluetooth")
        #expect(await machine.examine().problems.first?.remedies == ["sudo /usr/libexec/bluetooth/bluetoothd &"])
        try machine.write("", to: "/run/systemd/system/x")
        #expect(await machine.examine().problems.first?.remedies == ["sudo systemctl enable --now bluetooth"])
    }

    @Test func `bluetoothd is masked`() async throws {
        let machine = try await Machine()
        try machine.write(["/run/systemd/system/x": "", "/etc/systemd/system/x": ""])
        try machine.link("/etc/systemd/system/bluetooth.service", to: "/dev/null")
        let finding = try #require(await machine.examine().problems.first)
        #expect(finding.text.contains("masked"))
        #expect(finding.remedies.first?.contains("unmask") == true)
    }

    @Test func `bluetoothd is not installed`() async throws {
        let machine = try await Machine()
        try machine.remove("/usr/libexec/bluetooth/bluetoothd")
        let problem = Finding(.bluetoothd, .problem, "is not installed", remedies: ["sudo apt install bluez"])
        #expect(await machine.examine().problems == [problem])
    }

    @Test func `bluetoothd is on another bus`() async throws {
        let machine = try await Machine()
        try machine.addProcess(77)
        let finding = try #require(await machine.examine().problems.first)
        #expect(finding.text == "runs as process 77, but is not on this bus")
        #expect(finding.remedies == ["sudo service bluetooth restart"])
    }

    @Test func `bluetoothd is missing on a container's host`() async throws {
        let machine = try await Machine()
        try machine.write("", to: "/run/.containerenv")
        let finding = try #require(await machine.examine().problems.first)
        #expect(finding.text.contains("host") && finding.topic == .bluetoothd)
    }

    @Test func `somebody else has the name`() async throws {
        let machine = try await Machine()
        try await machine.startImpostor()
        let finding = try #require(await machine.examine().problems.first)
        #expect(finding.topic == .bluetoothd && finding.text.contains("does not answer as expected"))
        #expect(finding.remedies == ["sudo service bluetooth restart"])
    }

    @Test func `a second bluetoothd`() async throws {
        let machine = try await Machine()
        try await machine.start()
        try machine.addProcess(77)
        try machine.addProcess(78, state: "Z")
        #expect(await machine.examine().complaints.isEmpty)
        try machine.addProcess(79)
        let finding = try #require(await machine.examine().problems.first)
        #expect(finding.text.contains("processes 77, 79"))
        // Neither of them is this process, which has the name.
        #expect(finding.remedies == ["sudo kill 77 79"])
    }

    // MARK: Permission

    @Test(arguments: [
        // The group is there, and the user does not belong to it.
        (group: "bluetooth:x:109:", groups: [] as [UInt32], remedy: "sudo usermod -aG bluetooth alice"),
        // Belongs to it, but not yet in this session.
        (group: "bluetooth:x:109:bob,alice", groups: [], remedy: "newgrp bluetooth"),
        // Belongs to it: the bus does not know its policy.
        (group: "bluetooth:x:109:alice", groups: [109], remedy: "sudo service dbus reload"),
    ])
    func `a bus that lets a group`(group: String, groups: [UInt32], remedy: String) async throws {
        let machine = try await Machine(rules: Machine.closedBus)
        try await machine.start()
        machine.host.user = .init(name: "alice", number: 1000, groups: Set(groups + [1000]))
        try machine.write([
            "/etc/dbus-1/system.d/bluetooth.conf": Machine.policy("group=\"bluetooth\""),
            "/etc/group": "root:x:0:\n\(group)\n",
        ])
        let report = await machine.examine()
        #expect(report.problems.map(\.topic) == [.permission])
        #expect(report.problems.first?.text.contains("alice") == true)
        #expect(report.problems.first?.remedies == [remedy])
    }

    @Test func `a bus that lets no group`() async throws {
        let machine = try await Machine(rules: Machine.closedBus)
        try await machine.start()
        machine.host.user = .init(name: "alice", number: 1000, groups: [1000])
        try machine.write(Machine.policy("user=\"bob\""), to: "/etc/dbus-1/system.d/bluetooth.conf")
        let remedy = try #require(await machine.examine().problems.first?.remedies.first)
        #expect(remedy.contains(#"<policy user="alice"><allow send_destination="org.bluez"/>"#))
        try machine.remove("/etc/dbus-1/system.d/bluetooth.conf")
        #expect(await machine.examine().problems.first?.remedies.first?.contains("--reinstall") == true)
        try machine.write("", to: "/.dockerenv")
        #expect(await machine.examine().problems.first?.remedies == ["--user 0"])
    }
}
