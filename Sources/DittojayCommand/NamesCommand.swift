import ArgumentParser
import AssignedNumbers
import GATTProfiles
import LineOutput
import PlainText

struct NamesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "names",
        abstract: "Look up the Bluetooth SIG's assigned names and numbers.",
        discussion: """
            Each line has the kind, the number, the name as in profile files, and the name as the SIG writes it. Exits \
            with status 1 if nothing is found.
            """)

    @Argument(help: "Words or parts of the name, or the number in hexadecimal (default: all names).")
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
        StandardError.write("dittojay: unknown name or number \"\(wanted)\"\(suggestion)")
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
