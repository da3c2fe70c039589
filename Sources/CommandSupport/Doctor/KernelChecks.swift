import Foundation

/// What the kernel must have. Checked if no adapter is seen, and for faults that show only later.
extension Doctor {
    /// Why there is no adapter.
    ///
    /// - Parameter hasAnswered: whether bluetoothd has answered that it has none.
    func checkKernel(hasAnswered: Bool) -> [Finding] {
        guard host.exists("/sys/class/bluetooth") else {
            return [.problem(.kernel, "the kernel has no Bluetooth support loaded", "sudo modprobe bluetooth")]
        }
        // With a container, bluetoothd on the host needs the sockets.
        if host.bluetoothSocketError != 0, !host.isContainer {
            let reason = String(cString: strerror(host.bluetoothSocketError))
            return [.problem(.kernel, "Bluetooth sockets are not available (\(reason))", "sudo modprobe bluetooth")]
        }
        // "hci0:64" is a connection.
        let controllers = host.names(in: "/sys/class/bluetooth").filter {
            $0.hasPrefix("hci") && !$0.contains(":")
        }
        guard let controller = controllers.first else {
            return [
                .problem(
                    .adapter, "no Bluetooth controller found, or its driver or firmware is missing",
                    "sudo modprobe btusb", "sudo dmesg | grep -i -e bluetooth -e firmware")
            ]
        }
        guard hasAnswered else { return [.ok(.kernel, "has \(controllers.joined(separator: ", "))")] }
        return [
            .problem(
                .adapter, "the kernel has \(controller), but bluetoothd does not show it",
                host.service("restart", "bluetooth"))
        ]
    }

    /// The algorithms of pairing: without them the adapter works, but cannot pair ("Unable to create … crypto
    /// context").
    func checkPairing() -> [Finding] {
        let modules = "/lib/modules/\(host.kernelRelease)"
        let available = ["modules.dep", "modules.builtin"].compactMap { host.text(of: "\(modules)/\($0)") }
        // A container or a special machine may not have the files of the kernel's modules: then this is unknown.
        guard !available.isEmpty, let loaded = host.text(of: "/proc/crypto") else { return [] }
        // The kernel loads available modules by itself.
        let missing = [("ecdh_generic", "ecdh"), ("cmac", "cmac(aes)")].filter { module, algorithm in
            !available.contains { $0.contains("/\(module).ko") } && !loaded.contains(": \(algorithm)")
        }.map(\.0)
        guard !missing.isEmpty else { return [] }
        let text = "the kernel has no \(missing.joined(separator: ", ")), so devices cannot be paired"
        guard (host.text(of: "/etc/os-release") ?? "").contains("ID=ubuntu") else {
            return [.warning(.pairing, text + ": this needs another kernel")]
        }
        return [.warning(.pairing, text, "sudo apt install linux-modules-extra-\(host.kernelRelease)")]
    }

    /// How much a socket holds: if that is too little for `--sockets`, bluetoothd drops the rest. The room is the
    /// sender's; the number of packets (`net.unix.max_dgram_qlen`) is not limited in connected pairs.
    func checkSockets() -> [Finding] {
        let file = "/proc/sys/net/core/wmem_default"
        // The sockets are bluetoothd's, and a container has settings of its own.
        guard !host.isContainer, let text = host.text(of: file), let size = Int(text) else {
            return []
        }
        guard size < Self.smallBuffer else { return [.ok(.sockets, "hold \(size / 1024) KB")] }
        return [
            .warning(
                .sockets,
                "hold \(size / 1024) KB only (net.core.wmem_default): with --sockets, notifications get lost",
                "sudo sysctl -w net.core.wmem_default=212992")
        ]
    }

    /// The kernel's own value is 212,992, of which a short value takes 768.
    private static let smallBuffer = 100_000
}
