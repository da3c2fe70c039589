import Foundation
import GATTProfiles
import TestSupport
import Testing

@testable import Dittojay

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// What scenarios expect, judged without Bluetooth. Time passes when a test has it pass.
@Suite struct ExpectationTests {
    private static let store = CharacteristicPath("lab", "store")
    private static let sink = CharacteristicPath("lab", "sink")

    /// A scenario that is played, and its results.
    private final class Play {
        let parts = Parts()
        let test: ScenarioTest
        private(set) var ends = 0

        init(_ steps: [ScenarioStep]) throws {
            test = try #require(ScenarioTest(steps, clock: parts.clock))
            parts.events.onTestedEvent = { [test] event in test.note(event.textWithoutTime) }
            parts.links.onOccurrence = { [parts] occurrence in parts.scenario.occurred(occurrence) }
            parts.scenario.play(test) { [unowned self] in ends += 1 }
        }

        func occurred(_ occasion: ScenarioStep.Occasion, _ path: CharacteristicPath? = nil, _ value: [UInt8]? = nil) {
            parts.scenario.occurred(Occurrence(occasion, to: path, value: value.map { Data($0) }))
        }

        var report: ScenarioReport { test.report(name: "test") }
        /// The result of each expectation, a word each.
        var outcome: [String] {
            report.results.map { $0.failure ?? ($0.isReached ? "met" : "not reached") }
        }
    }

    private static func written(_ value: [UInt8]? = nil, on path: CharacteristicPath? = nil)
        -> ScenarioExpectation.Event
    {
        .init(.written, on: path, value: value.map { .value($0) })
    }

    @Test func `a scenario goes on when what it expects has happened`() throws {
        let play = try Play([
            .expect(ScenarioExpectation([Self.written([1], on: Self.store)])), .set(Self.sink, [9]),
            .expect(ScenarioExpectation([Self.written()])),
        ])
        play.occurred(.read, Self.store, [1])
        play.occurred(.written, Self.store, [2])
        play.occurred(.written, Self.sink, [1])
        #expect(play.outcome == ["not reached", "not reached"])
        play.occurred(.written, Self.store, [1])
        #expect(play.outcome == ["met", "not reached"])
        // It expects again: what was before does not count.
        play.occurred(.written, Self.sink, [3])
        #expect(play.outcome == ["met", "met"] && play.ends == 1 && play.report.hasPassed)
    }

    @Test func `what happens between two expectations is for the second`() throws {
        let play = try Play([
            .expect(ScenarioExpectation([.init(.connected)])), .waitFor(.subscribed, on: nil),
            .expect(ScenarioExpectation([Self.written([7])])),
            .expect(ScenarioExpectation([Self.written([8])])),
        ])
        play.parts.links.handle(.connected(address: Parts.central))
        for value: UInt8 in [6, 7, 8] { play.occurred(.written, Self.store, [value]) }
        #expect(play.outcome == ["met", "not reached", "not reached"])
        play.occurred(.subscribed)
        #expect(play.outcome == ["met", "met", "met"])
    }

    @Test func `events come in their order or in any`() throws {
        let events = [Self.written([1]), Self.written([2])]
        let ordered = try Play([.expect(ScenarioExpectation(events, within: 0.05))])
        for value: UInt8 in [2, 3, 1] { ordered.occurred(.written, Self.store, [value]) }
        let free = try Play([.expect(ScenarioExpectation(events, order: .any, within: 0.05))])
        for value: UInt8 in [2, 3, 1] { free.occurred(.written, Self.store, [value]) }
        #expect(free.outcome == ["met"])
        ordered.parts.clock.advance(by: 0.04)
        #expect(ordered.ends == 0)
        ordered.parts.clock.advance(by: 0.02)
        #expect(ordered.ends == 1)
        #expect(ordered.outcome == ["still missing: a write: 02"])
    }

    @Test func `an event is counted`() throws {
        let play = try Play([.expect(ScenarioExpectation([.init(.read, on: Self.store, times: 3)]))])
        for _ in 0..<2 { play.occurred(.read, Self.store) }
        #expect(play.outcome == ["not reached"])
        play.occurred(.read, Self.store)
        #expect(play.outcome == ["met"])
    }

    @Test func `what must not happen fails at once, and what has not is as expected after its time`()
        throws
    {
        let steps: [ScenarioStep] = [
            .expect(ScenarioExpectation([Self.written([1])], isForbidden: true, within: 0.1)), .quit,
        ]
        let broken = try Play(steps)
        broken.occurred(.written, Self.store, [2])
        broken.occurred(.written, Self.store, [1])
        #expect(broken.outcome == ["there was a write: 01"] && broken.ends == 1)
        var commands: [ControlRequest] = []
        let kept = try Play(steps)
        kept.parts.scenario.performCommand = { request, _ in commands.append(request) }
        kept.occurred(.written, Self.store, [2])
        #expect(commands.isEmpty)
        kept.parts.clock.advance(by: 0.09)
        #expect(commands.isEmpty)
        kept.parts.clock.advance(by: 0.02)
        #expect(kept.outcome == ["met"] && commands == [.quit])
    }

