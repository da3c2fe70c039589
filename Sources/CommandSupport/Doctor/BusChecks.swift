import BlueZ
import DBus
import Foundation
import MainLoop

/// The bus, bluetoothd on it, and whether this user may talk to it.
extension Doctor {
    private static let name = Bluetoothd.busName

    /// - Returns: the findings, and bluetoothd's answer, if it is on the bus.
    @LoopActor
    func examineBus() async -> ([Finding], DaemonAnswer?) {
        let connection: BusConnection
        do {
            connection = try await BusConnection.open(address: host.busAddress, within: Self.timeout)
        } catch {
            return ([unreachable(error)], nil)
        }
        defer { connection.close() }
        let bus = Finding.ok(.bus, host.busAddress)
        do {
            guard try await ask(connection, BusDriver.nameHasOwner).first(as: Bool.self) else {
                return ([bus, absent()], nil)
            }
            var answer = DaemonAnswer()
            answer.process = (try? await ask(connection, BusDriver.getConnectionUnixProcessID).first(as: UInt32.self))
                .map(Int.init)
            let process = answer.process.map { ", process \($0)" } ?? ""
            do {
                answer.adapters = try await adapters(connection)
                return ([bus, .ok(.bluetoothd, "is on the bus\(process)"), .ok(.permission, "granted")], answer)
            } catch let error as BusError where error.isAccessDenied {
                return ([bus, .ok(.bluetoothd, "is on the bus\(process)"), denied(error)], answer)
            } catch {
                return ([bus, silent(error, process: process)], answer)
            }
        } catch {
            let text = "the bus at \(host.busAddress) does not answer: \(error)"
            return ([.problem(.bus, text, host.service("restart", "dbus"))], nil)
        }
    }

    @LoopActor
    private func ask(_ connection: BusConnection, _ method: BusDriver.Method) async throws -> MethodReply {
        try await connection.call(.bus(method, [.string(Self.name)]), timeout: Self.timeout)
    }

    @LoopActor
    private func adapters(_ connection: BusConnection) async throws -> [AdapterRecord] {
        let reply = try await connection.call(.getManagedObjects(of: Self.name), timeout: Self.timeout)
        return try reply.managedObjects().compactMap { AdapterRecord($0) }
            .sorted { $0.name.compare($1.name, options: .numeric) == .orderedAscending }
    }

    // MARK: What can be wrong

    func unreachable(_ error: BusError) -> Finding {
        let (address, reason) =
            if case .cannotConnect(let address, let reason) = error { (address, reason) } else {
                (host.busAddress, error.description)
            }
        let isSilent = reason == BusError.silence
        let text =
            isSilent ? "the bus at \(address) does not answer" : "no system bus at \(address): \(reason)"
        if host.isBusAddressGiven {
            return .problem(
                .bus, text + "; DBUS_SYSTEM_BUS_ADDRESS names that address", "unset DBUS_SYSTEM_BUS_ADDRESS")
        }
        if reason.contains("Permission denied"), let socket = socketPath {
            return .problem(.bus, "\(host.user.name) may not open \(socket)", "sudo chmod 666 \(socket)")
        }
        // As it does for users whose groups it cannot look up.
        if reason == BusError.closing, let refused = unknownUser() { return refused }
        // It is there, and this is the way to it.
        if isSilent { return .problem(.bus, text, host.service("restart", "dbus")) }
        if host.isContainer {
            let socket = "/run/dbus/system_bus_socket"
            return .problem(
                .bus, text + "; a container gets the host's when it is run with this option",
                "--volume \(socket):\(socket)")
        }
        guard host.first(of: ["/usr/bin/dbus-daemon", "/usr/bin/dbus-broker"]) != nil else {
            return .problem(.bus, text + "; no bus is installed", "sudo apt install dbus")
        }
        return .problem(.bus, text, host.service("start", "dbus"))
    }

    private func unknownUser() -> Finding? {
        let (number, files) = (host.user.number, host.text(of: "/etc/passwd") ?? "")
        if host.isContainer {
            return .problem(
                .bus,
                "the host's bus refuses user \(number), whom the host does not know; run the container with this option",
                "--user nobody")
        }
        let isKnown = files.split(separator: "\n").contains { line in
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            return fields.count > 2 && fields[2] == "\(number)"
        }
        guard !isKnown else { return nil }
        return .problem(
            .bus, "the bus refuses user \(number), who is not in /etc/passwd",
            "sudo useradd --uid \(number) --no-create-home user\(number)")
    }

    private var socketPath: String? {
        let prefix = "unix:path="
        guard host.busAddress.hasPrefix(prefix) else { return nil }
        return host.busAddress.dropFirst(prefix.count).split(separator: ",").first.map(String.init)
    }

