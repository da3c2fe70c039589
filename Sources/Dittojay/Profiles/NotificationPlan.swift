/// What a characteristic sends by itself, and how often, while a central is subscribed.
public struct NotificationPlan: Hashable, Swift.Sendable {
    /// The time between two values in seconds, within ``possibleIntervals``.
    public var interval: Double
    public var source: Source

    /// Where the values come from.
    public enum Source: Hashable, Swift.Sendable {
        /// The same one each time.
        case constant([UInt8])
        /// Numbers that count up or down, and wrap around at the end of their format's range.
        case counter(Counter)
        /// These in turn, once or repeatedly.
        case list([[UInt8]], repeats: Bool)
        /// Numbers that wander at random, as the seed has it.
        case randomWalk(RandomWalk)
        /// Heart Rate Measurements of a simulated heart.
        case heartRate(HeartRateSettings)
        /// What the simulation of the standard service measures, see ``ServiceProfile/standard``.
        case simulated
    }

    /// Numbers that count.
    public struct Counter: Hashable, Swift.Sendable {
        /// How each number is sent.
        public var number: IntegerFormat
        public var first: Int64
        public var step: Int64
        /// The bytes in front of each number.
        public var prefix: [UInt8]

        public init(number: IntegerFormat, first: Int64 = 0, step: Int64 = 1, prefix: [UInt8] = []) {
            self.number = number
            self.first = first
            self.step = step
            self.prefix = prefix
        }
    }

    /// Numbers that wander.
    public struct RandomWalk: Hashable, Swift.Sendable {
        /// How each number is sent.
        public var number: IntegerFormat
        /// It begins in the middle.
        public var range: ClosedRange<Int64>
        /// The largest change from one number to the next.
        public var step: Int64
        /// The bytes in front of each number.
        public var prefix: [UInt8]
        /// Gives the same walk whatever the run's seed is. Nil: follows the run's seed.
        public var seed: UInt64?

        public init(
            number: IntegerFormat, range: ClosedRange<Int64>, step: Int64 = 1, prefix: [UInt8] = [], seed: UInt64? = nil
        ) {
            self.number = number
            self.range = range
            self.step = step
            self.prefix = prefix
            self.seed = seed
        }
    }

    /// The limits of ``interval`` in seconds.
    public static let possibleIntervals = HeartRateSettings.possibleIntervals

    public init(interval: Double, source: Source) {
        self.interval = min(max(interval, Self.possibleIntervals.lowerBound), Self.possibleIntervals.upperBound)
        self.source = source
    }

    /// A simulated heart, measured as often as its settings say.
    public static func heartRate(_ settings: HeartRateSettings = HeartRateSettings()) -> NotificationPlan {
        NotificationPlan(interval: settings.interval, source: .heartRate(settings))
    }
}
