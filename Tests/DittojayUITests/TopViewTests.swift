import Dittojay
import Foundation
import Posix
import Testing

@testable import DittojayUI

struct TopViewTests {
    private static func status(uptime: Double) throws -> PeripheralStatus {
        let text = """
            {"pid":1,"uptime":\(uptime),"profile":"p","name":"Room \\u001B[2J12","adapter":"hci0",
            "address":"00:AA:01:00:00:00","state":"poweredOn","isAdvertising":true,"seed":1,"services":[],"faults":[],
            "centrals":[{"address":"00:AA:01:01:00:01","mtu":517,"subscriptions":["level"]}],
            "notifications":0,"reads":0,"writes":0}
            """
        return try JSONDecoder().decode(PeripheralStatus.self, from: Data(text.utf8))
    }

    private static func model(samples: Int) throws -> TopModel {
        var model = TopModel()
        model.keep([("0/", "Room 12")])
        for number in 0..<samples {
            let level = CharacteristicStatus.sample(
                "2A19", name: "level", value: String(format: "%02x", number % 100), notifications: UInt64(number))
            model.take(
                PeripheralSample(
                    status: try status(uptime: Double(number) / 2), characteristics: [level],
                    signals: ["00:AA:01:01:00:01": -59]),
                of: "0/")
        }
        for number in 0..<30 { model.note("12:00:00 event \(number)") }
        return model
    }

    /// Without the styles.
    private static func plain(_ lines: [String]) -> [String] {
        lines.map { $0.replacing(/\u{1B}\[[0-9]*m/, with: "") }
    }

    @Test func showsValuesRatesCentralsAndTheLastEvents() throws {
        let lines = Self.plain(TopView(width: 80, height: 12).lines(try Self.model(samples: 60)))
        #expect(lines.count == 12)
        #expect(lines[0].contains("hci0 00:AA:01:00:00:00  advertising"))
        #expect(lines[1].contains("level") && lines[1].contains("59 %") && lines[1].contains("2.0/s"))
        #expect(lines[1].contains("▁") && lines[1].contains("█"))
        #expect(lines[2].contains("central 00:AA:01:01:00:01  MTU 517  -59 dBm  level"))
        #expect(lines[10].contains("event 29") && lines[11].hasPrefix("q ends"))
    }

    @Test(arguments: [(20, 4), (21, 5), (40, 8), (80, 24), (200, 60)])
    func everyLineFits(_ width: Int, _ height: Int) throws {
        let lines = Self.plain(TopView(width: width, height: height).lines(try Self.model(samples: 300)))
        #expect(lines.count == height)
        #expect(lines.allSatisfy { $0.columns <= width })
    }

    @Test func aWindowWithoutRoomSaysSo() throws {
        #expect(TopView(width: 10, height: 2).lines(TopModel()) == ["too small"])
        #expect(TopView(width: 10, height: 0).lines(TopModel()) == [])
    }

    @Test func namesDoNotActOnTheTerminal() throws {
        let lines = TopView(width: 80, height: 12).lines(try Self.model(samples: 1))
        #expect(!lines.joined().contains("\u{1B}[2J") && lines[0].contains("\\u{1B}[2J"))
    }

    @Test func saysWhereNothingRuns() {
        var model = TopModel()
        model.absent = ["/run/x.sock"]
        #expect(
            Self.plain(TopView(width: 80, height: 10).lines(model))[0].contains("no dittojay is running at /run/x.sock")
        )
    }

    @Test func theCourseIsDrawnBetweenItsBounds() {
        #expect(Sparkline.text([1, 2, 3, 4, 5, 6, 7, 8], width: 10) == "▁▂▃▄▅▆▇█")
        #expect(Sparkline.text([0, 100, 50], width: 2) == "█▁")
        #expect(Sparkline.text([5, 5], width: 9) == "▄▄" && Sparkline.text([], width: 9) == "")
        #expect(Sparkline.text([1, 2], width: -1) == "" && Sparkline.text([.infinity, 2], width: 4) == "")
    }

    @Test func textsAreCutByColumns() {
        #expect("abc".fitted(to: 5) == "abc  " && "abcdef".fitted(to: 4) == "abc…" && "abc".fitted(to: 0) == "")
        #expect("温度計".columns == 6 && "温度計".fitted(to: 4) == "温… ")
    }

    @Test func withoutATerminalThereIsAClearError() {
        let error = #expect(throws: SystemError.self) { _ = try TerminalScreen(kind: "xterm") }
        #expect(error?.description.hasPrefix("top requires a terminal") == true)
    }
}
