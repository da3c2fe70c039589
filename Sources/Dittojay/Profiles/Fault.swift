import PlainText

/// Something that goes wrong with a characteristic, on purpose.
public struct Fault: Hashable, Swift.Sendable {
    /// The occasion of a fault.
    public enum Trigger: String, CaseIterable, Hashable, Swift.Sendable {
        /// A read. The parts of a long read count as one.
        case read
        /// A write.
        case write
        /// The first central subscribes.
        case subscribe
        /// A value is about to be sent. The count starts again with each subscription.
        case notify
    }

    /// What happens.
    public enum Action: Hashable, Swift.Sendable {
        /// The request is never answered. bluetoothd (5.66) gives up after 5 seconds and answers with 0x0E.
        case noAnswer
        /// The request is refused with this ATT error.
        case error(UInt8)
        /// The central's connection is ended: instead of the answer to a request, or, on `notify`, instead of the
        /// value.
        case disconnect
        /// The request is answered after this many seconds; or, on `notify`, the value is sent so much later, and
        /// others may overtake it.
        case delay(Double)
        /// This many values are sent at once when a central subscribes: `value`, or numbered ones of four bytes if nil.
        case flood(count: Int, value: [UInt8]?)
        /// The value is not sent.
        case drop
        /// The value is sent twice.
        case duplicate
        /// The value that is read or sent is cut off after this many bytes, or filled up to them with zeros.
        case resize(Int)
    }

    public var trigger: Trigger
    public var action: Action
    /// How many occasions pass first.
    public var skip: Int
    /// It happens on each one of so many further occasions: the third, the sixth, … if 3.
    public var nth: Int
    /// How often it happens; each time if nil.
    public var times: Int?
    /// With which probability it happens on each further occasion, in percent. Which ones these are follows from the
    /// run's seed.
    public var chance: Double

    /// The limits of ``Action/delay(_:)`` in seconds.
    public static let possibleDelays = 0.0...3600.0
    /// The limits of ``skip``, ``nth`` and ``times``; the last two are at least 1.
    public static let possibleCounts = FaultEntry.possibleCounts
    /// The limits of ``chance`` in percent. It is above the lower one.
    public static let possibleChances = FaultEntry.possibleChances
    /// The limits of ``Action/resize(_:)`` in bytes.
    public static let possibleSizes = 0...512
    /// How many faults a peripheral may have in all, not counting those that are used up.
    public static let maximumCount = 1000
    /// How many values a flood may have.
    public static let possibleFloods = 1...100_000

    public init(
        on trigger: Trigger, _ action: Action, skip: Int = 0, nth: Int = 1, times: Int? = nil, chance: Double = 100
    ) {
        self.trigger = trigger
        self.action = action
        self.skip = skip
        self.nth = max(nth, 1)
        self.times = times
        self.chance = chance
    }

    /// The code of an ATT error that is written as a name, or as a number in decimal or, after `0x`, in hexadecimal;
    /// nil for anything else.
    package static func attError(_ text: String) -> UInt8? {
        ATTErrorNames.code(text)
    }

    /// Whether the action is possible on the occasion.
    package var isPossible: Bool {
        switch (trigger, action) {
        case (.read, .noAnswer), (.read, .error), (.read, .delay), (.write, .noAnswer), (.write, .error),
            (.write, .delay), (_, .disconnect), (.subscribe, .flood), (.notify, .drop), (.notify, .duplicate),
            (.notify, .delay),
            (.notify, .resize), (.read, .resize):
            true
        default: false
        }
    }
}

extension Fault: CustomStringConvertible {
    /// For people: `on read: ATT error 0x80, 2 times after 1, on one of 3`.
    public var description: String {
        var text = "on \(trigger.rawValue): \(action)"
        if let times { text += ", " + counted(times, "time") }
        if skip > 0 { text += " after \(skip)" }
        if nth > 1 { text += ", on one of \(nth)" }
        if chance < 100 { text += ", with a chance of \(decimal(chance)) %" }
        return text
    }
}

extension Fault.Action: CustomStringConvertible {
    /// The kinds of all actions.
    static let kinds = FaultAction.allCases.filter { $0 != .packet }
    /// The names of all actions.
    package static let names = FaultAction.names(of: kinds)

    /// The name in commands and files.
    package var name: String {
        let kind: FaultAction =
            switch self {
            case .noAnswer: .noAnswer
            case .error: .error
            case .disconnect: .disconnect
            case .delay: .delay
            case .flood: .flood
            case .drop: .drop
            case .duplicate: .duplicate
            case .resize: .resize
            }
        return kind.rawValue
    }

    /// For people.
    public var description: String {
        switch self {
        case .noAnswer: "no answer"
        case .error(let code): "ATT error \(ATTErrorNames.text(code))"
        case .disconnect: "disconnect"
        case .delay(let seconds): "a delay of \(Duration.text(seconds: seconds))"
        case .flood(let count, _): "a flood of \(counted(count, "value"))"
        case .drop: "the value is lost"
        case .duplicate: "the value is sent twice"
        case .resize(let size): "a value of \(counted(size, "byte"))"
        }
    }
}

extension ATTErrorNames {
    /// Whether bluetoothd (5.66) passes the error on to the central, rather than making 0x0E of it.
    static func isPassedOn(_ code: UInt8, on trigger: Fault.Trigger) -> Bool {
        switch code {
        case 0x02: trigger == .read
        case 0x03: trigger == .write
        case 0x06, 0x07, 0x08, 0x0D, 0x0E, 0xFE, 0x80...0x9F: true
        default: false
        }
    }
}
