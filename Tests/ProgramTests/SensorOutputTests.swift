import BluetoothLab
import Foundation
import MainLoop
import TestSupport
import Testing

/// dittojay and whoever reads what it prints.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct SensorOutputTests {
    private let daemon: FakeBluetoothd
    private let programs: Programs
    /// So often it is asked how it is to make it print more than may wait, which is 1 MiB.
    private static let statusCount = 3000

    init() async throws {
        daemon = try await .start()
        programs = try Programs(on: daemon)
    }

    /// Waits until the sensor advertises.
    private func isReady() async throws {
        try await eventually("an advertisement") { [daemon] in
            daemon.adapter.advertisements.count == 1 && daemon.adapter.text("Alias") == "Dittojay"
        }
        // Until it knows that itself it keeps what is typed for later.
        let deadline = ContinuousClock.now + .seconds(20)
        while try await status()["isAdvertising"] as? Bool != true, ContinuousClock.now < deadline {}
    }

    private func isPutBack() async throws {
        #expect(await daemon.adapter.text("Alias") == "fake-0")
        #expect(await daemon.adapter.advertisements.isEmpty)
    }

    private func status() async throws -> [String: Any] {
        let client = try programs.run("dittojay", "status", "--json")
        #expect(try await client.exitStatus() == 0)
        return try #require(
            try JSONSerialization.jsonObject(with: Data(client.lines.joined().utf8)) as? [String: Any])
    }

    private func droppedLines() async throws -> Int { try #require(try await status()["droppedLines"] as? Int) }

    /// A central reads, as long as the sensor answers.
    @LoopActor
    private func read() async throws -> Data {
        let central = daemon.adapter.connectCentral()
        let location = try #require(
            daemon.adapter.applications.lazy.compactMap { $0.characteristic("2A38") }.first)
        return try await location.read(by: central)
    }

    /// Makes the sensor print until lines are dropped.
    private func flood(_ sensor: ChildProcess) async throws {
        try sensor.type(String(repeating: "s\n", count: Self.statusCount))
        let deadline = ContinuousClock.now + .seconds(30)
        while try await droppedLines() == 0, ContinuousClock.now < deadline {}
        #expect(try await droppedLines() > 0)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a reader that has stopped stops neither the sensor nor its end`(signal: Int32) async throws {
        let reader = try StuckReader(in: programs)
        let sensor = try programs.run("dittojay", "--json", output: .stuck(reader))
        try await isReady()
        try await flood(sensor)
        #expect(try await read() == Data([1]))
        let start = ContinuousClock.now
        sensor.signal(signal)
        // What waited for the reader is lost, which is a failure.
        #expect(try await sensor.exitStatus() == 74)
        #expect(ContinuousClock.now - start < Programs.interruptionLimit)
        #expect(sensor.transcript.contains("standard output is not read"))
        try await isPutBack()
    }

    @Test func `a reader that reads again learns how much is missing`() async throws {
        let reader = try StuckReader(in: programs)
        let sensor = try programs.run("dittojay", "--json", output: .stuck(reader))
        try await isReady()
        try await flood(sensor)
        // Until nothing more is dropped: the sensor has read all that was typed.
        var dropped = 0
        for _ in 0..<1000 {
            let now = try await droppedLines()
            if now == dropped { break }
            dropped = now
        }
        let lines = await reader.lines(through: #""event":"dropped""#)
        #expect(lines.last?.hasSuffix(#""event":"dropped","lines":\#(dropped)}"#) == true)
        // Every line is there or counted.
        #expect(lines.count { $0.contains("uptime") } + dropped >= Self.statusCount)
        let last = Task { await reader.lines() }
        sensor.signal(SIGINT)
        #expect(try await sensor.exitStatus() == 0)
        _ = await last.value
        try await isPutBack()
    }

    @Test func `other programs follow the events of a quiet sensor until it ends`() async throws {
        let sensor = try programs.run("dittojay", "--quiet")
        try await isReady()
        let objects = try programs.run("dittojay", "events", "--json")
        let texts = try programs.run("dittojay", "events")
        // Nobody knows when they follow.
        let deadline = ContinuousClock.now + .seconds(60)
        while objects.lines.isEmpty || texts.lines.isEmpty, ContinuousClock.now < deadline {
            let chirp = try programs.run("dittojay", "chirp", "hello")
            #expect(try await chirp.exitStatus() == 0)
        }
        #expect(objects.lines.first?.contains(#""event":"chirped","value":"68656c6c6f""#) == true)
        #expect(texts.lines.first?.hasSuffix("chirped 68656c6c6f \"hello\": no subscribers") == true)
        sensor.signal(SIGINT)
        for program in [sensor, objects, texts] { #expect(try await program.exitStatus() == 0) }
        let late = try programs.run("dittojay", "events", "--json")
        #expect(try await late.exitStatus() == 7)
        #expect(late.lines.contains { $0.hasPrefix(#"{"ok":false,"error":"dittojay is not running"#) })
    }

    @Test func `errors that nobody reads hold nothing up`() async throws {
        let reader = try StuckReader(in: programs)
        let sensor = try programs.run("dittojay", "--quiet", error: .stuck(reader))
        try await isReady()
        // More than the pipe and what may wait.
        try sensor.type(String(repeating: "\(String(repeating: "x", count: 40))\n", count: 4000))
        #expect(try await read() == Data([1]))
        _ = try await status()
        let start = ContinuousClock.now
        sensor.signal(SIGINT)
        #expect(try await sensor.exitStatus() == 0)
        #expect(ContinuousClock.now - start < Programs.interruptionLimit)
        try await isPutBack()
    }

    @Test func `output that cannot be written ends the sensor in order`() async throws {
        // It fails with the first line, while the adapter is being set up.
        let sensor = try programs.run("dittojay", output: .full)
        #expect(try await sensor.exitStatus() == 74)
        #expect(sensor.lines.contains("dittojay: cannot write to standard output: No space left on device"))
        try await isPutBack()
    }

    @Test func `closed descriptors are not taken for others`() async throws {
        let loud = try programs.run("dittojay", output: .closed, error: .closed, hasInput: false)
        #expect(try await loud.exitStatus() == 74)
        try await isPutBack()
        let quiet = try programs.run("dittojay", "--quiet", output: .closed, error: .closed, hasInput: false)
        try await isReady()
        for descriptor in 0...2 {
            let path = "/proc/\(quiet.identifier)/fd/\(descriptor)"
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "/dev/null")
        }
        #expect(try await read() == Data([1]))
        #expect(try await quiet.interrupt() == 0)
        try await isPutBack()
    }

    @Test func `a pipe that is closed ends the sensor in order`() async throws {
        let reader = try StuckReader(in: programs)
        let sensor = try programs.run("dittojay", output: .stuck(reader))
        try await isReady()
        // A program that has read enough, such as head.
        reader.close()
        // A process that another test is just starting may have the pipe for a moment more: not every write fails.
        let deadline = ContinuousClock.now + .seconds(20)
        while sensor.isRunning, ContinuousClock.now < deadline {
            try? sensor.type("s")
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try await sensor.exitStatus() == 0)
        try await isPutBack()
    }
}

