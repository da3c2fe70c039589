import GATTProfiles
package import PlainText

/// In what a device differs from a capture.
package struct ReplayDifference: Hashable, Sendable {
    /// Where the capture has it.
    package let packet: Int
    /// What was done, or what the device did: `read`, `write`, `subscribe`, `unsubscribe`, `value`, `link`.
    package let action: String
    /// Nil for the link.
    package let attribute: String?
    package let found: String
    package let captured: String

    package init(_ step: ReplayPlan.Step, found: String) {
        packet = step.packet
        action =
            switch step.request {
            case .read: "read"
            case .write: "write"
            case .subscribe: "subscribe"
            case .unsubscribe: "unsubscribe"
            }
        attribute = step.attribute.title
        self.found = found
        captured = Self.text(step.outcome, of: step.request)
    }

    /// - Parameter attribute: what has sent a value, or should have.
    init(of attribute: ReplayedAttribute, packet: Int, found: String, captured: String) {
        self.packet = packet
        action = "value"
        self.attribute = attribute.title
        self.found = found
        self.captured = captured
    }

    /// - Parameter packet: the end of the link, or what the capture still has on it.
    package init(linkAt packet: Int, found: String, captured: String) {
        self.packet = packet
        action = "link"
        attribute = nil
        self.found = found
        self.captured = captured
    }

    /// `packet 31: read 180D/2A38: 02; in the capture: 01`
    package var text: String {
        "packet \(packet): \([action, attribute].compactMap(\.self).joined(separator: " ")): \(found); in the capture: "
            + captured
    }

    package func add(to object: inout JSONObject) {
        object.add("packet", packet)
        object.add("action", action)
        object.add("characteristic", attribute)
        object.add("found", found)
        object.add("captured", captured)
    }

    static func text(_ value: [UInt8]) -> String { value.isEmpty ? "an empty value" : ValueText.hex(value) }

    static func text(_ outcome: SessionEvent.Outcome, of request: ReplayPlan.Request) -> String {
        switch outcome {
        case .success(let value): request == .read ? text(value) : "success"
        case .error(let code): "ATT error 0x" + (code < 16 ? "0" : "") + String(code, radix: 16, uppercase: true)
        case .unanswered: "no answer"
        case .truncated: "a value that is cut off"
        }
    }
}

