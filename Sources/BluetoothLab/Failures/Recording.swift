import Foundation
import Synchronization

/// The recorders of the lab (`lab-record`): they write as long as the lab is up, once a test has asked for them. When a
/// test has failed, `lab-bundle` cuts out what they have of it.
enum Recording {
    private static let environment = ProcessInfo.processInfo.environment
    private static let folder = URL(fileURLWithPath: environment["LAB_RUN"] ?? "/run/lab")
        .appendingPathComponent("record")

    private static let busTrace = folder.appendingPathComponent("bus.log")
    /// What the tests' process prints, each line after its time in seconds; there only when `lab test` runs the tests.
    private static let output: URL? = environment["LAB_TESTS_LOG"].map { URL(fileURLWithPath: $0) }

    /// Recording costs time where notifications come by the thousand; `LAB_RECORD=0` does without.
    private static let isWanted = environment["LAB_RECORD"] != "0"
    /// Whether tests that pass leave their records, too, to compare with those of failures.
    static let keepsAll = environment["LAB_RECORD"] == "all"
    private static let hasStarted = Mutex(false)

    /// Starts the recorders, if they do not run. Looks only once, because that takes a while in an emulated machine.
    static func start() async throws {
        guard isWanted, !hasStarted.withLock(\.self) else { return }
        let process = try ChildProcess("lab-record", ["start"])
        let status = try await process.exitStatus(within: .seconds(60))
        guard status == 0 else { throw LabError("nothing is recorded: \(process.transcript)") }
        hasStarted.withLock { $0 = true }
    }

    /// Waits until the record of the tests' output has everything that was printed until now, by printing a mark. If it
    /// has not in time, its name is in the answer.
    static func catchUpWithOutput() async -> [String] {
        guard isWanted, let output else { return [] }
        let mark = "mark-\(UUID().uuidString.prefix(8))"
        let position = size(of: output)
        print("lab: a test has failed, its record is being collected (\(mark))")
        fflush(nil)
        let deadline = ContinuousClock.now + .seconds(30)
        while .now < deadline {
            if content(of: output, from: position).range(of: Data(mark.utf8)) != nil { return [] }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return [output.lastPathComponent]
    }

    /// How long the bus trace is now: where to look for what comes later.
    static var busPosition: UInt64 { size(of: busTrace) }

    private static func size(of file: URL) -> UInt64 {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        return (attributes?[.size] as? NSNumber)?.uint64Value ?? 0
    }

    /// What is in a file, which is nothing when it cannot be read.
    private static func content(of file: URL, from offset: UInt64) -> Data {
        guard let handle = try? FileHandle(forReadingFrom: file) else { return Data() }
        defer { try? handle.close() }
        guard (try? handle.seek(toOffset: offset)) != nil else { return Data() }
        return (try? handle.readToEnd()) ?? Data()
    }
}
