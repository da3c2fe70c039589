/// How long to wait for something.
public enum Timeout: Swift.Sendable {
    /// That many seconds; fractions count.
    case seconds(TimeInterval)
    /// For ever.
    case none

    /// The number of seconds; nil is forever.
    var interval: TimeInterval? {
        if case .seconds(let seconds) = self { seconds } else { nil }
    }
}
