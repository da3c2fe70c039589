/// When something happens that comes again at an interval and 0 to 10 ms, as advertising events do: times that follow
/// from a seed alone, so that those at which nobody listens need not be gone through.
struct Rhythm {
    let seed: UInt64
    /// At least 10 ms.
    let interval: Int

    private static let maximumDelay = 10 * Span.millisecond
    /// From one event to the next, on average.
    private var step: Int { max(interval, Self.maximumDelay) + Self.maximumDelay / 2 }

    func next(after time: Instant) -> Instant {
        var number = max(0, (time - step - Self.maximumDelay) / step)
        while self.time(number) <= time { number += 1 }
        return self.time(number)
    }

    private func time(_ number: Int) -> Instant {
        var source = RandomSource(seed: seed)
        let phase = source.below(step)
        source = RandomSource(seed: seed &+ UInt64(truncatingIfNeeded: number) &* 0xD134_2543_DE82_EF95)
        return phase + number * step + source.below(Self.maximumDelay)
    }
}
