import Foundation

/// What happened during a test that has failed, in a folder of its own below `$LAB_OUT/failures` (or `$LAB_OUT/passed`,
/// if there are no issues): `summary.txt`,
/// `page.html`, `timeline.txt`, `hci.btsnoop`, `hci.txt`, `bus.log`, `bluetoothd.log`, `kernel.log` and `app.log`; and
/// the backtraces of programs that have crashed.
///
/// The lab's program `lab-bundle` writes it, for tests in any language.
struct FailureBundle {
    let test: String
    let start, end: WallTime
    /// Where in the bus trace to begin: it may be long by now.
    let busPosition: UInt64
    let issues: [String]
    let devices: String

    /// lab-bundle waits for its recorders, for btmon, which decodes up to two minutes, and for gdb when a program has
    /// crashed.
    private static let timeout = Duration.seconds(400)

    /// Writes the bundle and returns its folder.
    func write(into output: URL) async throws -> URL {
        let description = Description(
            test: test, start: start, end: end, busPosition: busPosition, issues: issues, devices: devices,
            entries: AppLog.shared.entries(since: start), missing: await Recording.catchUpWithOutput())
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("lab-bundle-\(UUID().uuidString)")
        try JSONEncoder().encode(description).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let writer = try ChildProcess("sh", ["-c", "exec lab-bundle \"$1\" <\"$2\"", "sh", output.path, file.path])
        guard try await writer.exitStatus(within: Self.timeout) == 0, let folder = writer.lines.last else {
            throw LabError(writer.transcript)
        }
        return URL(fileURLWithPath: folder)
    }

    /// The backtraces of programs that crashed during the test.
    static func backtraces(in folder: URL) -> [String] {
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return files.sorted { $0.path < $1.path }
            .filter { $0.lastPathComponent.hasPrefix("crash-") && $0.pathExtension == "txt" }
            .compactMap { try? String(contentsOf: $0, encoding: .utf8) }
    }

    /// What lab-bundle reads; its usage says what each is.
    struct Description: Encodable {
        let test: String
        let start, end: WallTime
        let busPosition: UInt64
        let issues: [String]
        let devices: String
        let entries: [AppLog.Entry]
        let missing: [String]
    }
}