    private func absent() -> Finding {
        if host.isContainer {
            return .problem(
                .bluetoothd, "is not on the host's bus; start it there", "sudo systemctl enable --now bluetooth")
        }
        guard let program = host.first(of: Self.programs) else {
            return .problem(.bluetoothd, "is not installed", "sudo apt install bluez")
        }
        if let process = host.bluetoothProcesses.first {
            return .problem(
                .bluetoothd, "runs as process \(process), but is not on this bus",
                host.service("restart", "bluetooth"))
        }
        if host.hasSystemd {
            let unit = "/etc/systemd/system/bluetooth.service"
            return host.link(at: unit) == "/dev/null"
                ? .problem(
                    .bluetoothd, "does not run: its service is masked",
                    "sudo systemctl unmask bluetooth && sudo systemctl enable --now bluetooth")
                : .problem(.bluetoothd, "does not run", "sudo systemctl enable --now bluetooth")
        }
        return host.exists("/etc/init.d/bluetooth")
            ? .problem(.bluetoothd, "does not run", "sudo service bluetooth start")
            : .problem(.bluetoothd, "does not run", "sudo \(program) &")
    }

    private static var programs: [String] { Host.bluetoothdPaths }

    private func silent(_ error: any Error, process: String) -> Finding {
        .problem(
            .bluetoothd, "is on the bus\(process), but does not answer as expected: \(error)",
            host.service("restart", "bluetooth"))
    }

    /// The bus refuses calls of `org.bluez`. The policy's files say whose calls it allows.
    private func denied(_ error: BusError) -> Finding {
        let user = host.user
        let refused = "the system bus does not let \(user.name) talk to bluetoothd"
        if error.description.contains("AppArmor") {
            return .problem(
                .permission, refused + ": AppArmor forbids it; run the container with this option",
                "--security-opt apparmor=unconfined")
        }
        if host.isContainer {
            return .problem(
                .permission, refused + "; the host's policy allows root, so run the container with this option",
                "--user 0")
        }
        let policies = policyFiles
        if policies.isEmpty {
            return .problem(
                .permission, refused + ": bluez's policy file is missing",
                "sudo apt install --reinstall -o Dpkg::Options::=--force-confmiss bluez && "
                    + host.service("reload", "dbus"))
        }
        let allowed = policies.flatMap(Self.groups).compactMap { host.group(named: $0) }
        if let group = allowed.first(where: { host.user.groups.contains($0.number) }) {
            return .problem(
                .permission,
                refused + ", though it allows the group \(group.name): the bus has not reloaded its policy",
                host.service("reload", "dbus"))
        }
        if let group = allowed.first(where: { $0.members.contains(user.name) }) {
            return .problem(
                .permission,
                refused + ": it allows the group \(group.name), which \(user.name) joins at the next login",
                "newgrp \(group.name)")
        }
        if let group = allowed.first {
            return .problem(
                .permission, refused + ": it allows the group \(group.name); log in again after this",
                "sudo usermod -aG \(group.name) \(user.name)")
        }
        let policy =
            "<busconfig><policy user=\"\(user.name)\"><allow send_destination=\"\(Self.name)\"/></policy></busconfig>"
        return .problem(
            .permission, refused,
            "echo '\(policy)' | sudo tee /etc/dbus-1/system.d/bluetooth-\(user.name).conf && "
                + host.service("reload", "dbus"))
    }

    /// The policy files that allow anyone to talk to bluetoothd.
    private var policyFiles: [String] {
        ["/etc/dbus-1/system.d", "/usr/share/dbus-1/system.d"].flatMap { folder in
            host.names(in: folder).filter { $0.hasSuffix(".conf") }.compactMap {
                host.text(of: "\(folder)/\($0)")
            }
        }.filter { $0.contains("send_destination=\"\(Self.name)\"") }
    }

    /// The groups that a policy file allows to talk to bluetoothd.
    static func groups(allowedBy policy: String) -> [String] {
        let parts = policy.components(separatedBy: "<policy").dropFirst()
        return parts.compactMap { part in
            let rules = part.components(separatedBy: "</policy>")[0]
            guard rules.contains("<allow send_destination=\"\(name)\""), let begin = rules.range(of: "group=\"")
            else { return nil }
            return rules[begin.upperBound...].split(separator: "\"").first.map(String.init)
        }
    }
}

/// A line of `/etc/group`.
struct UserGroup: Hashable, Swift.Sendable {
    var name: String
    var number: UInt32
    var members: [String]
}

extension Doctor.Host {
    func group(named name: String) -> UserGroup? {
        for line in (text(of: "/etc/group") ?? "").split(separator: "\n") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 4, fields[0] == name, let number = UInt32(fields[2]) else { continue }
            return UserGroup(
                name: name, number: number, members: fields[3].split(separator: ",").map(String.init))
        }
        return nil
    }
}
