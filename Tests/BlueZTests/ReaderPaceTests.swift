import Testing

@testable import BlueZ

@Suite struct ReaderPaceTests {
    private let start = ContinuousClock.now

    private func time(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test func `it pauses only where packets follow each other quickly`() {
        var pace = ReaderPace(capacity: 167)
        #expect(pace.pause(afterTaking: 1, at: time(0)) == nil)
        #expect(pace.pause(afterTaking: 1, at: time(4)) != nil)
        // Its own pause does not count.
        #expect(pace.pause(afterTaking: 1, at: time(10)) != nil)
        #expect(pace.pause(afterTaking: 1, at: time(19)) == nil)
        #expect(pace.pause(afterTaking: 0, at: time(20)) == nil)
    }

    @Test func `pauses grow as far as the rate allows`() {
        for (count, expected) in [(2, [2000, 4000, 8000, 8000]), (15, [2000, 2666, 3554, 4738])] as [(Int, [UInt32])] {
            var pace = ReaderPace(capacity: 160)
            var now = start
            _ = pace.pause(afterTaking: count, at: now)
            for pause in expected {
                #expect(pace.pause(afterTaking: count, at: now) == pause)
                now += .microseconds(Int(pause))
            }
        }
    }

    @Test func `it does not pause where the socket fills up quickly`() {
        var pace = ReaderPace(capacity: 160)
        _ = pace.pause(afterTaking: 1, at: time(0))
        #expect(pace.pause(afterTaking: 20, at: time(1)) != nil)
        #expect(pace.pause(afterTaking: 21, at: time(2)) == nil)
    }

    @Test func `it does not pause where sockets hold little or it is not known how much`() {
        for capacity in [7, Int.max] {
            var pace = ReaderPace(capacity: capacity)
            _ = pace.pause(afterTaking: 1, at: time(0))
            #expect(pace.pause(afterTaking: 1, at: time(1)) == nil)
        }
    }
}
