import Foundation
import TestSupport
import Testing
import YAMLText

@testable import Dittojay

@Suite struct YAMLBoundsTests {
    /// A list of anchors. Each is a list with the one before, so that the last one is `levels` deep.
    private func chain(_ levels: Int, open: String = "[", close: String = "]") -> String {
        "- &a0 x\n" + (1...levels).map { "- &a\($0) \(open)*a\($0 - 1)\(close)\n" }.joined()
    }

    /// A list of anchors. Each is a list with the one before twice: the last one has 2 to the power of `levels`.
    private func doubling(_ levels: Int) -> String {
        "- &a0 [x, x]\n" + (1...levels).map { "- &a\($0) [*a\($0 - 1), *a\($0 - 1)]\n" }.joined()
    }

    /// Why a text is no profile, which is found out quickly.
    private func mistake(in text: String) throws -> ProfileFileError {
        var error: ProfileFileError?
        let time = processorTime {
            error = #expect(throws: ProfileFileError.self) { try ProfileFile.parse(text, file: "x.yaml") }
        }
        #expect(time < .seconds(10))
        return try #require(error)
    }

    /// Why a text is refused before it matters what it is to be.
    private func refusal(of text: String) throws -> ProfileFileError {
        let error = try mistake(in: text)
        #expect(
            throws: error, "as a scenario, too"
        ) { try ProfileFile.parseScenario(text, file: "x.yaml", for: .default) }
        return error
    }

    @Test func `nested aliases as a mapping's key are refused, with their line`() throws {
        let text = doubling(25) + "- {*a25: x}\n- {*a25: y}\n"
        #expect(text.utf8.count < 600)
        let error = try refusal(of: text)
        #expect(error.line == 16 && error.message.contains("expands to more than 200000"))
        let few = try refusal(of: "- &a [x]\n- {*a : x}\n")
        #expect(few.line == 2 && few.message == "expected a key: plain text, found a list or a mapping")
        #expect(try refusal(of: "? [a]\n: x\n").message == few.message)
        #expect(try refusal(of: "a: {b: 1, {c: d}: e}\n").message == few.message)
    }

    @Test(arguments: [150, 700, 6000])
    func `chains of anchors are refused where they become too deep`(levels: Int) throws {
        let error = try refusal(of: chain(levels))
        #expect(error.line == 101)
        #expect(error.message == "nesting deeper than 100 levels")
        #expect(try refusal(of: chain(levels, open: "{k: ", close: "}")).line == 101)
    }

    @Test(arguments: ["[", "{a: ", "- ", "? ", "[{a: ", "[[", "!!seq [", "&a [", "[a, ", "[\"]\", ", "['[', "])
    func `deep lists and mappings are refused, however they are written`(open: String) throws {
        for count in [101, 1000, 20_000] {
            _ = try refusal(of: String(repeating: open, count: count))
        }
        let lines = (0..<150).map { String(repeating: " ", count: $0) + "a:\n" }.joined()
        #expect(try refusal(of: lines).line == 101)
        let brackets = (0..<150).map { String(repeating: " ", count: $0) + "- # ]]]]\n" }.joined()
        #expect(try refusal(of: brackets).line == 101)
    }

    @Test func `closed brackets in strings and comments hide nothing`() throws {
        let text = String(repeating: "['']', # ]]]]]]\n", count: 500)
        #expect(throws: ProfileFileError.self) { try ProfileFile.parse(text, file: "x.yaml") }
        _ = try mistake(in: String(repeating: "[']', ", count: 3000))
    }

    @Test func `brackets in texts are no depth, nor is an indented text`() throws {
        let many = String(repeating: "[{", count: 250)
        let indented = String(repeating: " ", count: 480)
        for value in ["'text:\(many)'", "\"text:\(many)\"", "|-\n      text:\(many)", "|1-\n      \(indented)x"] {
            let text =
                "services:\n- uuid: 180F\n  characteristics:\n  - uuid: 2A19\n    properties: [read]\n    description: \(value)\n"
            let profile = try ProfileFile.parse(text, file: "x.yaml").value
            #expect(profile.services.first?.characteristics.first?.userDescription?.isEmpty == false)
        }
    }

    @Test func `what is within the limits is read, aliases of aliases included`() throws {
        let lists = String(repeating: "[", count: 98) + "u8:7" + String(repeating: "]", count: 98)
        let deep = try ProfileFile.parseScenario("- chirp: \(lists)", file: "x.yaml", for: .default).value
        #expect(deep == [.chirp([7])])
        #expect(try refusal(of: "- chirp: [\(lists)]").message.contains("nesting deeper than 100 levels"))
        let text = """
            services:
              - uuid: 180F
                characteristics:
                  - {name: a, uuid: 2A19, properties: &p [read, notify], value: &v [&b u8:1, *b, &b u8:2, *b]}
                  - {name: b, uuid: 2A1A, properties: *p, value: [*v, *v, *b]}
                  - {name: c, uuid: 2A1B, properties: *p, value: &v [*v, *v]}
                  - {name: d, uuid: 2A1C, properties: *p, value: *v}
            """
        let characteristics = try #require(try ProfileFile.parse(text, file: "x").value.services.first?.characteristics)
        #expect(characteristics[1].initialValue == [1, 1, 2, 2, 1, 1, 2, 2, 2])
        #expect(characteristics[3].initialValue == [1, 1, 2, 2, 1, 1, 2, 2])
    }

    @Test(arguments: ["&a [*a]", "&a {b: *a}", "- &a [[*a], x]"])
    func `an alias within its own anchor is refused`(text: String) throws {
        #expect(try refusal(of: text).message == "alias *a does not follow a complete anchor &a")
    }

    @Test func `a small file that unfolds into a huge one is refused where it becomes one`() throws {
        var text = "services:\n  - &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...9 {
            text += "  - &a\(level) [\((0..<10).map { _ in "*a\(level - 1)" }.joined(separator: ", "))]\n"
        }
        #expect(try refusal(of: text).line == 7)
        #expect(try refusal(of: text.replacingOccurrences(of: "  - ", with: "  - <<: ")).line == 7)
    }

    @Test func `merge keys are keys like others`() throws {
        let service = #expect(throws: ProfileFileError.self) {
            try ProfileFile.parse("services:\n  - &a {uuid: 180F}\n  - {<<: *a, name: b}\n", file: "x.yaml")
        }
        #expect(service?.all.contains { $0.line == 3 && $0.message.contains("unknown key \"<<\"") } == true)
    }

    @Test func `a lot of anything is read or refused within seconds`() throws {
        let length = YAMLText.maximumLength / 8
        func fill(_ piece: String) -> String { String(repeating: piece, count: length / piece.utf8.count) }
        for piece in ["- a\n", "a,", "---\na\n", "&a *a ", "\"a\", ", "? a\n", "#", "\n", "!a ", "'", "x"] {
            _ = try mistake(in: fill(piece))
        }
        _ = try mistake(in: "[" + fill("a,") + "]")
        _ = try mistake(in: "x: '" + fill("[{") + "'")
        _ = try mistake(in: (0..<90_000).map { "%TAG !\($0)! x\n" }.joined() + "---\na\n")
        _ = try mistake(in: (0..<10_000).map { "k\($0): x\n" }.joined())
        let same = try mistake(in: fill("key: x\n"))
        #expect(same.message.utf8.count < 1000)
        let pairs = (0..<10_000).map { "k\($0 / 2): x\n" }.joined()
        #expect(try mistake(in: pairs).message.utf8.count < 1000)
    }

    @Test func `thousands of references to thousands of characteristics are found within seconds`() throws {
        var text = "services:\n"
        for service in 0..<20 {
            text += "- name: s\(service)\n  uuid: 180F\n  characteristics:\n"
            for number in 0..<100 { text += "  - {uuid: 2A19, name: c\(service)-\(number), properties: [read]}\n" }
        }
        text += "scenario:\n"
        for number in 0..<3000 {
            text += "- clear-faults: c\(number % 20)\(number % 2 == 0 ? "-" : "_")\(number % 100)\n"
        }
        var steps = 0
        let time = try processorTime { steps = try ProfileFile.parse(text, file: "x.yaml").value.scenario.count }
        #expect(steps == 3000)
        #expect(time < .seconds(5))
    }

    @Test func `more faults than a peripheral can have are refused`() throws {
        func text(_ count: Int) -> String {
            "services: [{uuid: 180F, characteristics: [{uuid: 2A19, properties: [read], faults: [\n"
                + String(repeating: "{on: read, error: 0x80},\n", count: count) + "]}]}]"
        }
        #expect(try ProfileFile.parse(text(1000), file: "x.yaml").warnings.isEmpty)
        #expect(try mistake(in: text(1001)).message == "too many faults: 1001 (limit 1000)")
    }
}
