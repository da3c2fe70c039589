/// What a simulated heart and its sensor are like.
public struct HeartRateSettings: Hashable, Swift.Sendable {
    /// Which forms of the rate are sent.
    public enum RateForms: String, CaseIterable, Swift.Sendable {
        /// Eight bits, and every sixteenth time sixteen, so that receivers meet both.
        case mixed
        /// Eight bits where the rate allows it.
        case uint8
        /// Always sixteen bits.
        case uint16
    }

    /// What the sensor does about skin contact.
    public enum ContactDetection: String, CaseIterable, Swift.Sendable {
        /// Reports contact, which is lost for some seconds now and then.
        case varying
        /// Reports contact, always good.
        case steady
        /// Does not report it.
        case unsupported
    }

    /// The limits of the rate, in bpm.
    public var rateRange: ClosedRange<Int>
    /// The time between two measurements in seconds.
    public var interval: Double
    public var rateForms: RateForms
    public var contactDetection: ContactDetection

    /// What ``rateRange`` must lie within.
    public static let possibleRates = 20...400
    /// What ``interval`` must lie within, in seconds.
    public static let possibleIntervals = 0.001...3600.0
    /// Energy is reported every so many measurements. Specification: Heart Rate Service 1.0, 3.1.1.3, gives ten as the
    /// example.
    static let energyPeriod = 10
    static let wideRatePeriod = 16

    public init(
        rateRange: ClosedRange<Int> = 60...119, interval: Double = 1, rateForms: RateForms = .mixed,
        contactDetection: ContactDetection = .varying
    ) {
        self.rateRange = rateRange.clamped(to: Self.possibleRates)
        self.interval = min(max(interval, Self.possibleIntervals.lowerBound), Self.possibleIntervals.upperBound)
        self.rateForms = rateForms
        self.contactDetection = contactDetection
    }
}
