package import PlainText

/// All findings, for people and for programs.
package struct Report: Swift.Sendable {
    package let findings: [Finding]

    package init(_ findings: [Finding]) {
        self.findings = findings
    }

    package var problems: [Finding] { findings.filter { $0.verdict == .problem } }
    package var warnings: [Finding] { findings.filter { $0.verdict == .warning } }

    /// One finding a line, the commands that fix it indented below, and a summary.
    package var lines: [String] {
        findings.flatMap { finding in
            ["\(Self.padded(finding.verdict.rawValue, 8)) \(Self.padded(finding.topic.rawValue, 12)) \(finding.text)"]
                + finding.remedies.map { "         fix it:      \($0)" }
        } + [summary]
    }

    /// One object for each finding, with `topic`, `verdict`, `text` and `remedies`, and one with the numbers of
    /// `problems` and `warnings`.
    package var objects: [JSONObject] {
        var numbers = JSONObject()
        numbers.add("problems", problems.count)
        numbers.add("warnings", warnings.count)
        return findings.map { finding in
            var object = JSONObject()
            object.add("topic", finding.topic.rawValue)
            object.add("verdict", finding.verdict.rawValue)
            object.add("text", finding.text)
            object.add("remedies", finding.remedies)
            return object
        } + [numbers]
    }

    private var summary: String {
        let parts = [(problems.count, "problem"), (warnings.count, "warning")].filter { $0.0 > 0 }
        return parts.isEmpty ? "no problems" : parts.map { counted($0.0, $0.1) }.joined(separator: ", ")
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.utf8.count))
    }
}
