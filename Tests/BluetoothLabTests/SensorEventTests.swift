import Foundation
import Testing

@testable import BluetoothLab

@Suite(.timeLimit(.minutes(1))) struct SensorEventTests {
    /// The table of events in `docs/control-protocol.md`.
    private let page: Substring

    init() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = root.appendingPathComponent("docs/control-protocol.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        page = try #require(text.components(separatedBy: "\n## Events\n").last)[...]
    }

    @Test func `the kinds are those of the control protocol's page`() {
        let names = page.split(separator: "\n").compactMap { line in
            line.wholeMatch(of: /\| `([a-z-]+)` \|.*/).map { String($0.1) }
        }
        #expect(names.sorted() == SensorEvent.Kind.allCases.map(\.rawValue).sorted())
    }

    @Test func `the page's examples are read`() throws {
        let events = page.split(separator: "\n").compactMap { SensorEvent(line: String($0)) }
        #expect(events.map(\.kind) == [.connected, .read])
        let read = try #require(events.last)
        #expect(read.central == "00:AA:01:01:00:01" && read.mtu == 517)
        #expect(read.service == "environmental-sensing" && read.characteristic == "temperature")
        #expect(read.value == Data([0x66, 0x08]) && read.original == nil && read.message == nil)
        let time = try #require(read.time)
        #expect(abs(time.timeIntervalSince1970 - 1_795_439_299.483) < 0.0005)
    }

    @Test func `each member has its type`() throws {
        let line = """
            {"time":"2026-11-23T13:08:19.000Z","event":"channel-closed","peripheral":"hci1","channel":"log","psm":128,\
            "received":5,"sent":6,"value":"","original":"0aFF","passkey":"012345","attError":128,"device":"D",\
            "deviceSeconds":0.25,"reason":"timeout","message":"a \\"b\\"","profile":"p","seed":18446744073709551615,\
            "socket":"/s","lines":7}
            """
        let event = try #require(SensorEvent(line: line))
        #expect(event.kind == .channelClosed && event.description == line)
        #expect(event.peripheral == "hci1" && event.channel == "log" && event.psm == 128)
        #expect(event.received == 5 && event.sent == 6)
        #expect(event.value == Data() && event.original == Data([10, 255]))
        #expect(event.passkey == "012345" && event.attError == 128 && event.reason == "timeout")
        #expect(event.device == "D" && event.deviceSeconds == 0.25)
        #expect(event.message == "a \"b\"" && event.profile == "p" && event.seed == .max && event.socket == "/s")
        #expect(event.lines == 7)
        #expect(event.central == nil && event.mtu == nil && event.service == nil && event.characteristic == nil)
    }

    @Test func `an event of an unknown kind is readable, and other lines are no events`() throws {
        let event = try #require(SensorEvent(line: #"{"event":"teleported","time":"soon","distance":3,"value":"x"}"#))
        #expect(event.kind == nil && event["event"] == "teleported" && event["distance"] == "3")
        #expect(event.time == nil && event.value == nil && event["speed"] == nil)
        for line in ["", "dittojay: no adapter", "{", #"{"ok":true}"#, #"["event"]"#, #"{"event":["read"]}"#] {
            #expect(SensorEvent(line: line) == nil, "\(line)")
        }
    }

    // MARK: Waiting

    private func start(_ script: String) throws -> (log: EventLog, process: ChildProcess) {
        let process = try ChildProcess(
            "sh", ["-c", "event() { echo \"{\\\"event\\\":\\\"$1\\\",\\\"mtu\\\":$2}\"; }; \(script)"])
        return (EventLog(of: process), process)
    }

    @Test func `events are waited for among those that have come and those that come`() async throws {
        let (log, process) = try start(
            "event read 1; echo else; event written 2; event read 3; read x; event read 4; read x")
        #expect(try await log.event(.read, within: .seconds(20)).mtu == 1)
        #expect(try await log.event(.read, count: 2, within: .seconds(20)).mtu == 3)
        #expect(try await log.event(.read, from: 1, within: .seconds(20)).mtu == 3)
        #expect(try await log.event(.written, within: .seconds(20)) { $0.mtu == 2 }.mtu == 2)
        #expect(log.events.map(\.mtu) == [1, 2, 3])
        async let later = log.event(.read, from: 3, within: .seconds(20))
        try process.type("")
        #expect(try await later.mtu == 4)
        try process.type("")
    }

    @Test func `what does not come is said, with what has come`() async throws {
        let (log, _) = try start("event read 1; event read 2")
        let ended = await #expect(throws: LabError.self) {
            try await log.event(.read, count: 3, within: .seconds(20))
        }
        #expect(ended?.description.contains("ended without a line with the event read, 3 times") == true)
        #expect(ended?.description.contains(#"{"event":"read","mtu":2}"#) == true)
    }

    @Test(arguments: ["read x", "while :; do event read 1; done"])
    func `a wait ends in time, whatever else comes`(script: String) async throws {
        let (log, process) = try start(script)
        let late = await #expect(throws: LabError.self) { try await log.event(.written, within: .milliseconds(50)) }
        #expect(late?.description.contains("no sign of") == true && late?.description.contains("0.05 seconds") == true)
        process.signal(SIGKILL)
    }
}
