import BluetoothLab
import Foundation
import Testing

/// `scripts/ci/choose-lab` on machines of every kind, with stand-ins for the programs that it calls.
@Suite struct ChooseLabTests {
    /// What a machine has.
    struct Machine: Swift.Sendable {
        var modules = true
        var device = true
        var kvmWorks = true
    }

    @Test(arguments: [
        ("auto", Machine(), "host", "has virtual controllers"),
        ("auto", Machine(modules: false), "kvm", "no module hci_vhci; KVM works"),
        ("auto", Machine(modules: false, kvmWorks: false), "tcg", "no module hci_vhci; KVM does not work"),
        ("auto", Machine(modules: false, device: false, kvmWorks: false), "tcg", "KVM does not work"),
        ("host", Machine(), "host", "has virtual controllers"),
        ("kvm", Machine(), "kvm", "asked for; KVM works"),
        ("tcg", Machine(), "tcg", "asked for"),
    ])
    func `it takes the quickest and says why`(wanted: String, machine: Machine, kind: String, reason: String)
        async throws
    {
        let (status, lines, folder) = try await choose(wanted, on: machine)
        #expect(status == 0, "\(lines)")
        #expect(lines.contains(kind), "\(lines)")
        #expect(lines.contains { $0.hasPrefix("choose-lab: \(kind) (") && $0.contains(reason) }, "\(lines)")
        #expect(try String(contentsOf: folder.appendingPathComponent("output"), encoding: .utf8) == "lab=\(kind)\n")
        let setup = try String(contentsOf: folder.appendingPathComponent("setup"), encoding: .utf8)
        #expect(setup == (wanted == "auto" && kind != "host" ? "auto\n" : "\(kind)\n"), "the argument of ./lab setup")
        try FileManager.default.removeItem(at: folder)
    }

    @Test(arguments: [
        ("host", Machine(modules: false), "no lab on the host: this kernel has no module hci_vhci"),
        ("kvm", Machine(kvmWorks: false), "no lab with KVM"),
        ("qemu", Machine(), "auto, host, kvm or tcg, not qemu"),
    ])
    func `what cannot be had is refused`(wanted: String, machine: Machine, reason: String) async throws {
        let (status, lines, folder) = try await choose(wanted, on: machine)
        #expect(status == 1)
        #expect(lines.contains { $0.contains(reason) }, "\(lines)")
        #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("output").path))
        try FileManager.default.removeItem(at: folder)
    }

    /// Runs the script on such a machine, in a folder of its own with GitHub's `output` and the argument of `setup`.
    private func choose(
        _ wanted: String, on machine: Machine
    ) async throws -> (status: Int32, lines: [String], folder: URL) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("choose-\(UUID().uuidString)")
        let programs = folder.appendingPathComponent("bin")
        try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
        // Not a file of its own: while another thread starts a program, one just written may be busy.
        try FileManager.default.createSymbolicLink(
            atPath: programs.appendingPathComponent("modprobe").path,
            withDestinationPath: machine.modules ? "/bin/true" : "/bin/false")
        let setup =
            "echo \"$LAB\" >\"$LAB_HOME/setup\"; echo \(machine.kvmWorks ? "yes" : "no") 6.12 >\"$LAB_HOME/kvm\""
        let device = folder.appendingPathComponent("kvm-device")
        if machine.device { try Data().write(to: device) }
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardized.path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let process = try ChildProcess(
            "\(root)/scripts/ci/choose-lab", [wanted, "bash", "-c", setup],
            environment: [
                "PATH": "\(programs.path):\(root)/Fixtures/ci:\(path)", "LAB_HOME": folder.path,
                "LAB_KVM_DEVICE": device.path,
                "GITHUB_OUTPUT": folder.appendingPathComponent("output").path,
                "GITHUB_STEP_SUMMARY": folder.appendingPathComponent("summary").path,
            ])
        return (try await process.exitStatus(within: .seconds(30)), process.lines, folder)
    }
}
