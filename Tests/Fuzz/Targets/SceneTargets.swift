import Foundation
import PlainText
import RadioControl
import RadioScenes
import VirtualRadio

extension FuzzTarget {
    /// Files with scenes.
    static let scenes = FuzzTarget(
        name: "scenes", weight: 80, generate: { Scenes.files.input(&$0) },
        run: { bytes in
            let json: String
            do throws(SceneFileError) {
                json = try SceneYAML.json(String(decoding: bytes, as: UTF8.self), file: "x.yaml")
            } catch {
                let haveFile = error.lines.allSatisfy { $0.hasPrefix("x.yaml") }
                return try expect(!error.lines.isEmpty && haveFile, "a mistake without its place")
            }
            try Scenes.check(json)
        })

    /// What comes at the radio's control socket.
    static let radioControl = FuzzTarget(
        name: "radio-control", weight: 80, generate: { Scenes.requests.input(&$0) },
        run: { bytes in
            let stage = Scenes.Stage()
            for line in bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 50) {
                let reply =
                    switch stage.director.answer(line) {
                    case .reply(let reply), .follow(let reply, _): reply
                    }
                let node = try JSONReader.read(reply.utf8)
                let isRefused = node["ok"]?.text == "false" && node["error"]?.text?.isEmpty == false
                try expect(node["ok"]?.text == "true" || isRefused, "a reply that says nothing: \(reply)")
                stage.radio.advance(to: stage.radio.now + 100 * Span.millisecond)
            }
        })
}

private enum Scenes {
    final class Stage {
        let radio = Radio(seed: 1, air: .real)
        let director: RadioDirector

        init() {
            director = RadioDirector(radio, seed: 1)
            for number in 0..<2 {
                let address = DeviceAddress((0, 0, 0, 0, 0, UInt8(number)))
                director.add(controller: "hci\(number)", radio.add(.v5_3, address: address) { _ in })
            }
        }
    }

    static let folder = "Fixtures/scenes"

    static let texts: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().compactMap { try? String(contentsOfFile: folder + "/" + $0, encoding: .utf8) }
    }()

    private static let words =
        Oddities.numbers + Oddities.texts + [
            "[", "]", "{", "}", ": ", "- ", ", ", "\n", "3 m", "-59 dBm", "5 dB", "50 %", "10 s", "1 h", "0x80",
            "hci0", "a/hci0", "C0:00:00:00:00:01", "count: 2000", "within: [[0 m, 0 m], [1 m, 1 m]]",
        ]

    static let files = Mutator(corpus: texts, words: words)

    static let requests = Mutator(
        corpus: [
            #"{"command":"status"}"#, #"{"command":"events"}"#, #"{"command":"begin"}"#,
            #"{"command":"move","device":"hci1","to":["5 m","0 m"],"over":"10 s"}"#,
            #"{"command":"rssi","between":["hci0","hci1"],"strength":"auto"}"#,
            #"{"command":"loss","between":["hci0","p-1"],"part":"30 %"}"#,
            #"{"command":"block","between":["hci0","00:00:00:00:00:01"]}"#,
            #"{"command":"jam","name":"x","at":["0 m","0 m"],"power":"-20 dBm","duty":"50 %","for":"1 s"}"#,
            #"{"command":"unjam","name":"x"}"#,
            #"{"command":"phantom","name":"p","count":9,"at":["1 m","1 m"],"services":["180D"]}"#,
            #"{"command":"remove","phantom":"p"}"#,
        ]
            + texts.compactMap { text in
                (try? SceneYAML.json(text, file: "x")).map { #"{"command":"scene","scene":\#($0)}"# }
            }, words: words + ["\"", "\\u00e9", "{\"command\":"])

    /// What the file's reader lets through, the radio takes.
    static func check(_ json: String) throws {
        let scene = try SceneReader.scene(try JSONReader.read(json.utf8))
        let stage = Stage()
        do throws(RadioDirector.Refusal) {
            try stage.director.play(scene)
        } catch {
            try expect(!error.description.isEmpty, "a refusal without a reason")
        }
        stage.radio.advance(to: Span.second)
    }
}
