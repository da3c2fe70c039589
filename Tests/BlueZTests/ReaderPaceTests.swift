import Testing

@testable import BlueZ

@Suite struct ReaderPaceTests {
    private let start = ContinuousClock.now

    private func time(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test func itRestsOnlyWherePacketsFollowEachOtherQuickly() {
        var pace = ReaderPace(capacity: 167)
        #expect(pace.rest(afterTaking: 1, at: time(0)) == nil)
        #expect(pace.rest(afterTaking: 1, at: time(4)) != nil)
        #expect(pace.rest(afterTaking: 1, at: time(9)) == nil)
        #expect(pace.rest(afterTaking: 0, at: time(10)) == nil)
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
