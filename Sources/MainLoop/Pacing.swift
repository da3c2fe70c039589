/// When the main loop pauses between reads: see ``MainLoop/coalesceReads(_:)``.
struct Pacing {
    /// A value that follows the last one this quickly belongs to the same burst.
    private static let burstInterval: Duration = .milliseconds(5)
    /// A turn that has read this many values needs no pause.
    private static let largeBatch = 64
    /// Milliseconds of the first pause in a burst. Each may be twice the one before, as the burst's rate becomes known.
    private static let firstPause: Int32 = 2
    private static let longestPause: Int32 = 8

    /// When the last value came outside a burst, or the loop last read in a burst.
    private var lastRead: ContinuousClock.Instant
    private var count = 0
    private var previousPause: Int32 = 0
    /// Whether values come in quick succession.
    private(set) var isInBurst = false

    init(at now: ContinuousClock.Instant = .now) {
        lastRead = now
    }

    /// Notes that values have come.
    mutating func arrived(_ more: Int, at now: @autoclosure () -> ContinuousClock.Instant) {
        count += more
        guard !isInBurst else { return }
        let now = now()
        let followsQuickly = now - lastRead < Self.burstInterval
        if !followsQuickly { previousPause = 0 }
        isInBurst = more > 1 || followsQuickly
        if !isInBurst { count = more }
        lastRead = now
    }

    /// Notes the end of a turn of the loop in a burst: nothing is left to do.
    ///
    /// - Returns: for how many milliseconds to pause.
    mutating func endTurn(at now: ContinuousClock.Instant) -> Int32 {
        let longest = min(Self.longestPause, max(Self.firstPause, 2 * previousPause))
        let isLarge = count >= Self.largeBatch
        lastRead = now
        count = 0
        isInBurst = false
        return isLarge ? 0 : longest
    }

    /// Notes the end of a pause.
    mutating func hasPaused(_ pause: Int32, until now: ContinuousClock.Instant) {
        previousPause = pause
        lastRead = now
    }
}
