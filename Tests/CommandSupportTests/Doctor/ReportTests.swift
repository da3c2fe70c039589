import PlainText
import Testing

@testable import CommandSupport

@Suite struct ReportTests {
    private static let report = Report([
        .ok(.bus, "unix:path=/bus"), .warning(.sockets, "short"),
        .problem(.power, "hci0 is off", "one", "two \"quoted\""),
    ])

    @Test func `people see the commands below each finding`() {
        #expect(
            Self.report.lines == [
                "ok       bus          unix:path=/bus",
                "warning  sockets      short",
                "problem  power        hci0 is off",
                "         fix it:      one",
                "         fix it:      two \"quoted\"",
                "1 problem, 1 warning",
            ])
        #expect(Report([.ok(.bus, "x")]).lines.last == "no problems")
    }

    @Test func `programs get an object for each finding and the numbers`() {
        #expect(
            Self.report.objects.map(\.text) == [
                #"{"topic":"bus","verdict":"ok","text":"unix:path=/bus","remedies":[]}"#,
                #"{"topic":"sockets","verdict":"warning","text":"short","remedies":[]}"#,
                #"{"topic":"power","verdict":"problem","text":"hci0 is off","remedies":["one","two \"quoted\""]}"#,
                #"{"problems":1,"warnings":1}"#,
            ])
    }
}
