import PlainText
import RadioScenes
import Testing

@testable import RadioControl
@testable import VirtualRadio

@Suite struct RecordingTests {
    private final class Output: RecordingOutput {
        let path: String
        private(set) var lines: [DataNode] = []
        private(set) var flushes = 0

        init(_ path: String) { self.path = path }

        func write(_ line: String) {
            if let node = try? JSONReader.read(line.utf8) { lines.append(node) }
        }

        func flush() { flushes += 1 }

        func events(_ name: String) -> [DataNode] { lines.filter { $0["event"]?.text == name } }
    }

    private final class Stage {
        let radio = Radio(seed: 1)
        let director: RadioDirector
        private(set) var outputs: [Output] = []

        init() {
            director = RadioDirector(radio, seed: 1, began: 1_000_000)
            for number in 0..<2 {
                let address = DeviceAddress((0, 0xAA, 1, UInt8(number), 0, UInt8(number)))
                director.add(controller: "hci\(number)", radio.add(.v5_3, address: address) { _ in })
            }
            director.openOutput = { [unowned self] path throws(RadioDirector.Refusal) in
                if path == "/full" { throw RadioDirector.Refusal("cannot write /full") }
                outputs.append(Output(path))
                return outputs[outputs.count - 1]
            }
        }

        func ask(_ request: String) -> String {
            switch director.answer(request.utf8) {
            case .reply(let line), .follow(let line, _): line
            }
        }

        func advance(_ seconds: Double) {
            radio.advance(to: radio.now + Int(seconds * Double(Span.second)))
        }
    }

    private static let done = #"{"ok":true}"#

    @Test func `a recording begins with who is where, and has all that happens`() throws {
        let stage = Stage()
        #expect(stage.ask(#"{"command":"record","file":"/air"}"#) == Self.done)
        stage.advance(1)
        #expect(stage.ask(#"{"command":"move","device":"hci1","to":["9 m","0 m"],"over":"2 s"}"#) == Self.done)
        #expect(stage.ask(#"{"command":"block","between":["hci0","hci1"]}"#) == Self.done)
        let output = try #require(stage.outputs.first)
        let first = try #require(output.lines.first)
        #expect(first["event"]?.text == "air" && first["began_us"]?.text == "1000000")
        #expect(first["devices"]?.elements.compactMap { $0["controller"]?.text } == ["hci0", "hci1"])
        let move = try #require(output.events("move").first)
        #expect(move["time_us"]?.text == "1000000" && move["from"]?.elements.map(\.text) == ["1.0", "0.0"])
        #expect(output.events("block").first?["between"]?.elements.map(\.text) == ["hci0", "hci1"])
    }

    @Test func `a change of who is there is followed by who is where`() throws {
        let stage = Stage()
        _ = stage.ask(#"{"command":"record","file":"/air"}"#)
        _ = stage.ask(#"{"command":"phantom","name":"p","count":3,"at":["1 m","2 m"]}"#)
        _ = stage.ask(#"{"command":"jam","name":"x","at":["0 m","0 m"],"power":"-20 dBm","duty":"50 %"}"#)
        _ = stage.ask(#"{"command":"move","device":"hci1","to":["9 m","0 m"],"over":"2 s"}"#)
        _ = stage.ask(#"{"command":"remove","phantom":"p"}"#)
        let snapshots = try #require(stage.outputs.first).events("air")
        #expect(snapshots.map { $0["phantoms"]?.elements.count } == [0, 3, 3, 0])
        #expect(snapshots[2]["jammers"]?.elements.first?["duty_percent"]?.text == "50.0")
        let phone = snapshots[3]["devices"]?.elements.last
        #expect(phone?["to"]?.elements.map(\.text) == ["9.0", "0.0"] && phone?["over_ms"]?.text == "2000")
    }

    @Test func `a file is recorded once, until it ends, and others go on`() {
        let stage = Stage()
        for file in ["/a", "/a", "/b"] {
            #expect(stage.ask(#"{"command":"record","file":"\#(file)"}"#) == Self.done)
        }
        #expect(stage.outputs.map(\.path) == ["/a", "/b"])
        #expect(stage.ask(#"{"command":"record","file":"/a","ends":true}"#) == Self.done)
        _ = stage.ask(#"{"command":"block","between":["hci0","hci1"]}"#)
        #expect(stage.outputs.map { $0.events("block").count } == [0, 1])
        #expect(stage.ask(#"{"command":"record","file":"/a","ends":true}"#).contains("no recording to /a"))
        #expect(stage.ask(#"{"command":"record","file":"/full"}"#).contains("cannot write /full"))
        #expect(stage.ask(#"{"command":"record","file":"air"}"#).contains("requires an absolute path"))
        for number in 0..<10 { _ = stage.ask(#"{"command":"record","file":"/more\#(number)"}"#) }
        #expect(stage.outputs.count == 9)
    }

    private static func packet(
        _ fate: PacketReport.Fate, bytes: Int = 10, kind: PacketReport.Kind = .data
    ) -> PacketReport {
        PacketReport(from: 0, to: 1, kind: kind, bytes: bytes, fate: fate)
    }

    @Test func `packets that fare alike within a short time are one line`() throws {
        var runs = PacketRuns()
        /// Whether a packet ends a run.
        func ends(_ packet: PacketReport, isFromCrowd: Bool, at time: Instant) -> Bool {
            runs.add(packet, isFromCrowd: isFromCrowd, at: time) != nil
        }
        let time = { $0 * Span.millisecond }
        #expect(!ends(Self.packet(.received(-60)), isFromCrowd: false, at: time(0)))
        #expect(!ends(Self.packet(.received(-62)), isFromCrowd: false, at: time(50)))
        let first = runs.add(Self.packet(.lost), isFromCrowd: false, at: time(60))
        let ended = try #require(first)
        #expect(ended.count == 2 && ended.bytes == 20 && ended.strength == -122 && ended.end == time(50))
        #expect(!ends(Self.packet(.lost), isFromCrowd: false, at: time(150)))
        // Those that carry nothing are counted by themselves.
        #expect(!ends(Self.packet(.lost, bytes: 0), isFromCrowd: false, at: time(151)))
        let second = runs.add(Self.packet(.lost), isFromCrowd: false, at: time(161))
        let old = try #require(second)
        #expect(old.count == 2 && old.fate == .lost)
        let last = runs.end()
        #expect(last.map(\.begin) == [time(151), time(161)])
    }

    @Test func `advertising of a crowd is counted together`() {
        var runs = PacketRuns()
        for index in 0..<500 {
            let packet = PacketReport(from: index, to: 600, kind: .advertising, bytes: 6, fate: .received(-70))
            let ended = runs.add(packet, isFromCrowd: true, at: index)
            #expect(ended == nil)
        }
        let counts = runs.end().map(\.count)
        #expect(counts == [500])
    }
}