/// Commands that do one thing, and whoever reads what they print.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct CommandOutputTests {
    @Test(arguments: [
        ["dittojay", "--help"], ["dittojay", "check", "lab"], ["dittojay", "check", "lab", "--json"],
        ["dittojay", "doctor"], ["dittojay", "help", "status"], ["bluejay", "--help"], ["bluejay", "doctor"],
        ["bluejay", "doctor", "--json"], ["bluejay", "agent", "--print-unit"], ["bluejay", "scan", "--help"],
    ])
    func `output that cannot be written is a failure`(words: [String]) async throws {
        let programs = try Programs()
        for (stream, reason) in [(Programs.Stream.full, "No space left on device"), (.closed, "it is closed")] {
            let process = try programs.run(words, output: stream)
            #expect(try await process.exitStatus() == 74)
            #expect(process.lines == ["\(words[0]): cannot write to standard output: \(reason)"])
        }
    }

    @Test func `the status of a running sensor cannot be written`() async throws {
        let daemon = try await FakeBluetoothd.start()
        let programs = try Programs(on: daemon)
        let sensor = try programs.run("dittojay")
        try await sensor.line(containing: "advertising")
        let client = try programs.run("dittojay", "status", output: .full)
        #expect(try await client.exitStatus() == 74)
        #expect(client.lines == ["dittojay: cannot write to standard output: No space left on device"])
        #expect(try await sensor.interrupt() == 0)
    }

    @Test func `where Bluetooth cannot be used both programs end alike and point to doctor`() async throws {
        let programs = try Programs()
        for (program, arguments) in [("dittojay", []), ("bluejay", ["scan"])] {
            let process = try programs.run([program] + arguments)
            #expect(try await process.exitStatus() == 4)
            #expect(process.transcript.contains("\"\(program) doctor\""))
            #expect(!process.transcript.contains("./lab"))
            let doctor = try programs.run(program, "doctor")
            #expect(try await doctor.exitStatus() == 4)
        }
    }
}
