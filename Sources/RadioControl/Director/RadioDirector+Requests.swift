import PlainText
import VirtualRadio

/// Requests over the control socket: each is an object in JSON on a line, and is answered by one.
extension RadioDirector {
    /// In bytes.
    package static let longestRequest = 1 << 20

    package enum Answer {
        /// A line, without its end.
        case reply(String)
        /// The same, and then events: the past ones, and all that follow.
        case follow(String, past: [String])
    }

    package func answer(_ line: some Sequence<UInt8>) -> Answer {
        do throws(Refusal) {
            return try carryOut(line)
        } catch {
            return .reply(Self.refuse(error.description))
        }
    }

    package static func refuse(_ text: String) -> String {
        JSONValue.object([("ok", .flag(false)), ("error", .text(text))]).line
    }

    /// The requests beside the commands of scenes.
    static let requests = ["status", "events", "scene", "begin", "reset", "record"]

    private func carryOut(_ line: some Sequence<UInt8>) throws(Refusal) -> Answer {
        // So that a client that asks finds everything until now in the files.
        recording.flush()
        let request: DataNode
        do {
            request = try JSONReader.read(line)
        } catch {
            throw Refusal("invalid JSON at byte \(error.offset): \(error.description)")
        }
        guard let command = request["command"]?.text else {
            throw Refusal("a request is an object with the member \"command\"")
        }
        let done = Self.done([])
        switch command {
        case "status": return .reply(status())
        case "events":
            let past = events.suffix(Self.maximumRemembered)
            return .follow(
                JSONValue.object([("ok", .flag(true)), ("past", .number(past.count))]).line, past: Array(past))
        case "begin":
            begin()
            return .reply(done)
        case "scene":
            guard let scene = request["scene"] else { throw Refusal("\"scene\" is missing") }
            let waits = request["waits"]?.text == "true"
            let read = try read { () throws(FileMistakes) in try SceneReader.scene(scene) }
            try play(read, waits: waits)
            return .reply(Self.done(warnings(of: read)))
        case "reset":
            try reset()
            return .reply(done)
        case "record":
            try record(request)
            return .reply(done)
        default:
            guard CommandReader.names.contains(command) else {
                let known = CommandReader.names + Self.requests
                throw Refusal(
                    "unknown command \"\(FileNode.shortened(command))\"\(Suggestion.text(for: command, among: known)); "
                        + "valid: \(known.joined(separator: ", "))")
            }
            let read = try read { () throws(FileMistakes) in
                try SceneReader.command(command, request, more: ["command"])
            }
            try run(read)
            return .reply(Self.done(warning(of: read).map { [$0] } ?? []))
        }
    }

    private static func done(_ warnings: [String]) -> String {
        let members: [(String, JSONValue)] =
            warnings.isEmpty ? [] : [("warning", .text(warnings.joined(separator: "; ")))]
        return JSONValue.object([("ok", .flag(true))] + members).line
    }

    /// Begins or ends to write what is in the air to a file. One that is being written goes on.
    private func record(_ request: DataNode) throws(Refusal) {
        guard let path = request["file"]?.text, path.hasPrefix("/") else {
            throw Refusal("\"file\" requires an absolute path")
        }
        let isWritten = recording.outputs.contains { $0.path == path }
        if request["ends"]?.text == "true" {
            guard isWritten else { throw Refusal("no recording to \(path)") }
            recording.remove(path)
        } else if !isWritten {
            guard let openOutput else { throw Refusal("this radio does not write files") }
            guard recording.outputs.count < Self.maximumRecordings else {
                throw Refusal("too many recordings (limit \(Self.maximumRecordings))")
            }
            recording.add(try openOutput(path))
            recording.flush()
        }
    }

    private static let maximumRecordings = 8

    /// Writes what recordings do not have yet.
    package func flushRecordings() {
        recording.flush()
    }

    private func read<Value>(_ body: () throws(FileMistakes) -> Value) throws(Refusal) -> Value {
        do throws(FileMistakes) {
            return try body()
        } catch {
            throw Refusal(error.description)
        }
    }

    // MARK: Status

    /// How many single phantoms are listed.
    private static let maximumListed = 50

    private func status() -> String {
        let strengths = radio.connections.map { link -> JSONValue in
            .object([
                ("central", .text(name(link.central))), ("peripheral", .text(name(link.peripheral))),
                ("rssi_dbm", .decimal(radio.strength(link.central, link.peripheral))),
            ])
        }
        var members: [(String, JSONValue)] = [
            ("ok", .flag(true)), ("air", .text(radio.airModel.rawValue)),
            ("time_ms", .number(radio.now / Span.millisecond)),
        ]
        if let began { members.append(("scene_ms", .number((radio.now - began) / Span.millisecond))) }
        let phantoms = Set(groups.values.joined())
        members += [
            ("devices", .list(radio.indexes.filter { !phantoms.contains($0) }.map(device))),
            ("links", .list(strengths)),
            ("phantoms", .number(phantoms.count)),
            ("phantom_groups", .list(groups.keys.sorted().prefix(Self.maximumListed).map { group($0) })),
            ("jammers", .list(radio.jammers.map { .text($0) })),
            ("walls", .number(radio.walls.count)),
            ("wall_lines", .list(radio.walls.map(AirRecording.wall))),
        ]
        return JSONValue.object(members).line
    }

    private func device(_ index: Int) -> JSONValue {
        var members: [(String, JSONValue)] = [("name", .text(name(index)))]
        members += [
            ("address", .text(radio.address(of: index)?.description ?? "")),
            ("at_m", .list(radio.position(of: index).map(Self.parts) ?? [])),
            ("body_db", .decimal(radio.attenuation(of: index))),
            ("advertises", .flag(radio.isAdvertising(index))),
            ("advertises_as", .list(radio.advertisedAddresses(of: index).map { .text($0.description) })),
            ("scans", .flag(radio.isScanning(index))),
        ]
        return .object(members)
    }

    private func group(_ name: String) -> JSONValue {
        let indexes = groups[name] ?? []
        var members: [(String, JSONValue)] = [("name", .text(name)), ("count", .number(indexes.count))]
        if indexes.count == 1, let index = indexes.first, let position = radio.position(of: index) {
            members.append(("address", .text(radio.address(of: index)?.description ?? "")))
            members.append(("at_m", .list(Self.parts(position))))
        }
        return .object(members)
    }
}
