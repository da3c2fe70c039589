import Testing

@testable import MainLoop

@Suite struct PacingTests {
    private let start = ContinuousClock.now

    private func time(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test func whatComesAloneIsNoFlood() {
        var pacing = Pacing(at: start)
        for second in 1...5 {
            pacing.arrived(1, at: time(1000 * second))
            #expect(!pacing.isFlooded)
        }
    }

    @Test func whatComesInQuickSuccessionIsOneUntilItPauses() {
        var pacing = Pacing(at: start)
        pacing.arrived(1, at: time(100))
        pacing.arrived(1, at: time(104))
        #expect(pacing.isFlooded)
        let rest = pacing.endTurn(at: time(104))
        #expect(!pacing.isFlooded)
        pacing.hasRested(rest, until: time(106))
        pacing.arrived(1, at: time(110))
        #expect(pacing.isFlooded)
        _ = pacing.endTurn(at: time(110))
        pacing.arrived(1, at: time(115))
        #expect(!pacing.isFlooded)
    }

    @Test func restsGrowUpToALimit() {
        var pacing = Pacing(at: start)
        var now = 100
        var rests: [Int32] = []
        for _ in 0..<5 {
            pacing.arrived(2, at: time(now))
            rests.append(pacing.endTurn(at: time(now)))
            now += Int(rests[rests.count - 1])
            pacing.hasRested(rests[rests.count - 1], until: time(now))
        }
        #expect(rests == [2, 4, 8, 8, 8])
        // After a pause it begins anew.
        pacing.arrived(2, at: time(now + 100))
        #expect(pacing.endTurn(at: time(now + 100)) == 2)
    }

    @Test func manyAtOnceAreFollowedByNoRest() {
        var pacing = Pacing(at: start)
        pacing.arrived(64, at: time(100))
        #expect(pacing.isFlooded)
        #expect(pacing.endTurn(at: time(100)) == 0)
    }
}