    @Test func `what must not happen uses nothing up, and does not count what was before`() throws {
        let play = try Play([
            .expect(ScenarioExpectation([.init(.connected)])), .waitFor(.subscribed, on: nil),
            .expect(ScenarioExpectation([Self.written()], isForbidden: true, within: 0.05)),
            .expect(ScenarioExpectation([.init(.disconnected)])),
        ])
        play.parts.links.handle(.connected(address: Parts.central))
        play.occurred(.written, Self.store, [1])
        play.occurred(.subscribed)
        play.parts.links.handle(.disconnected(address: Parts.central, reason: nil))
        #expect(play.outcome == ["met", "not reached", "not reached"])
        play.parts.clock.advance(by: 0.06)
        #expect(play.outcome == ["met", "met", "met"] && play.ends == 1)
    }

    @Test func `what is the case already counts`() throws {
        let play = try Play([
            .waitFor(.connected, on: nil), .expect(ScenarioExpectation([.init(.connected)])),
            .expect(ScenarioExpectation([.init(.disconnected), .init(.connected)])),
            .expect(ScenarioExpectation([.init(.connected)], isForbidden: true)),
        ])
        play.parts.links.handle(.connected(address: Parts.central))
        #expect(play.outcome == ["met", "not reached", "not reached"])
        play.parts.links.handle(.disconnected(address: Parts.central, reason: nil))
        play.parts.links.handle(.connected(address: Parts.central))
        #expect(play.outcome == ["met", "met", "there was a central connects"])
    }

    @Test func `a refused request is expected by its error`() throws {
        let play = try Play([
            .expect(ScenarioExpectation([.init(.written, on: Self.store, attError: 0x80)], within: 0.2))
        ])
        play.occurred(.written, Self.store)
        play.parts.scenario.occurred(Occurrence(.written, to: Self.store, attError: 0x81))
        #expect(play.outcome == ["not reached"])
        play.parts.scenario.occurred(Occurrence(.written, to: Self.store, attError: 0x80))
        #expect(play.outcome == ["met"])
    }

    @Test func `requests reach it with their values and errors`() throws {
        let play = try Play([
            .expect(
                ScenarioExpectation([
                    .init(.written, on: Self.store, value: .value([5])),
                    .init(.read, on: Self.store, value: .value([5])),
                    .init(.written, on: Self.store, attError: 0x0D),
                ]))
        ])
        play.parts.publish()
        play.parts.requests.write([try play.parts.request(LabService.store, [5])])
        play.parts.requests.read(try play.parts.request(LabService.store))
        play.parts.requests.write([try play.parts.request(LabService.store, [UInt8](repeating: 0, count: 513))])
        #expect(play.outcome == ["met"])
    }

