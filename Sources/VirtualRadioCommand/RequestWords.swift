import PlainText
import RadioControl

/// What the user has typed as a command for a running radio.
struct RequestWords {
    /// What is sent, as JSON on a line.
    private(set) var request = ""
    private(set) var kind = Kind.change
    private(set) var isJSON = false
    /// Whether events are printed that are still to come.
    private(set) var follows = false
    private(set) var socket: String?

    enum Kind: Equatable {
        case change
        case status
        case events
        /// A file, in YAML or JSON.
        case scene(String, waits: Bool)
        case help
    }

    static let usage = """
        usage: virtual-radio COMMAND [ARG…] [--socket PATH]

        Controls a running virtual radio. NAME, A and B are controllers (hci0; with two hosts a/hci0), names from the
        scene, or addresses. Positions are in metres; TIME is such as 500ms, 10s or 2min.

        DEVICES
          move NAME X Y [--over TIME]     move a device, at once or over this time
          body NAME DB                    attenuate everything that a device sends and receives

        LINKS
          rssi A B DBM|auto               set the RSSI between two devices, or derive it from their distance
          loss A B PERCENT                set the packet loss between two devices
          block A B, unblock A B          block or unblock all packets between two devices

        INTERFERENCE
          jam NAME X Y --power DBM [--duty PERCENT] [--for TIME]
                                          add a jammer that emits noise of this power at one metre
          jam NAME X Y --radius M --loss PERCENT [--for TIME]
                                          add a jammer with this packet loss for receivers in its radius
          unjam NAME                      remove a jammer

        PHANTOMS
          phantom add NAME X Y [--to X Y] [--count N] [--address ADDRESS] [--interval TIME] [--local-name TEXT]
                  [--services UUID,UUID…] [--data HEX] [--response HEX]
                                          add advertisers without a host, at a position or between two corners
          phantom remove NAME             remove them

        SCENE
          scene FILE [--hold]             load a scene in YAML or JSON; with --hold its time waits for begin
          begin                           start the time of a scene that waits
          reset                           restore the radio's initial state and restart its scene

        OBSERVATION
          status [--json]                 show device positions and links
          events [--follow] [--json]      show past events, and with --follow new ones as they happen
          record FILE [--end]             record all packets to a file, until --end or until the radio stops;
                                          lab page converts it to a page

        The exit status is 1 if the radio refuses, 64 for a usage error, 69 if no radio is running.
        """

    static let names = [
        "move", "body", "rssi", "loss", "block", "unblock", "jam", "unjam", "phantom", "scene", "begin", "reset",
        "status", "events", "record", "help",
    ]

    private var positional: [String] = []
    private var options: [String: [String]] = [:]

    /// The options of each command, with how many values they have.
    private static let options: [String: [String: Int]] = [
        "move": ["--over": 1], "jam": ["--power": 1, "--duty": 1, "--radius": 1, "--loss": 1, "--for": 1],
        "phantom": [
            "--to": 2, "--count": 1, "--address": 1, "--interval": 1, "--local-name": 1, "--services": 1, "--data": 1,
            "--response": 1,
        ],
        "scene": ["--hold": 0], "record": ["--end": 0], "status": ["--json": 0],
        "events": ["--json": 0, "--follow": 0],
    ]

    /// - Parameter words: after the program's name, the command first.
    init(_ words: some Sequence<String>) throws(UsageError) {
        var words = Array(words)[...]
        let name = words.popFirst() ?? "help"
        guard Self.names.contains(name) else {
            throw UsageError("unknown command \(name)\(Suggestion.text(for: name, among: Self.names))")
        }
        try sort(words, of: name)
        if kind == .help { return }
        socket = options["--socket"]?.first
        isJSON = options["--json"] != nil
        follows = options["--follow"] != nil
        try make(name)
    }

    private mutating func sort(_ words: ArraySlice<String>, of name: String) throws(UsageError) {
        var known = Self.options[name] ?? [:]
        known["--socket"] = 1
        var words = words
        if name == "help" { kind = .help }
        while let word = words.popFirst() {
            if word == "--help" || word == "-h" { kind = .help }
            guard word.hasPrefix("--") else {
                if word != "-h" { positional.append(word) }
                continue
            }
            if word == "--help" { continue }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let count = known[parts[0]] else {
                throw UsageError(
                    "\(name): unknown option \(parts[0])\(Suggestion.text(for: parts[0], among: known.keys.sorted()))")
            }
            var values = Array(parts.dropFirst())
            while values.count < count, let value = words.popFirst() { values.append(value) }
            guard values.count == count else {
                throw UsageError("\(parts[0]) needs \(count == 1 ? "a value" : "two values")")
            }
            options[parts[0]] = values
        }
    }

