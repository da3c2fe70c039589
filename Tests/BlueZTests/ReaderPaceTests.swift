import Testing

@testable import BlueZ

@Suite struct ReaderPaceTests {
    private let start = ContinuousClock.now

    private func time(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test func itRestsOnlyWherePacketsFollowEachOtherQuickly() {
        var pace = ReaderPace(capacity: 167)
        #expect(pace.rest(afterTaking: 1, at: time(0)) == nil)
        #expect(pace.rest(afterTaking: 1, at: time(4)) != nil)
        // Its own rest does not count.
        #expect(pace.rest(afterTaking: 1, at: time(10)) != nil)
        #expect(pace.rest(afterTaking: 1, at: time(19)) == nil)
        #expect(pace.rest(afterTaking: 0, at: time(20)) == nil)
    }

    @Test func restsGrowAsFarAsTheRateAllows() {
        for (count, expected) in [(2, [2000, 4000, 8000, 8000]), (15, [2000, 2666, 3554, 4738])] as [(Int, [UInt32])] {
            var pace = ReaderPace(capacity: 160)
            var now = start
            _ = pace.rest(afterTaking: count, at: now)
            for rest in expected {
                #expect(pace.rest(afterTaking: count, at: now) == rest)
                now += .microseconds(Int(rest))
            }
        }
    }

    @Test func itDoesNotRestWhereTheSocketFillsUpQuickly() {
        var pace = ReaderPace(capacity: 160)
        _ = pace.rest(afterTaking: 1, at: time(0))
        #expect(pace.rest(afterTaking: 20, at: time(1)) != nil)
        #expect(pace.rest(afterTaking: 21, at: time(2)) == nil)
    }

    @Test func itDoesNotRestWhereSocketsHoldLittleOrItIsNotKnownHowMuch() {
        for capacity in [7, Int.max] {
            var pace = ReaderPace(capacity: capacity)
            _ = pace.rest(afterTaking: 1, at: time(0))
            #expect(pace.rest(afterTaking: 1, at: time(1)) == nil)
        }
    }
}
