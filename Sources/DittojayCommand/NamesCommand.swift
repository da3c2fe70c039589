import ArgumentParser
import AssignedNumbers
import GATTProfiles
import LineOutput
import PlainText

struct NamesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "names",
        abstract: "Find the names and numbers that the Bluetooth SIG assigns.",
        discussion: """
            Each line has the kind, the number, the name as profile files write it, and the name as the SIG writes it. Ends \
            with 1 if nothing is found.
            """)

    @Argument(help: "Words of the name, or parts of them; or the number in hexadecimal digits. Default: all names.")
    var text: [String] = []

    @Option(help: "Only this kind: \(AssignedKind.allCases.map(\.rawValue).joined(separator: ", ")); may be repeated.")
    var kind: [AssignedKind] = []

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
        let wanted = text.joined(separator: " ")
        let kinds = kind.isEmpty ? AssignedKind.allCases : kind
        let matches = NameSearch.matches(wanted, kinds: kinds)
        if json {
            try StandardOutput.write(Self.object(matches))
        } else {
            try StandardOutput.write(Self.lines(matches))
        }
        guard matches.isEmpty else { return }
        let known = kinds.flatMap(NameSearch.all).map(\.typedName)
        let suggestion = Suggestion.text(for: TypedName.text(wanted), among: known)
        StandardError.write("dittojay: there is no name and no number \"\(wanted)\"\(suggestion)")
        throw ExitCode.failure
    }

    private static func lines(_ matches: [NameSearch.Match]) -> [String] {
        // Columns, wide enough for most of their entries.
        let typed = min(matches.map(\.typedName.count).max() ?? 0, 40)
        let kinds = matches.map(\.kind.rawValue.count).max() ?? 0
        return matches.map { match in
            [padded(match.kind.rawValue, kinds), match.number, padded(match.typedName, typed), match.name]
                .joined(separator: "  ")
        }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func object(_ matches: [NameSearch.Match]) -> JSONObject {
        var object = JSONObject()
        object.add(
            "names",
            matches.map { match in
                var object = JSONObject()
                object.add("kind", match.kind.rawValue)
                object.add("number", match.number)
                object.add("typedName", match.typedName)
                object.add("name", match.name)
                return object
            })
        return object
    }
}

extension AssignedKind: ExpressibleByArgument {}
