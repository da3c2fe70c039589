import PlainText

/// What centrals are to do while a scenario is played, or must not do: a step that makes the scenario a test.
///
/// What counts is what has happened since the expectation before was met, or since the scenario's beginning; of what
/// must not happen, what happens from its step on. A connection or a subscription that exists already counts, too.
public struct ScenarioExpectation: Hashable, Swift.Sendable {
    /// How several events follow each other.
    public enum Order: String, CaseIterable, Hashable, Swift.Sendable {
        /// As they are listed. Others may come between them.
        case given = "in-order"
        case any = "in-any-order"
    }

    /// What a central does.
    public struct Event: Hashable, Swift.Sendable {
        public var occasion: ScenarioStep.Occasion
        /// The characteristic that it happens to; any if nil.
        public var characteristic: CharacteristicPath?
        /// The value that is read or written; any if nil.
        public var value: WriteReaction.Match?
        /// The ATT error that the request is refused with; nil if it is not refused.
        public var attError: UInt8?
        /// How often it happens.
        public var times: Int

        /// The limits of ``times``.
        public static let possibleTimes = 1...1_000_000

        public init(
            _ occasion: ScenarioStep.Occasion, on characteristic: CharacteristicPath? = nil,
            value: WriteReaction.Match? = nil, attError: UInt8? = nil, times: Int = 1
        ) {
            self.occasion = occasion
            self.characteristic = characteristic
            self.value = value
            self.attError = attError
            self.times = min(max(times, Self.possibleTimes.lowerBound), Self.possibleTimes.upperBound)
        }
    }

    public var events: [Event]
    public var order: Order
    /// Whether none of the events may happen within the time.
    public var isForbidden: Bool
    /// The time in seconds, from when the step is reached.
    public var limit: Double
    /// Names it in reports; if nil, it is described.
    public var title: String?
    /// Where it is in its file, as `uart.yaml:12`.
    package var place: String?
    /// Which one of its scenario it is, from 0.
    var number = 0

    /// ``limit`` if nothing else is said, in seconds.
    public static let defaultLimit = 10.0
    /// How many events one expectation may have.
    package static let possibleEvents = 1...1000

    public init(
        _ events: [Event], order: Order = .given, isForbidden: Bool = false, within limit: Double = defaultLimit,
        title: String? = nil
    ) {
        self.events = events
        self.order = order
        self.isForbidden = isForbidden
        self.limit = limit
        self.title = title
    }
}

extension ScenarioExpectation: CustomStringConvertible {
    /// For people: `written to uart/rx, 50494e47 "PING", within 5 s`.
    public var description: String {
        var text = events.map(\.description).joined(
            separator: isForbidden ? " or " : order == .given ? ", then " : " and ")
        if isForbidden { text = "not " + text }
        if !isForbidden, events.count > 1, order == .any { text += ", in any order" }
        return text + ", within \(Duration.text(seconds: limit))"
    }
}

extension ScenarioExpectation.Event: CustomStringConvertible {
    /// For people.
    public var description: String {
        var text =
            switch occasion {
            case .connected: "a central connects"
            case .disconnected: "a central disconnects"
            case .subscribed: "a subscription"
            case .unsubscribed: "the end of a subscription"
            case .read: "a read"
            case .written: "a write"
            }
        if let characteristic { text += " of \(characteristic)" }
        if let value { text += ": \(value)" }
        if let attError { text += ", refused with \(ATTErrorNames.text(attError))" }
        if times > 1 { text += ", \(times) times" }
        return text
    }
}