    private mutating func take(_ expected: String...) throws(UsageError) -> [String] {
        guard positional.count == expected.count else {
            let wanted = expected.isEmpty ? "no arguments" : expected.joined(separator: " ")
            throw UsageError(
                "expected \(wanted), found \(positional.isEmpty ? "nothing" : positional.joined(separator: " "))")
        }
        return positional
    }

    private mutating func make(_ name: String) throws(UsageError) {
        var members: [(String, JSONValue)] = []
        switch name {
        case "move":
            let words = try take("NAME", "X", "Y")
            members =
                [("device", .text(words[0])), ("to", Self.position(words[1], words[2]))] + option("--over", "over")
        case "body":
            let words = try take("NAME", "DB")
            members = [("device", .text(words[0])), ("loss", Self.unit(words[1], "dB"))]
        case "rssi":
            let words = try take("A", "B", "DBM|auto")
            members = [Self.between(words), ("strength", Self.unit(words[2], "dBm"))]
        case "loss":
            let words = try take("A", "B", "PERCENT")
            members = [Self.between(words), ("part", Self.unit(words[2], "%"))]
        case "block", "unblock": members = [Self.between(try take("A", "B"))]
        case "jam":
            let words = try take("NAME", "X", "Y")
            members = [("name", .text(words[0])), ("at", Self.position(words[1], words[2]))]
            members += option("--power", "power", "dBm") + option("--duty", "duty", "%")
            members += option("--radius", "radius", "m") + option("--loss", "loss", "%") + option("--for", "for")
        case "record":
            members = [("file", .text(ControlPath.absolute(try take("FILE")[0])))]
            if options["--end"] != nil { members.append(("ends", .flag(true))) }
        case "unjam": members = [("name", .text(try take("NAME")[0]))]
        case "phantom": return try makePhantom()
        case "scene":
            kind = .scene(try take("FILE")[0], waits: options["--hold"] != nil)
            return
        default:
            _ = try take()
            if name == "status" { kind = .status }
            if name == "events" { kind = .events }
        }
        request = JSONValue.object([("command", .text(name))] + members).line
    }

    private mutating func makePhantom() throws(UsageError) {
        let actions = ["add", "remove"]
        let action = positional.isEmpty ? "" : positional.removeFirst()
        guard actions.contains(action) else {
            throw UsageError("expected phantom add or phantom remove\(Suggestion.text(for: action, among: actions))")
        }
        if action == "remove" {
            request = JSONValue.object([("command", .text("remove")), ("phantom", .text(try take("NAME")[0]))]).line
            return
        }
        let words = try take("NAME", "X", "Y")
        let position = Self.position(words[1], words[2])
        var members: [(String, JSONValue)] = [("command", .text("phantom")), ("name", .text(words[0]))]
        if let corner = options["--to"] {
            members.append(("within", .list([position, Self.position(corner[0], corner[1])])))
        } else {
            members.append(("at", position))
        }
        for key in ["count", "address", "interval", "local-name", "data", "response"] {
            members += option("--" + key, key)
        }
        if let services = options["--services"] {
            let uuids = services[0].split(separator: ",").map { JSONValue.text(String($0)) }
            members.append(("services", .list(uuids)))
        }
        request = JSONValue.object(members).line
    }

    private func option(_ name: String, _ key: String, _ unit: String? = nil) -> [(String, JSONValue)] {
        guard let value = options[name]?.first else { return [] }
        return [(key, unit.map { Self.unit(value, $0) } ?? .text(value))]
    }

    private static func between(_ words: [String]) -> (String, JSONValue) {
        ("between", .list([.text(words[0]), .text(words[1])]))
    }

    private static func position(_ x: String, _ y: String) -> JSONValue { .list([unit(x, "m"), unit(y, "m")]) }

    /// A number gets its unit; what has one keeps it.
    private static func unit(_ word: String, _ unit: String) -> JSONValue {
        .text(word.last?.isNumber == true ? "\(word) \(unit)" : word)
    }
}
