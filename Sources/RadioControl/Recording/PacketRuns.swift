import VirtualRadio

/// Joins packets to runs: those from one device to another, of one kind, that fared alike within a short time. So each
/// loss between others is seen, and a flood of packets takes little room.
struct PacketRuns {
    /// One device to another, and a kind.
    struct Way: Hashable {
        /// ``PacketRuns/crowd`` for phantoms, which can be hundreds.
        let from: Int
        let to: Int
        let kind: PacketReport.Kind
        /// Whether the packets only keep a connection alive.
        let isEmpty: Bool
    }

    struct Run {
        let way: Way
        let begin: Instant
        var end: Instant
        let fate: PacketReport.Fate
        var count = 1
        var bytes: Int
        /// The sum of the strengths, in dBm.
        var strength: Int
    }

    static let crowd = -1
    private static let longest = 100 * Span.millisecond
    private static let longestOfAdvertising = Span.second

    private var runs: [Way: Run] = [:]

    /// Adds a packet, and returns the run that has ended by it.
    mutating func add(_ packet: PacketReport, isFromCrowd: Bool, at now: Instant) -> Run? {
        let way = Way(
            from: isFromCrowd ? Self.crowd : packet.from, to: packet.to, kind: packet.kind,
            isEmpty: packet.kind == .data && packet.bytes == 0)
        let strength = Self.strength(packet.fate)
        let limit = packet.kind == .advertising ? Self.longestOfAdvertising : Self.longest
        if let run = runs[way], Self.isAlike(run.fate, packet.fate), now - run.begin < limit {
            runs[way]?.end = now
            runs[way]?.count += 1
            runs[way]?.bytes += packet.bytes
            runs[way]?.strength += strength
            return nil
        }
        let run = Run(
            way: way, begin: now, end: now, fate: packet.fate, bytes: packet.bytes, strength: strength)
        return runs.updateValue(run, forKey: way)
    }

    /// Ends all runs, and returns them in the order of their begin.
    mutating func end() -> [Run] {
        defer { runs.removeAll(keepingCapacity: true) }
        return runs.values.sorted { ($0.begin, $0.way.from, $0.way.to) < ($1.begin, $1.way.from, $1.way.to) }
    }

    private static func strength(_ fate: PacketReport.Fate) -> Int {
        guard case .received(let strength) = fate else { return 0 }
        return Int(strength)
    }

    /// Strengths aside.
    private static func isAlike(_ first: PacketReport.Fate, _ second: PacketReport.Fate) -> Bool {
        switch (first, second) {
        case (.received, .received), (.lost, .lost), (.jammed, .jammed), (.blocked, .blocked): true
        default: false
        }
    }
}
