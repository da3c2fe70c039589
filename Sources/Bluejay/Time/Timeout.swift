/// How long to wait for something.
public enum Timeout: Swift.Sendable {
    /// This many seconds; fractions count.
    case seconds(TimeInterval)
    /// Forever.
    case none

    /// The number of seconds; nil means forever.
    var interval: TimeInterval? {
        if case .seconds(let seconds) = self { seconds } else { nil }
    }
}
