import DBus
import Foundation
import MainLoop
import Synchronization

/// The recorders of the lab (`lab-record`): they write as long as the lab is up, once a test has asked for them. What
/// they have of a test is cut out when it has failed.
enum Recording {
    private static let environment = ProcessInfo.processInfo.environment
    private static let folder = URL(fileURLWithPath: environment["LAB_RUN"] ?? "/run/lab")
        .appendingPathComponent("record")

    static let capture = folder.appendingPathComponent("hci.btsnoop")
    static let busTrace = folder.appendingPathComponent("bus.log")
    /// What the tests' process prints, each line after its time in seconds; there only when `lab test` runs the tests.
    static let output: URL? = environment["LAB_TESTS_LOG"].map { URL(fileURLWithPath: $0) }
    /// What bluetoothd prints, without times.
    static let bluetoothdOutput = environment["LAB_OUT"].map {
        URL(fileURLWithPath: $0).appendingPathComponent("bluetoothd.log")
    }

    /// Recording costs time where notifications come by the thousand; `LAB_RECORD=0` does without.
    private static let isWanted = environment["LAB_RECORD"] != "0"
    private static let hasStarted = Mutex(false)

    /// Starts the recorders, if they do not run. Looks only once, because that takes a while in an emulated machine.
    static func start() async throws {
        guard isWanted, !hasStarted.withLock(\.self) else { return }
        let process = try ChildProcess("lab-record", ["start"])
        let status = try await process.exitStatus(within: .seconds(60))
        guard status == 0 else { throw LabError("nothing is recorded: \(process.transcript)") }
        hasStarted.withLock { $0 = true }
    }

    /// Waits until the recorders have written everything that has happened until now, by letting something happen that
    /// they show. What they have not written in time is named in the answer.
    static func catchUp() async -> [String] {
        guard isWanted else { return [] }
        let mark = "mark-\(UUID().uuidString.prefix(8))"
        var awaited = ([busTrace, capture] + (output.map { [$0] } ?? [])).map { ($0, size(of: $0)) }
        if !CaptureNote.write(mark) { awaited.removeAll { $0.0 == capture } }
        if output != nil {
            print("lab: a test has failed, its record is being collected (\(mark))")
            fflush(nil)
        }
        await writeToBus(mark)
        let deadline = ContinuousClock.now + .seconds(30)
        while !awaited.isEmpty, .now < deadline {
            awaited.removeAll { contains(mark, in: $0.0, from: $0.1) }
            if !awaited.isEmpty { try? await Task.sleep(for: .milliseconds(20)) }
        }
        return awaited.map(\.0.lastPathComponent)
    }

    /// The bus driver answers any question; this one is about the mark.
    @LoopActor
    private static func writeToBus(_ mark: String) async {
        guard let connection = try? BusConnection.system() else { return }
        defer { connection.close() }
        _ = try? await connection.call(
            BusDriver.call(BusDriver.nameHasOwner, [.string("bluetooth.lab.\(mark)")]))
    }

    /// How long the bus trace is now: where to look for what comes from now on.
    static var busPosition: UInt64 { size(of: busTrace) }

    private static func size(of file: URL) -> UInt64 {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        return (attributes?[.size] as? NSNumber)?.uint64Value ?? 0
    }

    /// The size is what it was a moment before the mark was made.
    private static func contains(_ mark: String, in file: URL, from offset: UInt64) -> Bool {
        content(of: file, from: offset).range(of: Data(mark.utf8)) != nil
    }

    /// What is in a file, which is nothing when it cannot be read.
    static func content(of file: URL, from offset: UInt64 = 0) -> Data {
        guard let handle = try? FileHandle(forReadingFrom: file) else { return Data() }
        defer { try? handle.close() }
        guard (try? handle.seek(toOffset: offset)) != nil else { return Data() }
        return (try? handle.readToEnd()) ?? Data()
    }
}
