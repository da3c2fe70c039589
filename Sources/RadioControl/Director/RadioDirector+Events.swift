import PlainText
import VirtualRadio

/// What is reported to those who follow.
extension RadioDirector {
    func emit(_ event: String, _ members: [(String, JSONValue)]) {
        recording.take(event, members)
        let head: [(String, JSONValue)] = [("event", .text(event)), ("time_ms", .number(radio.now / Span.millisecond))]
        let event = JSONValue.object(head + members).line
        if events.count >= 2 * Self.maximumRemembered { events.removeFirst(Self.maximumRemembered) }
        events.append(event)
        onEvent?(event)
    }

    /// How many past events are given to those who ask for them.
    static let maximumRemembered = 500

    func report(_ event: RadioEvent) {
        switch event {
        case .linkBegan(let central, let peripheral): emit("link-begin", ends(central, peripheral))
        case .linkEnded(let device, let peer, let reason):
            emit(
                "link-end",
                [
                    ("device", .text(name(device))), ("peer", .text(name(peer))), ("reason", .number(Int(reason))),
                    ("text", .text(Self.reasons[reason] ?? "another reason")),
                ])
        case .outOfRange(let central, let peripheral): emit("out-of-range", ends(central, peripheral))
        case .inRange(let central, let peripheral): emit("in-range", ends(central, peripheral))
        }
    }

    private func ends(_ central: Int, _ peripheral: Int) -> [(String, JSONValue)] {
        [("central", .text(name(central))), ("peripheral", .text(name(peripheral)))]
    }

    /// (Core Specification, Vol 1 Part F)
    private static let reasons: [UInt8: String] = [
        0x05: "authentication failure", 0x08: "supervision timeout", 0x13: "the other side ended it",
        0x14: "the other side has no resources left", 0x15: "the other side is switched off",
        0x16: "this side ended it", 0x22: "no answer from the other side", 0x3B: "unacceptable parameters",
        0x3D: "keys that do not match", 0x3E: "it was never established",
    ]
}
