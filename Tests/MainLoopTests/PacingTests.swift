import Testing

@testable import MainLoop

@Suite struct PacingTests {
    private let start = ContinuousClock.now

    private func time(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test func `values far apart are no burst`() {
        var pacing = Pacing(at: start)
        for second in 1...5 {
            pacing.arrived(1, at: time(1000 * second))
            #expect(!pacing.isInBurst)
        }
    }

    @Test func `values in quick succession are a burst until one is late`() {
        var pacing = Pacing(at: start)
        pacing.arrived(1, at: time(100))
        pacing.arrived(1, at: time(104))
        #expect(pacing.isInBurst)
        let pause = pacing.endTurn(at: time(104))
        #expect(!pacing.isInBurst)
        pacing.hasPaused(pause, until: time(106))
        pacing.arrived(1, at: time(110))
        #expect(pacing.isInBurst)
        _ = pacing.endTurn(at: time(110))
        pacing.arrived(1, at: time(115))
        #expect(!pacing.isInBurst)
    }

    @Test func `pauses grow up to a limit`() {
        var pacing = Pacing(at: start)
        var now = 100
        var pauses: [Int32] = []
        for _ in 0..<5 {
            pacing.arrived(2, at: time(now))
            pauses.append(pacing.endTurn(at: time(now)))
            now += Int(pauses[pauses.count - 1])
            pacing.hasPaused(pauses[pauses.count - 1], until: time(now))
        }
        #expect(pauses == [2, 4, 8, 8, 8])
        // After a while without values they begin again.
        pacing.arrived(2, at: time(now + 100))
        #expect(pacing.endTurn(at: time(now + 100)) == 2)
    }

    @Test func `many values at once are followed by no pause`() {
        var pacing = Pacing(at: start)
        pacing.arrived(64, at: time(100))
        #expect(pacing.isInBurst)
        #expect(pacing.endTurn(at: time(100)) == 0)
    }
}
