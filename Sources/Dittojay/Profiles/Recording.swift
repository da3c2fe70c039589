import GATTProfiles

/// Values that a device has sent, each with its time. They are sent again while a central is subscribed.
///
/// All characteristics have one time line. It begins when a central has subscribed to everything that notifies or
/// indicates, or ``startDelay`` after the last subscription if it does not. A value whose characteristic nobody is
/// subscribed to when its time comes is left out. When nobody is subscribed to any of the characteristics any longer,
/// the recording ends; with the next subscription it begins again.
///
/// A subscription to Battery Level begins its own values only, unless nothing else is in the recording: hosts such as
/// bluetoothd make it by themselves. The recording begins with the first other subscription.
public struct Recording: Hashable, Swift.Sendable {
    /// A value that was sent.
    public struct Value: Hashable, Swift.Sendable {
        /// Seconds since the recording began, within ``possibleTimes``.
        public var time: Double
        /// The characteristic that has sent it.
        public var characteristic: CharacteristicPath
        public var bytes: [UInt8]

        public init(time: Double, characteristic: CharacteristicPath, bytes: [UInt8]) {
            self.time = time
            self.characteristic = characteristic
            self.bytes = bytes
        }
    }

    /// The values in the order in which they were sent; no time is before the one in front of it.
    public var values: [Value]
    /// How many times as fast as it was recorded it is sent, within ``possiblePaces``.
    public var pace: Double
    /// Whether it begins again when it has ended. The first value comes as long after the last one as it came after
    /// the beginning; a round takes ``shortestRound`` at least.
    public var repeats: Bool

    public static let possibleTimes = 0...RecordingLimits.longest
    /// From a thousandth to a thousand times.
    public static let possiblePaces = 0.001...1000
    public static let possibleCounts = 1...RecordingLimits.maximumValues

    /// In seconds.
    public static let startDelay = RecordingLimits.startDelay
    /// In seconds.
    public static let shortestRound = 0.01

    public init(values: [Value], pace: Double = 1, repeats: Bool = false) {
        self.values = values
        self.pace = min(max(pace, Self.possiblePaces.lowerBound), Self.possiblePaces.upperBound)
        self.repeats = repeats
    }

    /// How long it takes at its pace, in seconds.
    public var duration: Double { (values.last?.time ?? 0) / pace }
}
