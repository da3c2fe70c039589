/// When the main loop rests: see ``MainLoop/paceFlood(_:)``.
struct Pacing {
    /// What follows the last one this quickly is part of a flood.
    private static let floodInterval: Duration = .milliseconds(5)
    /// So many at once need no rest.
    private static let largeBatch = 64
    /// Milliseconds of the first rest in a flood. Each may be twice the one before, as the flood's rate becomes known.
    private static let firstRest: Int32 = 2
    private static let longestRest: Int32 = 8

    /// When one last came outside a flood, or the loop last looked up in a flood.
    private var lastSign: ContinuousClock.Instant
    private var count = 0
    private var previousRest: Int32 = 0
    private(set) var isFlooded = false

    init(at now: ContinuousClock.Instant = .now) {
        lastSign = now
    }

    mutating func arrived(_ more: Int, at now: @autoclosure () -> ContinuousClock.Instant) {
        count += more
        guard !isFlooded else { return }
        let now = now()
        let followsQuickly = now - lastSign < Self.floodInterval
        if !followsQuickly { previousRest = 0 }
        isFlooded = more > 1 || followsQuickly
        if !isFlooded { count = more }
        lastSign = now
    }

    /// A turn of the loop in a flood ends: nothing is left to do.
    ///
    /// - Returns: for how many milliseconds to rest.
    mutating func endTurn(at now: ContinuousClock.Instant) -> Int32 {
        let longest = min(Self.longestRest, max(Self.firstRest, 2 * previousRest))
        let isLarge = count >= Self.largeBatch
        lastSign = now
        count = 0
        isFlooded = false
        return isLarge ? 0 : longest
    }

    mutating func hasRested(_ rest: Int32, until now: ContinuousClock.Instant) {
        previousRest = rest
        lastSign = now
    }
}
