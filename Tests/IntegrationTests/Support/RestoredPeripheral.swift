import BluetoothLab
import CoreBluetooth
import Foundation
import Posix

/// The fixture `restored-counter` with an agent of its own: killed, and started again by the agent.
final class RestoredPeripheral {
    static let service = CBUUID(string: "C0117E50-0000-4000-8000-000000000000")
    static let model = CBUUID(string: "C0117E50-0001-4000-8000-000000000000")
    static let count = CBUUID(string: "C0117E50-0002-4000-8000-000000000000")
    static let control = CBUUID(string: "C0117E50-0003-4000-8000-000000000000")

    private(set) var agent: ChildProcess
    private let first: ChildProcess
    private let folder: URL
    private let environment: [String: String]

    /// Starts an agent and the program, which advertises.
    ///
    /// - Parameter publishesAgain: whether the program republishes everything when it is started again.
    init(publishesAgain: Bool = false) async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("counter-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        environment = [
            "BLUEJAY_AGENT_SOCKET": folder.appendingPathComponent("agent.sock").path,
            "BLUEJAY_STATE_DIRECTORY": folder.path,
        ]
        agent = try ChildProcess("bluejay", ["agent"], environment: environment)
        try await agent.line(containing: "listens on")
        first = try FixtureProgram.start(
            "restored-counter", [folder.appendingPathComponent("log").path] + (publishesAgain ? ["again"] : []),
            languageMode: 6,
            adapter: Lab.sensorAdapter, environment: environment, isLineBuffered: false)
        try await line("advertising", within: .seconds(60))
    }

    // MARK: The log

    /// All that has happened, of all runs.
    var lines: [String] {
        let text = (try? String(contentsOf: folder.appendingPathComponent("log"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// Waits for a line of the log.
    ///
    /// - Parameter start: how many lines to leave out.
    @discardableResult
    func line(_ beginning: String, from start: Int = 0, within limit: Duration = .seconds(30)) async throws -> String {
        let deadline = ContinuousClock.now + limit
        while true {
            if let line = lines.dropFirst(start).first(where: { $0.hasPrefix(beginning) }) { return line }
            guard ContinuousClock.now < deadline else {
                throw LabError("no '\(beginning)' in \(limit):\n\(transcript)")
            }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// What the agent has put on disk.
    var record: String {
        (try? String(contentsOf: folder.appendingPathComponent("restoration.json"), encoding: .utf8)) ?? ""
    }

    var transcript: String {
        lines.joined(separator: "\n") + "\n\(agent.transcript.suffix(3000))\n\(first.transcript.suffix(2000))"
    }

    // MARK: Life and death

    /// The process that runs, or ran last.
    var process: Int32 {
        get throws {
            guard let line = lines.last(where: { $0.hasPrefix("started ") }), let number = Int32(line.dropFirst(8))
            else {
                throw LabError("the program has not started:\n\(transcript)")
            }
            return number
        }
    }

    /// Ends the program by a signal, and waits until it has ended.
    func kill(_ signal: Int32 = SIGKILL) async throws {
        let process = try process
        Glibc.kill(process, signal)
        let deadline = ContinuousClock.now + .seconds(30)
        while !ProcessStatus.isGone(process) {
            guard ContinuousClock.now < deadline else { throw LabError("process \(process) goes on:\n\(transcript)") }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Seconds that a start of the program takes, until its first line.
    func startTime() async throws -> TimeInterval {
        let log = folder.appendingPathComponent("other-\(UUID().uuidString.prefix(8))").path
        let start = Date()
        // It finds neither an agent nor a controller.
        let other = try FixtureProgram.start(
            "restored-counter", [log], languageMode: 6, adapter: "none",
            environment: ["BLUEJAY_AGENT_SOCKET": log + ".sock", "BLUEJAY_AGENT_PROGRAM": "/bin/false"],
            isLineBuffered: false)
        while !FileManager.default.fileExists(atPath: log) {
            guard Date().timeIntervalSince(start) < 30 else { throw LabError("it does not start: \(other.transcript)") }
            try await Task.sleep(for: .milliseconds(2))
        }
        let time = Date().timeIntervalSince(start)
        try await other.interrupt()
        return time
    }

    /// Waits until the agent's record has no process any longer.
    func isKnownToBeGone() async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while record.isEmpty || record.contains("\"process\"") {
            guard ContinuousClock.now < deadline else { throw LabError("the agent does not know:\n\(transcript)") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    func killAgent() async throws {
        agent.signal(SIGKILL)
        _ = try await agent.exitStatus(within: .seconds(30))
    }

    func startAgent() async throws {
        agent = try ChildProcess("bluejay", ["agent"], environment: environment)
        try await agent.line(containing: "listens on")
    }

    /// Ends everything in order.
    func stop() async throws {
        try await kill(SIGTERM)
        // One that a program has started ends by itself.
        if agent.isRunning { try await agent.interrupt() }
        try? FileManager.default.removeItem(at: folder)
    }
}

/// Runs a test with the peripheral and a central that has discovered everything and is subscribed to the count.
func withRestoredPeripheral(
    publishesAgain: Bool = false, _ body: (RestoredPeripheral, PlainCentral, CBService) async throws -> Void
) async throws {
    try await Lab.here.forgetEachOther()
    let peripheral = try await RestoredPeripheral(publishesAgain: publishesAgain)
    let central = PlainCentral()
    do {
        try await central.connect(advertising: RestoredPeripheral.service.uuidString)
        try await central.discoverEverything()
        let service = try await central.service(RestoredPeripheral.service)
        try await central.setNotify(true, service.found(RestoredPeripheral.count))
        try await peripheral.line("subscribed")
        try await body(peripheral, central, service)
        central.giveUp()
        try await peripheral.stop()
    } catch {
        central.giveUp()
        _ = try? await peripheral.stop()
        throw error
    }
}
