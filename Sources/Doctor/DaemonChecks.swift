import BlueZ
import Foundation

/// bluetoothd's version and settings, and that only one runs.
extension Doctor {
    /// The first release in which LEAdvertisingManager1 is not experimental.
    private static let firstWithAdvertising = BlueZVersion(5, 48)
    /// The oldest that this package has been tested with.
    private static let oldestTested = BlueZVersion(5, 66)
    /// By default, these use three ATT channels (EATT): BlueZ 5.54 introduced them, 5.68 returned to one.
    private static let withEATTByDefault = BlueZVersion(5, 54)..<BlueZVersion(5, 68)

    // MARK: Version

    func checkVersion(_ version: BlueZVersion?) -> [Finding] {
        guard let version else { return [.ok(.version, "cannot be determined from here")] }
        let text = "bluetoothd \(version)"
        let upgrade = "sudo apt update && sudo apt install --only-upgrade bluez"
        if role == .peripheral, version < Self.firstWithAdvertising {
            return [
                .problem(
                    .version, "\(text) is too old for a peripheral, which needs \(Self.firstWithAdvertising) or newer",
                    upgrade)
            ]
        }
        var findings: [Finding] = []
        if version < Self.oldestTested {
            findings.append(
                .warning(.version, "\(text) is older than \(Self.oldestTested), the oldest that was tested", upgrade))
        }
        for fault in KnownFault.all where fault.releases.contains(version) && fault.roles.contains(role) {
            findings.append(
                Finding(
                    .version, fault.verdict, "\(text) \(fault.text)", remedies: fault.verdict == .ok ? [] : [upgrade]))
        }
        return findings.isEmpty ? [.ok(.version, text)] : findings
    }

    /// From the identity that bluetoothd gives to its adapters, or, if a setting has changed that, from its program.
    func version(of answer: DaemonAnswer) -> BlueZVersion? {
        for adapter in answer.adapters ?? [] {
            if let version = adapter.modalias.flatMap(BlueZVersion.init(modalias:)) { return version }
        }
        guard !host.isContainer else { return nil }
        return program(of: answer.process).flatMap(host.version).flatMap { BlueZVersion($0) }
    }

    private func program(of process: Int?) -> String? {
        if let process, host.text(of: "/proc/\(process)/comm") == "bluetoothd" {
            // Only root may follow the link; every user may read the command line.
            let started = host.text(of: "/proc/\(process)/cmdline")?.split(separator: "\0").first.map(
                String.init)
            let paths = [host.link(at: "/proc/\(process)/exe"), started].compactMap { $0 }
            if let path = host.first(of: paths.filter { $0.hasPrefix("/") }) { return path }
        }
        return host.first(of: Host.bluetoothdPaths)
    }

    // MARK: Processes

    /// - Parameter owner: the process that is on the bus.
    func checkProcesses(owner: Int?) -> [Finding] {
        let processes = host.bluetoothProcesses
        guard processes.count > 1 else { return [] }
        let others = processes.filter { $0 != (owner ?? processes[0]) }
        return [
            .problem(
                .bluetoothd,
                "is running \(processes.count) times (processes \(processes.map(String.init).joined(separator: ", "))); "
                    + "the instances conflict",
                "sudo kill \(others.map(String.init).joined(separator: " "))")
        ]
    }

    // MARK: Settings

    private static let settingsFile = "/etc/bluetooth/main.conf"

    func checkSettings(version: BlueZVersion?) -> [Finding] {
        guard !host.isContainer else { return [] }
        let text = host.text(of: Self.settingsFile) ?? ""
        let settings = DaemonSettings(text)
        let restart = host.service("restart", "bluetooth")
        var findings: [Finding] = []
        if settings["General", "ControllerMode"] == "bredr" {
            let command =
                "sudo sed -i 's/^ *ControllerMode *=.*/ControllerMode = dual/' \(Self.settingsFile) && \(restart)"
            findings.append(.problem(.settings, "ControllerMode = bredr switches Bluetooth LE off", command))
        }
        let byDefault = version.map { Self.withEATTByDefault.contains($0) ? 3 : 1 }
        let channels = settings["GATT", "Channels"].flatMap(Int.init) ?? byDefault ?? 1
        if channels > 1, host.text(of: "/sys/module/bluetooth/parameters/enable_ecred") != "N" {
            findings.append(
                .warning(
                    .settings,
                    "with \(channels) ATT channels (EATT) notifications between two BlueZ machines can come out of order",
                    Self.oneChannel(hasGroup: settings.groups.contains("GATT")) + " && \(restart)"))
        }
        if settings["General", "JustWorksRepairing"].map({ $0 == "never" }) ?? true {
            findings.append(
                .ok(
                    .settings, "a paired device that has lost its keys can pair again only after \(role.program) unpair"
                ))
        }
        return findings
    }

    private static func oneChannel(hasGroup: Bool) -> String {
        hasGroup
            ? "sudo sed -i -e '/^ *Channels *=/d' -e 's/^\\[GATT\\].*/&\\nChannels = 1/' \(settingsFile)"
            : "printf '\\n[GATT]\\nChannels = 1\\n' | sudo tee -a \(settingsFile)"
    }
}

/// bluetoothd's settings: groups of keys, as GLib reads them (`[GATT]`, `Channels = 1`).
struct DaemonSettings: Hashable, Swift.Sendable {
    private(set) var groups: Set<String> = []
    private var values: [String: String] = [:]

    init(_ text: String) {
        var group = ""
        for line in text.split(whereSeparator: \.isNewline).map({ $0.trimmed }) {
            if line.hasPrefix("[") {
                group = String(line.dropFirst().prefix { $0 != "]" })
                groups.insert(group)
            } else if !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") {
                let key = line[..<equals].trimmed
                values["\(group)/\(key)"] = line[line.index(after: equals)...].trimmed
            }
        }
    }

    subscript(group: String, key: String) -> String? { values["\(group)/\(key)"] }
}
