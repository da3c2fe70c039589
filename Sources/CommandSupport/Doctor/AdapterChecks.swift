import BlueZ
import DBus
import Foundation
import LineOutput
import PlainText

/// The adapter that would be used, its switches, and what it can do.
extension Doctor {
    func checkAdapter(among adapters: [AdapterRecord]) -> [Finding] {
        // The kernel's check says why there is none.
        guard !adapters.isEmpty else { return [] }
        guard let chosen = choice(among: adapters) else { return [missing(adapters)] }
        var findings = [Finding.ok(.adapter, "\(chosen.name) \(chosen.address)")]
        let switches = checkRadioSwitches(of: chosen.name)
        findings += switches
        if !switches.contains(where: { $0.verdict == .problem }) {
            findings.append(checkPower(of: chosen, isOnlyOne: adapters.count == 1))
        }
        switch role {
        case .central: findings.append(checkScanning(chosen, others: adapters))
        case .peripheral:
            findings.append(checkAdvertising(chosen, others: adapters))
            findings.append(checkServices(chosen, others: adapters))
        }
        return findings
    }

    /// The one that the programs would take.
    private func choice(among adapters: [AdapterRecord]) -> AdapterRecord? {
        guard let adapter, !adapter.isEmpty else { return adapters.first(where: \.isPowered) ?? adapters.first }
        return adapters.first {
            $0.name == adapter || $0.address.caseInsensitiveCompare(adapter) == .orderedSame
        }
    }

    private func missing(_ adapters: [AdapterRecord]) -> Finding {
        let known = adapters.map { "\($0.name) \($0.address)" }.joined(separator: ", ")
        return .problem(
            .adapter, "no Bluetooth adapter \(adapter ?? ""); available: \(known)",
            choosing(adapters[0]))
    }

    /// The command by which another adapter is used.
    private func choosing(_ adapter: AdapterRecord) -> String {
        if let adapterVariable { return "export \(adapterVariable)=\(adapter.name)" }
        return "\(role.program) doctor --adapter \(adapter.name)"
    }

    // MARK: Switches

    /// What keeps an adapter off, and what to do, if that is a radio switch; without the other checks.
    ///
    /// - Parameter adapter: as with ``checkRadioSwitches(of:)``.
    package func radioObstacle(of adapter: String?) -> String? {
        guard let finding = checkRadioSwitches(of: adapter).first else { return nil }
        return finding.text + (finding.remedies.first.map { ": \($0)" } ?? "")
    }

    /// - Parameter adapter: switches of other adapters do not matter; nil if all do.
    func checkRadioSwitches(of adapter: String?) -> [Finding] {
        let folder = "/sys/class/rfkill"
        return host.names(in: folder).compactMap { name in
            func text(_ file: String) -> String? { host.text(of: "\(folder)/\(name)/\(file)") }
            guard text("type") == "bluetooth" else { return nil }
            let device = text("name") ?? name
            if let adapter, device.hasPrefix("hci"), device != adapter { return nil }
            if text("hard") == "1" {
                return .problem(
                    .radio,
                    "\(device) is blocked by a switch or key of the machine, or by its firmware: switch it on there",
                    "rfkill list bluetooth")
            }
            guard text("soft") == "1" else { return nil }
            let hasProgram = host.first(of: ["/usr/sbin/rfkill", "/usr/bin/rfkill", "/sbin/rfkill"]) != nil
            return .problem(
                .radio, "\(device) is blocked (rfkill)",
                hasProgram ? "sudo rfkill unblock bluetooth" : "echo 0 | sudo tee \(folder)/\(name)/soft")
        }
    }

    private func checkPower(of adapter: AdapterRecord, isOnlyOne: Bool) -> Finding {
        if adapter.isPowered { return .ok(.power, "\(adapter.name) is on") }
        if role == .peripheral { return .ok(.power, "\(adapter.name) is off; dittojay switches it on") }
        return .problem(
            .power, "\(adapter.name) is off",
            // bluetoothctl handles only one adapter at a time.
            isOnlyOne
                ? "bluetoothctl power on"
                : Self.powerOn(adapter))
    }

    private static func powerOn(_ adapter: AdapterRecord) -> String {
        let set = "\(PropertiesInterface.name).\(PropertiesInterface.set.name)"
        return "dbus-send --system --print-reply --dest=\(Bluetoothd.busName) \(adapter.path) \(set) "
            + "string:\(Adapter1.name) string:\(Adapter1.powered.name) variant:boolean:true"
    }

    // MARK: Roles

    private func checkScanning(_ adapter: AdapterRecord, others: [AdapterRecord]) -> Finding {
        guard adapter.roles.isEmpty || adapter.roles.contains("central") else {
            let text = "\(adapter.name) cannot be a central; supported roles: \(adapter.roles.joined(separator: ", "))"
            return lacking(.scanning, text, others.first { $0.roles.contains("central") })
        }
        return .ok(
            .scanning,
            adapter.isDiscovering ? "possible; another program is scanning, which does not interfere" : "possible")
    }

    private func checkAdvertising(_ adapter: AdapterRecord, others: [AdapterRecord]) -> Finding {
        guard let advertisements = adapter.advertisements,
            adapter.roles.isEmpty || adapter.roles.contains("peripheral")
        else {
            return lacking(
                .advertising, "\(adapter.name) cannot advertise",
                others.first { ($0.advertisements?.left ?? 0) > 0 && $0.roles.contains("peripheral") })
        }
        guard advertisements.left > 0 else {
            let text =
                "\(adapter.name) has no free advertising instance; other programs use \(advertisements.active)"
            return .problem(
                .advertising, text + ". Restarting bluetoothd ends them", host.service("restart", "bluetooth"))
        }
        return .ok(.advertising, "possible, \(counted(advertisements.left, "advertising instance")) free")
    }

    private func checkServices(_ adapter: AdapterRecord, others: [AdapterRecord]) -> Finding {
        adapter.offersServices
            ? .ok(.services, "possible")
            : lacking(.services, "\(adapter.name) cannot publish services", others.first(where: \.offersServices))
    }

    /// - Parameter substitute: an adapter that can do it.
    private func lacking(_ topic: Finding.Topic, _ text: String, _ substitute: AdapterRecord?) -> Finding {
        guard let substitute else { return .problem(topic, text + ": this needs another adapter") }
        return .problem(
            topic, text + ", but \(substitute.name) can", choosing(substitute))
    }
}
