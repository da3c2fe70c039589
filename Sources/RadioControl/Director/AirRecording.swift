import PlainText
import VirtualRadio

/// Writes down an air as lines of JSON: device positions, events, and what becomes of packets. `docs/radio.md` lists
/// the lines.
final class AirRecording {
    private unowned let director: RadioDirector
    /// When the radio's time began, in microseconds since 1970.
    private let began: Int
    private(set) var outputs: [any RecordingOutput] = []
    private var runs = PacketRuns()
    /// How strongly the ends of links hear each other, in whole dBm, as it was written last.
    private var strengths: [Pair: Int] = [:]

    private struct Pair: Hashable {
        let central: Int
        let peripheral: Int
    }

    init(_ director: RadioDirector, began: Int) {
        self.director = director
        self.began = began
    }

    private var radio: Radio { director.radio }

    /// Also writes to another file, which begins with the device positions.
    func add(_ output: any RecordingOutput) {
        let isFirst = outputs.isEmpty
        outputs.append(output)
        output.write(snapshot())
        guard isFirst else { return }
        strengths = [:]
        radio.observePackets { [weak self] in self?.take($0) }
        radio.observePlaces { [weak self] in self?.writeStrengths() }
    }

    func remove(_ path: String) {
        flush()
        outputs.removeAll { $0.path == path }
        guard outputs.isEmpty else { return }
        radio.observePackets(nil)
        radio.observePlaces(nil)
    }

    /// Lets others see all that has happened.
    func flush() {
        for run in runs.end() { write(run) }
        for output in outputs { output.flush() }
    }

    /// Takes an event, with its members.
    func take(_ event: String, _ members: [(String, JSONValue)]) {
        guard !outputs.isEmpty else { return }
        for run in runs.end() { write(run) }
        write(event, at: radio.now, members)
        // What events do not say of devices that were added and removed.
        if ["scene", "phantom", "remove", "jam", "unjam"].contains(event) { write(line: snapshot()) }
        if event == "link-begin" { writeStrengths() }
    }

    private func take(_ packet: PacketReport) {
        let isFromCrowd = packet.kind == .advertising && director.phantoms.contains(packet.from)
        if let run = runs.add(packet, isFromCrowd: isFromCrowd, at: radio.now) { write(run) }
    }

    /// Of links, where they have changed.
    private func writeStrengths() {
        var known: [Pair: Int] = [:]
        for link in radio.connections {
            let pair = Pair(central: link.central, peripheral: link.peripheral)
            let strength = radio.strength(link.central, link.peripheral).rounded()
            known[pair] = Int(max(-200, min(100, strength)))
            guard known[pair] != strengths[pair] else { continue }
            write(
                "strength", at: radio.now,
                [
                    ("central", .text(director.name(link.central))),
                    ("peripheral", .text(director.name(link.peripheral))), ("rssi_dbm", .number(known[pair] ?? 0)),
                ])
        }
        strengths = known
    }

    private func write(_ run: PacketRuns.Run) {
        let from = run.way.from == PacketRuns.crowd ? "phantoms" : director.name(run.way.from)
        var members: [(String, JSONValue)] = [
            ("from", .text(from)), ("to", .text(director.name(run.way.to))), ("kind", .text(run.way.kind.rawValue)),
            ("count", .number(run.count)), ("bytes", .number(run.bytes)),
            ("over_us", .number((run.end - run.begin) / Span.microsecond)),
        ]
        switch run.fate {
        case .received:
            members.append(("fate", .text("received")))
            members.append(("rssi_dbm", .decimal(Double(run.strength) / Double(run.count))))
        case .lost: members.append(("fate", .text("lost")))
        case .jammed: members.append(("fate", .text("jammed")))
        case .blocked: members.append(("fate", .text("blocked")))
        }
        write("packets", at: run.begin, members)
    }

    private func write(_ event: String, at time: Instant, _ members: [(String, JSONValue)]) {
        let head: [(String, JSONValue)] = [("event", .text(event)), ("time_us", .number(time / Span.microsecond))]
        write(line: JSONValue.object(head + members).line)
    }

    private func write(line: String) {
        for output in outputs { output.write(line) }
    }

    // MARK: Positions

    private func snapshot() -> String {
        let phantoms = director.phantoms
        let indexes = radio.indexes
        return JSONValue.object([
            ("event", .text("air")), ("time_us", .number(radio.now / Span.microsecond)),
            ("began_us", .number(began)), ("air", .text(radio.airModel.rawValue)),
            ("devices", .list(indexes.filter { !phantoms.contains($0) }.map(device))),
            ("phantoms", .list(indexes.filter(phantoms.contains).map(device))),
            ("walls", .list(radio.walls.map(Self.wall))),
            ("jammers", .list(radio.jammers.compactMap(jammer))),
            ("links", .list(radio.connections.map(link))),
        ]).line
    }

    private func device(_ index: Int) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("name", .text(director.name(index))),
            ("address", .text(radio.address(of: index)?.description ?? "")),
            ("at", .list(radio.position(of: index).map(RadioDirector.parts) ?? [])),
        ]
        if let controller = director.controller(index) { members.append(("controller", .text(controller))) }
        if let destination = radio.destination(of: index) {
            members.append(("to", .list(RadioDirector.parts(destination.position))))
            members.append(("over_ms", .number(destination.left / Span.millisecond)))
        }
        return .object(members)
    }

    static func wall(_ wall: Wall) -> JSONValue {
        .object([
            ("from", .list(RadioDirector.parts(wall.from))), ("to", .list(RadioDirector.parts(wall.to))),
            ("loss_db", .decimal(wall.loss)),
        ])
    }

    private func jammer(_ name: String) -> JSONValue? {
        switch radio.jammer(name) {
        case .noise(let position, let power, let duty):
            .object([
                ("name", .text(name)), ("at", .list(RadioDirector.parts(position))), ("power_dbm", .decimal(power)),
                ("duty_percent", .decimal(duty * 100)),
            ])
        case .loss(let position, let radius, let part):
            .object([
                ("name", .text(name)), ("at", .list(RadioDirector.parts(position))), ("radius_m", .decimal(radius)),
                ("loss_percent", .decimal(part * 100)),
            ])
        case nil: nil
        }
    }

    private func link(_ link: (central: Int, peripheral: Int)) -> JSONValue {
        .object([
            ("central", .text(director.name(link.central))), ("peripheral", .text(director.name(link.peripheral))),
            ("rssi_dbm", .decimal(radio.strength(link.central, link.peripheral))),
        ])
    }
}
