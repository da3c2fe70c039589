/// A point in a radio's time: nanoseconds since the radio began.
public typealias Instant = Int

/// Lengths of time in nanoseconds.
public enum Span {
    public static let microsecond = 1_000
    public static let millisecond = 1_000_000
    public static let second = 1_000_000_000
    /// The unit of advertising and scan intervals.
    static let slot = 625 * microsecond
    /// The unit of connection intervals.
    static let intervalUnit = 1_250 * microsecond
    /// The unit of supervision timeouts and of the duration of scans and advertisements.
    static let timeoutUnit = 10 * millisecond
}
