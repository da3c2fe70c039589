import Foundation
import PlainText

/// The results of a scenario with expectations.
public struct ScenarioReport: Hashable, Swift.Sendable {
    /// The result of one expectation.
    struct Result: Hashable, Swift.Sendable {
        let expectation: ScenarioExpectation
        /// How often it was met; more than once in a `repeat`.
        private(set) var metCount = 0
        /// Why it was not met.
        private(set) var failure: String?
        /// How long it was waited for in all.
        private(set) var seconds = 0.0

        init(expectation: ScenarioExpectation) {
            self.expectation = expectation
        }

        /// Whether the scenario came to it.
        var isReached: Bool { metCount > 0 || failure != nil }

        var name: String { expectation.title ?? expectation.description }

        mutating func judged(failure: String?, seconds: Double) {
            if failure == nil { metCount += 1 }
            self.failure = self.failure ?? failure
            self.seconds += seconds
        }
    }

    /// The scenario's name.
    public let name: String
    let results: [Result]
    let timeline: ScenarioTimeline
    /// How long it took.
    let seconds: Double

    /// Whether all expectations were met.
    public var hasPassed: Bool { results.allSatisfy { $0.metCount > 0 && $0.failure == nil } }

    /// `3 of 5 expectations met`.
    public var summary: String {
        let met = results.count { $0.metCount > 0 && $0.failure == nil }
        return "\(met) of \(counted(results.count, "expectation")) met"
    }

    /// The report for people: each expectation, and, if one was not met, the time line.
    public var text: [String] {
        var lines = ["scenario \(name) \(hasPassed ? "passed" : "FAILED"): \(summary)"]
        for result in results { lines += Self.lines(of: result) }
        guard !hasPassed else { return lines }
        return lines + ["what happened (seconds since the scenario began; * marks its steps; faults are on purpose):"]
            + timeline.lines
    }

    private static func lines(of result: Result) -> [String] {
        let place = result.expectation.place.map { " (\($0))" } ?? ""
        let mark = result.failure != nil ? "FAILED" : result.isReached ? "ok" : "not reached"
        var first = "  \(mark): \(result.name)\(place)"
        if result.isReached { first += ", \(fixedPoint(result.seconds, places: 3)) s" }
        if result.metCount > 1 { first += ", \(result.metCount) times" }
        guard let failure = result.failure else { return [first] }
        let details = result.expectation.title == nil ? [] : ["    expected: \(result.expectation)"]
        return [first] + details + ["    \(failure)"]
    }

    /// The report in the XML of JUnit, as CI systems read it: a test suite with a test case for each expectation. The
    /// time line is the output of the one that failed.
    public var junit: String { Self.junit(of: [self]) }

    /// The same of the scenarios of several peripherals: a test suite for each.
    package static func junit(of reports: [ScenarioReport]) -> String {
        let suites = reports.flatMap(\.suite)
        return
            ([#"<?xml version="1.0" encoding="UTF-8"?>"#]
            + (reports.count == 1 ? suites : ["<testsuites>"] + suites + ["</testsuites>"]) + [""])
            .joined(separator: "\n")
    }

    private var suite: [String] {
        let failures = results.count { $0.failure != nil }
        let skipped = results.count { !$0.isReached }
        var lines = [
            #"<testsuite name="\#(Self.xml(name))" tests="\#(results.count)" failures="\#(failures)" errors="0" "#
                + #"skipped="\#(skipped)" time="\#(fixedPoint(seconds, places: 3))">"#
        ]
        for result in results { lines += testCase(result) }
        return lines + ["</testsuite>"]
    }

    private func testCase(_ result: Result) -> [String] {
        let start =
            #"  <testcase classname="\#(Self.xml(name))" name="\#(Self.xml(result.name))" "#
            + #"time="\#(fixedPoint(result.seconds, places: 3))""#
        if let failure = result.failure {
            let place = result.expectation.place.map { $0 + ": " } ?? ""
            let output = timeline.lines.map { Self.xml($0) }.joined(separator: "\n")
            return [
                start + ">",
                #"    <failure message="\#(Self.xml(place + failure))">\#(Self.xml("\(result.expectation)"))</failure>"#,
                "    <system-out>\(output)</system-out>", "  </testcase>",
            ]
        }
        guard !result.isReached else { return [start + "/>"] }
        return [start + ">", #"    <skipped message="not reached"/>"#, "  </testcase>"]
    }

    /// Text for an element or an attribute. What XML cannot have, which is control characters, U+FFFE and U+FFFF (XML
    /// 1.0, 2.2), is shown as in a terminal.
    private static func xml(_ text: String) -> String {
        var escaped = ""
        // Not by characters: "<" and a combining accent are one.
        for scalar in TerminalText.escaped(text).unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\u{FFFE}": escaped += #"\u{FFFE}"#
            case "\u{FFFF}": escaped += #"\u{FFFF}"#
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
