import BluetoothLab
import Foundation
import Testing

extension InTheLab.Doctor {
    /// A line of `doctor --json`.
    struct Finding: Decodable {
        let topic: String
        let verdict: String
        let text: String
        let remedies: [String]
    }

    /// Runs `program doctor`, and checks how it ends.
    @discardableResult
    func doctor(
        _ program: String, _ adapter: String, _ options: String..., as user: String? = nil, expecting status: Int32 = 0
    ) async throws -> ChildProcess {
        // Findings are read from JSON; a healthy machine's are read as people do.
        let json = status == 0 || options.contains("--strict") ? [] : ["--json"]
        let arguments = ["doctor", "--adapter", adapter] + options + json
        let process =
            if let user {
                // A copy, because the folder that the program is in may be closed to others.
                try ChildProcess(
                    "bash",
                    [
                        "-c",
                        #"install "$(command -v "$1")" "/tmp/of-a-user-$1" && "#
                            + #"exec setpriv --reuid="$0" --regid=nogroup "$2" -- "/tmp/of-a-user-$1" "${@:3}""#,
                        user, program, Int(user) == nil ? "--init-groups" : "--clear-groups",
                    ] + arguments)
            } else {
                try ChildProcess(program, arguments)
            }
        let actual = try await process.exitStatus(within: .seconds(60))
        guard actual == status else { throw LabError("exit status \(actual), not \(status): \(process.transcript)") }
        return process
    }

    func findings(_ report: ChildProcess) -> [Finding] {
        report.lines.compactMap { try? JSONDecoder().decode(Finding.self, from: Data($0.utf8)) }
    }

    func problems(_ report: ChildProcess) -> [Finding] { findings(report).filter { $0.verdict == "problem" } }

    /// Does what the doctor says, with the lab's means: it is root already, and looks after bluetoothd by itself.
    func fix(_ command: String) async throws {
        let means = """
            sudo() { "$@"; }
            service() {
                case $1 in
                bluetooth) lab-bluetoothd "$2" ;;
                dbus) true ;;
                *) return 1 ;;
                esac
            }
            """
        let process = try ChildProcess("bash", ["-c", "\(means)\nset -o pipefail\n\(command)"])
        let status = try await process.exitStatus(within: .seconds(90))
        guard status == 0 else { throw LabError("exit status \(status): \(process.transcript)") }
    }

    /// Gives a file another content while `body` runs.
    ///
    /// - Parameter after: called after each change of the file.
    func withFile(
        _ path: String, _ text: String, after: () async throws -> Void = {}, _ body: () async throws -> Void
    ) async throws {
        let original = try String(contentsOfFile: path, encoding: .utf8)
        func put(_ text: String) async throws {
            try write(text, to: path)
            try await after()
        }
        try await put(text)
        do {
            try await body()
        } catch {
            try await put(original)
            throw error
        }
        try await put(original)
    }

    /// Writes into a file that is there, such as one of the kernel's.
    func write(_ text: String, to path: String) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        if path.hasPrefix("/etc/") { try file.truncate(atOffset: 0) }
        try file.write(contentsOf: Data(text.utf8))
    }

    /// Makes the bus read its policy again.
    func reloadBus() async throws {
        let process = try ChildProcess(
            "dbus-send",
            [
                "--system", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus",
                "org.freedesktop.DBus.ReloadConfig",
            ])
        let status = try await process.exitStatus()
        guard status == 0 else { throw LabError("the bus was not reloaded: \(process.transcript)") }
    }
}