/// Compares what a device answers and sends with what it did in a capture.
package struct ReplayComparison {
    /// What varies as it does in the capture.
    package struct Varied: Sendable {
        package internal(set) var count = 0
        package internal(set) var varied = 0
    }

    package private(set) var varied: [ReplayedAttribute: Varied] = [:]
    /// What was sent and is not compared yet.
    private var sent: [ReplayedAttribute: [[UInt8]]] = [:]
    /// The last write.
    private var lastWrite: ReplayPlan.Step?
    /// What sends nothing but answers to writes.
    private let answering: Set<ReplayedAttribute>

    package init(_ plan: ReplayPlan) {
        let sent = plan.links.flatMap(\.steps).flatMap(\.sent)
        answering = Set(sent.filter(\.isAnswer).map(\.attribute))
    }

    // MARK: Answers

    /// - Parameter found: the answer to a request.
    package mutating func compare(
        _ step: ReplayPlan.Step, with found: SessionEvent.Outcome
    ) -> ReplayDifference? {
        let isSame =
            switch (step.outcome, found) {
            // Perhaps it was only not captured.
            case (.unanswered, _): true
            case (.truncated, .success): true
            case (.success, .success(let value)): step.value.map { matches($0, value, of: step.attribute) } ?? true
            case (.error(let captured), .error(let code)): captured == code
            default: false
            }
        return isSame
            ? nil : ReplayDifference(step, found: ReplayDifference.text(found, of: step.request))
    }

    private mutating func matches(
        _ captured: CapturedValue, _ value: [UInt8], of attribute: ReplayedAttribute
    ) -> Bool {
        let match = captured.match(value)
        if match != .different { count(captured, match, of: attribute) }
        return match != .different
    }

    private mutating func count(
        _ captured: CapturedValue, _ match: CapturedValue.Match, of attribute: ReplayedAttribute
    ) {
        guard captured.variation != nil else { return }
        varied[attribute, default: Varied()].count += 1
        if match == .varied { varied[attribute, default: Varied()].varied += 1 }
    }

    // MARK: What the device sends

    package mutating func receive(_ value: [UInt8], from attribute: ReplayedAttribute) {
        sent[attribute, default: []].append(value)
    }

    /// Whether as many values came as the capture has after a request.
    ///
    /// - Parameter onlyAnswers: whether only the answers to writes count.
    package func isComplete(_ step: ReplayPlan.Step, onlyAnswers: Bool) -> Bool {
        let awaited = step.sent.filter { !$0.isEarly && ($0.isAnswer || !onlyAnswers) }
        let counts = Dictionary(awaited.map { ($0.attribute, 1) }, uniquingKeysWith: +)
        return counts.allSatisfy { sent[$0.key]?.count ?? 0 >= $0.value }
    }

    package mutating func beginLink() {
        sent = [:]
        lastWrite = nil
    }

    /// A request is made.
    package mutating func began(_ step: ReplayPlan.Step) {
        if step.endsAnswers { lastWrite = step }
    }

    /// Compares what came after a request.
    ///
    /// - Parameters:
    ///   - onlyAnswers: whether the device has no time for what it sends by itself.
    ///   - isLinkOver: whether the link has ended.
    package mutating func compareSent(
        _ step: ReplayPlan.Step, onlyAnswers: Bool, isLinkOver: Bool = false
    ) -> [ReplayDifference] {
        let absence =
            (isLinkOver ? "nothing before the link ended" : "nothing within \(Duration.text(seconds: step.limit))")
            + " after packet \(step.packet)"
        var differences: [ReplayDifference] = []
        for (attribute, expected) in Dictionary(grouping: step.sent, by: \.attribute) {
            for (value, other) in take(expected, of: attribute) where mustCome(value, onlyAnswers) {
                differences.append(
                    ReplayDifference(
                        of: attribute, packet: value.packet, found: other.map { ReplayDifference.text($0) } ?? absence,
                        captured: value.value.map { ReplayDifference.text($0.bytes) } ?? "a value that is cut off"))
            }
        }
        return differences.sorted { $0.packet < $1.packet }
    }

    private func mustCome(_ value: ReplayPlan.SentValue, _ onlyAnswers: Bool) -> Bool {
        // Answers that differ in number in the capture cannot be compared one by one.
        value.isAnswer ? lastWrite?.isIrregular != true : !onlyAnswers
    }

    /// Takes each value from those that came, in their order.
    ///
    /// - Returns: the values that did not come, each with what came instead.
    private mutating func take(
        _ expected: [ReplayPlan.SentValue], of attribute: ReplayedAttribute
    ) -> [(ReplayPlan.SentValue, [UInt8]?)] {
        let came = sent[attribute] ?? []
        var missing: [ReplayPlan.SentValue] = []
        var others: [[UInt8]] = []
        var next = 0
        for value in expected where !value.isEarly {
            guard let place = came[next...].firstIndex(where: value.isLike) else {
                missing.append(value)
                continue
            }
            if let captured = value.value { count(captured, captured.match(came[place]), of: attribute) }
            others += came[next..<place]
            next = place + 1
        }
        // What came besides may be for what follows.
        others += came[next...]
        for value in expected where value.isEarly {
            if let place = others.firstIndex(where: value.isLike) { others.remove(at: place) }
        }
        sent[attribute] = Array(others.dropFirst(missing.count))
        return missing.enumerated().map { ($1, $0 < others.count ? others[$0] : nil) }
    }

    /// Before the next write, and at the end of a link: finds answers that the capture does not have. Of what the
    /// device sends by itself there may be more.
    package mutating func settle() -> [ReplayDifference] {
        defer { beginLink() }
        guard let lastWrite, !lastWrite.isIrregular else { return [] }
        return sent.filter { answering.contains($0.key) }
            .flatMap { attribute, values in
                values.map {
                    ReplayDifference(
                        of: attribute, packet: lastWrite.packet, found: ReplayDifference.text($0), captured: "nothing")
                }
            }
            .sorted { ($0.attribute ?? "", $0.found) < ($1.attribute ?? "", $1.found) }
    }
}

extension ReplayPlan.SentValue {
    /// Whether a value may be this one.
    fileprivate func isLike(_ bytes: [UInt8]) -> Bool { value.map { $0.match(bytes) != .different } ?? true }
}