    @Test func `expectations in a repetition are met each time`() throws {
        let play = try Play([
            .repeat(times: 3, [.expect(ScenarioExpectation([Self.written([1])], title: "asks")), .set(Self.sink, [1])])
        ])
        for _ in 0..<3 { play.occurred(.written, Self.store, [1]) }
        #expect(
            play.report.hasPassed
                && play.report.text.contains { $0.hasPrefix("  ok: asks") && $0.hasSuffix(", 3 times") })
    }

    @Test func `much that happens meanwhile does not pile up`() throws {
        let play = try Play([.wait(3600), .expect(ScenarioExpectation([Self.written()]))])
        for number in 0..<ScenarioTest.unjudgedLimit + 5000 {
            play.occurred(.written, Self.store, [1])
            play.test.note("\(number)")
        }
        let lines = play.report.timeline.lines
        let (first, last) = ScenarioTimeline.limits
        #expect(lines.count == first + last + 1 && lines[first].contains("14000 more"))
    }

    // MARK: Reports

    @Test func `a report tells a reader what was expected and what happened instead`() throws {
        var expectation = ScenarioExpectation(
            [Self.written(Array("PING".utf8), on: Self.store)], title: "asks for <both>")
        expectation.place = "x.yaml:7"
        let play = try Play([
            .expect(ScenarioExpectation([.init(.connected)])), .expect(expectation),
            .expect(ScenarioExpectation([Self.written()])),
        ])
        play.parts.links.handle(.connected(address: Parts.central))
        play.parts.publish()
        play.parts.requests.write([try play.parts.request(LabService.store, Array("PONG\u{1B}".utf8))])
        play.test.interrupt()
        let text = play.report.text.map { $0.replacing(/[0-9]+\.[0-9]{3}/) { _ in "T" } }
        #expect(
            text == [
                "scenario test FAILED: 1 of 3 expectations met", "  ok: a central connects, within 10 s, T s",
                "  FAILED: asks for <both> (x.yaml:7), T s",
                "    expected: a write of lab/store: 50494e47 \"PING\", within 10 s",
                "    dittojay was stopped; still missing: a write of lab/store: 50494e47 \"PING\"",
                "  not reached: a write, within 10 s",
                "what happened (seconds since the scenario began; * marks its steps; faults are on purpose):",
                "    T  * expects a central connects, within 10 s", "    T    connected C0:00:00:00:00:02",
                "    T  * as expected", "    T  * expects asks for <both>",
                "    T    written store 504f4e471b by C0:00:00:00:00:02 (MTU 100)",
            ])
        let document = try XMLDocument(xmlString: play.report.junit)
        let suite = try #require(document.rootElement())
        #expect(suite.attribute(forName: "tests")?.stringValue == "3")
        #expect(suite.attribute(forName: "failures")?.stringValue == "1")
        #expect(suite.attribute(forName: "skipped")?.stringValue == "1")
        let cases = suite.elements(forName: "testcase")
        #expect(cases.map { $0.attribute(forName: "name")?.stringValue }[1] == "asks for <both>")
        #expect(cases[1].elements(forName: "system-out").first?.stringValue?.contains("written store") == true)
    }

    @Test func `a report in XML can have any text`() throws {
        // "<" and a combining accent are one character to Swift, and two to XML.
        let title = "<\u{301}a> \"\u{301} &\u{301} \u{FFFE}\u{FFFF}\u{1}"
        let play = try Play([.expect(ScenarioExpectation([Self.written(Array("PING".utf8))], title: title))])
        play.parts.links.handle(.connected(address: Parts.central))
        play.parts.publish()
        play.parts.requests.write([try play.parts.request(LabService.store, Array("<\u{301}he".utf8))])
        play.test.interrupt()
        let suite = try #require(try XMLDocument(xmlString: play.report.junit).rootElement())
        let expectation = try #require(suite.elements(forName: "testcase").first)
        let shown = "<\u{301}a> \"\u{301} &\u{301} " + #"\u{FFFE}\u{FFFF}\u{1}"#
        #expect(expectation.attribute(forName: "name")?.stringValue == shown)
        #expect(
            expectation.elements(forName: "system-out").first?.stringValue?.contains("3ccc816865") == true)
    }

    // MARK: Files

    @Test func `expectations are read from a file`() throws {
        let text = """
            - expect: connected
            - expect: {occasion: written, on: store, prefix: u8:1, times: 2, within: 3 s, title: counts}
            - expect-not: {in-any-order: [{occasion: read, on: store, att-error: 0x80}, disconnected], within: 250 ms}
            - repeat: {times: 2, steps: [{expect: {in-order: [connected, {occasion: written, pattern: hex:01 *}]}}]}
            """
        var steps = try ProfileFile.parseScenario(text, file: "dir/x.yaml", for: .lab).value
        guard case .expect(let second) = steps[1] else { return #expect(Bool(false), "\(steps)") }
        #expect(second.place == "dir/x.yaml:2" && second.title == "counts")
        for index in 0..<3 {
            guard case .expect(var expectation) = steps[index] else { return #expect(Bool(false), "\(steps)") }
            expectation.place = nil
            steps[index] = .expect(expectation)
        }
        #expect(
            Array(steps.prefix(3)) == [
                .expect(ScenarioExpectation([.init(.connected)])),
                .expect(
                    ScenarioExpectation(
                        [.init(.written, on: Self.store, value: .prefix([1]), times: 2)], within: 3, title: "counts")),
                .expect(
                    ScenarioExpectation(
                        [.init(.read, on: Self.store, attError: 0x80), .init(.disconnected)], order: .any,
                        isForbidden: true, within: 0.25)),
            ])
    }

    @Test(arguments: [
        ("- expect: conected", "did you mean \"connected\""),
        ("- expect: {occasion: connected, value: u8:1}", "only a read or a write has a value"),
        ("- expect: {occasion: subscribed, on: chirp, att-error: 0x80}", "only a read or a write is refused"),
        ("- expect: {occasion: written, on: chirp}", "do not allow it to be written"),
        ("- expect: {occasion: connected, on: store}", "connected is not about a characteristic"),
        ("- expect: {occasion: written, value: u8:1, prefix: u8:1}", "exactly one of value, prefix, pattern"),
        ("- expect: {occasion: written, pattern: PING}", "invalid pattern"),
        ("- expect: {in-order: []}", "from 1 to 1000 events"),
        ("- expect: {in-order: [connected], occasion: read}", "exactly one of occasion, in-order, in-any-order"),
        ("- expect: {in-order: [connected], value: u8:1}", "value belongs in an event of the list"),
        ("- expect: {occasion: read, within: soon}", "a time such as"),
        ("- expect: {within: 3 s}", "exactly one of occasion"),
        ("- expect: {occasion: read, times: 0}", "a whole number from 1"),
    ])
    func `each mistake is named`(text: String, part: String) {
        let error = #expect(throws: ProfileFileError.self) {
            try ProfileFile.parseScenario(text, file: "x", for: .lab)
        }
        #expect(error?.description.contains(part) == true, "\(String(describing: error))")
    }

    @Test func `a reaction to a write cannot expect anything`() {
        let text = """
            services:
              - uuid: 180F
                characteristics:
                  - {uuid: 2A19, properties: [write], write: {when: [{any: true, do: [{expect: connected}]}]}}
            """
        let error = #expect(throws: ProfileFileError.self) { try ProfileFile.parse(text, file: "x") }
        #expect(error?.description.contains("valid only in a scenario, not in the reaction to a write") == true)
    }
}
