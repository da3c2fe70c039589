import PlainText
import RadioScenes
import Testing
import VirtualRadio

@testable import RadioControl

@Suite struct DirectorTests {
    private final class Stage {
        let radio = Radio(seed: 1)
        let director: RadioDirector
        private(set) var events: [String] = []

        init(_ yaml: String? = nil, waits: Bool = false) throws {
            director = RadioDirector(radio, seed: 1)
            for number in 0..<2 {
                let address = DeviceAddress((0, 0xAA, 1, UInt8(number), 0, UInt8(number)))
                director.add(controller: "hci\(number)", radio.add(.v5_3, address: address) { _ in })
            }
            director.onEvent = { [unowned self] in events.append($0) }
            if let yaml { try director.play(Stage.scene(yaml), waits: waits) }
        }

        static func scene(_ yaml: String) throws -> Scene {
            try SceneReader.scene(try JSONReader.read(SceneYAML.json(yaml, file: "x.yaml").utf8))
        }

        func ask(_ request: String) -> DataNode {
            let line =
                switch director.answer(request.utf8) {
                case .reply(let line), .follow(let line, _): line
                }
            return (try? JSONReader.read(line.utf8)) ?? .scalar("")
        }

        /// What is wrong with a request.
        func refusal(_ request: String) -> String { ask(request)["error"]?.text ?? "" }

        func did(_ request: String) -> Bool { ask(request)["ok"]?.text == "true" }

        func advance(_ seconds: Double) {
            radio.advance(to: radio.now + Int(seconds * Double(Span.second)))
        }
    }

    private static let walk = """
        air: ideal
        devices: {sensor: {controller: hci0, at: [0 m, 0 m]}, phone: {controller: hci1, at: [10 m, 0 m]}}
        walls: [{from: [5 m, -1 m], to: [5 m, 1 m], loss: 10 dB}]
        jammers: {oven: {at: [0 m, 3 m], radius: 1 m, loss: 5 %}}
        timeline:
          - {at: 10 s, move: {device: phone, to: [20 m, 0 m], over: 10 s}}
          - {at: 30 s, block: {between: [sensor, phone]}}
          - {at: 0 s, body: {device: phone, loss: 3 dB}}
        """

    @Test func `a scene happens at its times`() throws {
        let stage = try Stage(Self.walk)
        #expect(stage.radio.strength(0, 1) == -92)
        stage.advance(15)
        #expect(stage.radio.position(of: 1) == Position(x: 15, y: 0))
        stage.advance(100)
        #expect(stage.radio.position(of: 1) == Position(x: 20, y: 0))
        #expect(stage.events.contains { $0.contains("\"event\":\"move\"") && $0.contains("\"over_ms\":10000") })
    }

    @Test func `a scene that waits begins when it is told to`() throws {
        let stage = try Stage(Self.walk, waits: true)
        stage.advance(1_000)
        #expect(stage.radio.strength(0, 1) == -92)
        #expect(stage.did(#"{"command":"begin"}"#) && stage.did(#"{"command":"begin"}"#))
        stage.advance(15)
        #expect(stage.radio.position(of: 1) == Position(x: 15, y: 0))
    }

    @Test func `another scene replaces all of the first`() throws {
        let stage = try Stage(Self.walk)
        stage.advance(5)
        let scene = try SceneYAML.json("air: ideal\nphantoms: {a: {count: 3, at: [1 m, 0 m]}}", file: "x")
        #expect(stage.did(#"{"command":"scene","scene":\#(scene)}"#))
        stage.advance(100)
        #expect(stage.radio.position(of: 1) == Position(x: 1, y: 0) && stage.radio.walls.isEmpty)
        #expect(stage.radio.indexes.count == 5)
        #expect(
            stage.refusal(#"{"command":"move","device":"phone","to":["1 m","2 m"]}"#).contains("unknown device phone"))
        #expect(stage.did(#"{"command":"scene","scene":{"air":"ideal"}}"#))
        #expect(stage.radio.indexes.count == 2)
    }

    @Test(
        arguments: [
            (#"{"command":"loss","between":["hci0","hci1"],"part":"30 %"}"#, "ideal air loses advertisements"),
            (#"{"command":"loss","between":["hci0","hci1"],"part":"0 %"}"#, nil),
            (
                #"{"command":"jam","name":"crowd","at":["0 m","1 m"],"radius":"2 m","loss":"5 %"}"#,
                "ideal air loses advertisements"
            ),
            (
                #"{"command":"jam","name":"oven","at":["0 m","1 m"],"power":"-40 dBm","duty":"50 %"}"#,
                "noise has no effect in ideal air"
            ),
            (#"{"command":"body","device":"hci0","loss":"4 dB"}"#, nil),
        ])
    func `what a command does not do in ideal air is said`(request: String, warning: String?) throws {
        let stage = try Stage()
        let reply = stage.ask(request)
        #expect(reply["ok"]?.text == "true")
        #expect(reply["warning"]?.text?.hasPrefix(warning ?? "none") == (warning == nil ? nil : true))
        #expect(stage.radio.setAirModel(.real))
        #expect(stage.ask(request)["warning"] == nil)
    }

    @Test func `what a scene does not do in ideal air is said once`() throws {
        let stage = try Stage()
        let text = """
            {devices: {sensor: {controller: hci0}, phone: {controller: hci1}}, air: AIR,
            jammers: {oven: {at: [0 m, 3 m], radius: 1 m, loss: 5 %}, other: {at: [0 m, 9 m], power: -40 dBm}},
            timeline: [{at: 1 s, loss: {between: [sensor, phone], part: 5 %}}]}
            """
        func warning(_ air: String) throws -> String? {
            let scene = try SceneYAML.json(text.replacing("AIR", with: air), file: "x")
            return stage.ask(#"{"command":"scene","scene":\#(scene)}"#)["warning"]?.text
        }
        #expect(try warning("real") == nil)
        let parts = try #require(try warning("ideal")).split(separator: "; ")
        #expect(parts.map { $0.prefix(9) } == ["ideal air", "noise has"])
    }

    @Test func `a reset makes everything as it was when the radio began`() throws {
        let stage = try Stage()
        #expect(stage.did(#"{"command":"block","between":["hci0","hci1"]}"#))
        #expect(stage.did(#"{"command":"scene","waits":"true","scene":{"devices":{"a":{"controller":"hci1"}}}}"#))
        #expect(stage.radio.airModel == .real && stage.ask(#"{"command":"status"}"#)["scene_ms"] == nil)
        #expect(stage.did(#"{"command":"reset"}"#))
        #expect(stage.radio.airModel == .ideal && stage.radio.strength(0, 1) == -59)
        #expect(stage.refusal(#"{"command":"move","device":"a","to":["1 m","2 m"]}"#).contains("unknown device a"))

        let scene = try Stage()
        try scene.director.open(Stage.scene(Self.walk), waits: false)
        scene.advance(100)
        #expect(scene.did(#"{"command":"reset"}"#) && scene.radio.position(of: 1) == Position(x: 10, y: 0))
        scene.advance(15)
        #expect(scene.radio.position(of: 1) == Position(x: 15, y: 0))
    }

    @Test func `commands do what they say`() throws {
        let stage = try Stage()
        #expect(stage.did(#"{"command":"move","device":"hci1","to":["10 m","0 m"]}"#))
        #expect(stage.radio.strength(0, 1) == -79)
        #expect(stage.did(#"{"command":"rssi","between":["hci0","00:AA:01:01:00:01"],"strength":"-60 dBm"}"#))
        #expect(stage.radio.strength(0, 1) == -60)
        #expect(stage.did(#"{"command":"rssi","between":["hci0","hci1"],"strength":"auto"}"#))
        #expect(stage.did(#"{"command":"body","device":"hci0","loss":"4 dB"}"#))
        #expect(stage.radio.strength(0, 1) == -83)
        #expect(stage.did(#"{"command":"jam","name":"x","at":["0 m","0 m"],"power":"-20 dBm","for":"1 s"}"#))
        #expect(stage.radio.jammers == ["x"])
        stage.advance(2)
        #expect(stage.radio.jammers.isEmpty)
        #expect(stage.did(#"{"command":"phantom","name":"p","count":4,"at":["0 m","1 m"]}"#))
        #expect(stage.did(#"{"command":"block","between":["hci0","p-2"]}"#))
        #expect(stage.did(#"{"command":"remove","phantom":"p"}"#))
        #expect(stage.radio.indexes == [0, 1])
    }

    @Test func `what cannot be done is refused, with what was probably meant`() throws {
        let stage = try Stage()
        #expect(stage.refusal("{") == "invalid JSON at byte 1: expected a key in quotation marks")
        #expect(stage.refusal("[]").contains("the member \"command\""))
        #expect(stage.refusal(#"{"command":"blok"}"#).contains("(did you mean \"block\"?)"))
        #expect(stage.refusal(#"{"command":"block","between":["hci0","hci7"]}"#).contains("unknown device hci7"))
        #expect(stage.refusal(#"{"command":"block","between":["hci0","hci0"]}"#).contains("twice"))
        #expect(stage.refusal(#"{"command":"block","between":["hci0","00:AA:01:00:00:00"]}"#).contains("same device"))
        #expect(stage.refusal(#"{"command":"unjam","name":"oven"}"#) == "unknown jammer oven")
        #expect(stage.refusal(#"{"command":"remove","phantom":"p"}"#) == "unknown phantom p")
        #expect(stage.did(#"{"command":"phantom","name":"p","at":["0 m","1 m"],"address":"C0:00:00:00:00:01"}"#))
        #expect(
            stage.refusal(#"{"command":"phantom","name":"p","at":["0 m","1 m"]}"#) == "the name p is already in use")
        let other = #"{"command":"phantom","name":"q","at":["0 m","1 m"],"address":"C0:00:00:00:00:01"}"#
        #expect(stage.refusal(other).contains("the address C0:00:00:00:00:01 is already in use"))
        let many = #"{"command":"phantom","name":"r","at":["0 m","1 m"],"count":2000}"#
        #expect(stage.refusal(many).contains("too many phantoms (limit 2000)"))
        #expect(stage.refusal(#"{"command":"scene","scene":{"devices":{"x":{"controller":"hci7"}}}}"#).contains("hci7"))
    }

    @Test func `the status has who is where`() throws {
        let stage = try Stage(Self.walk)
        let status = stage.ask(#"{"command":"status"}"#)
        #expect(status["air"]?.text == "ideal" && status["walls"]?.text == "1")
        #expect(status["wall_lines"]?.elements.first?["to"]?.elements.map(\.text) == ["5.0", "1.0"])
        let phone = status["devices"]?.elements.last
        #expect(phone?["name"]?.text == "phone" && phone?["at_m"]?.elements.map(\.text) == ["10.0", "0.0"])
        #expect(phone?["advertises"]?.text == "false" && phone?["advertises_as"]?.elements.isEmpty == true)
        #expect(status["jammers"]?.elements.map(\.text) == ["oven"])
    }

    @Test func `events that have been are given to those who ask, up to a limit`() throws {
        let stage = try Stage()
        for _ in 0..<2_000 { #expect(stage.did(#"{"command":"move","device":"hci1","to":["1 m","0 m"]}"#)) }
        guard case .follow(_, let past) = stage.director.answer(#"{"command":"events"}"#.utf8) else {
            Issue.record("no events")
            return
        }
        #expect(past.count == 500 && past.allSatisfy { $0.contains("\"device\":\"hci1\"") })
    }
}
