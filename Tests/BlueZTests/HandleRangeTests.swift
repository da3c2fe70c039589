import Testing

@testable import BlueZ

@Suite struct HandleRangeTests {
    let window = HandleRanges.window

    @Test func handlesAreUsedAgainAsLateAsPossible() throws {
        var ranges = HandleRanges(start: window.lowerBound)
        let staying = ranges.take(10)
        #expect(staying.map(Int.init) == window.lowerBound)
        var seen: [UInt16] = []
        while true {
            let taken = ranges.take(12)
            let first = try #require(taken)
            if seen.contains(first) { break }
            seen.append(first)
            ranges.release(first)
        }
        #expect(seen.count == (window.count - 10) / 12)
        #expect(seen == seen.sorted())
    }

    @Test func whatIsTakenIsNotGivenAgain() throws {
        var ranges = HandleRanges(start: window.upperBound - 3)
        var all: [ClosedRange<Int>] = []
        while let first = ranges.take(7) { all.append(Int(first)...Int(first) + 6) }
        #expect(all.count >= window.count / 7 - 1)
        for (index, range) in all.enumerated() {
            #expect(window.contains(range.lowerBound) && window.contains(range.upperBound))
            #expect(!all[..<index].contains { $0.overlaps(range) })
        }
        ranges.release(UInt16(all[2].lowerBound))
        let again = ranges.take(7)
        #expect(again.map(Int.init) == all[2].lowerBound)
    }

    @Test func whatDoesNotFitIsLeftToBluetoothd() {
        var ranges = HandleRanges(start: 0)
        let answers = [window.count + 1, 0, window.count, 1].map { ranges.take($0) }
        #expect(answers == [nil, nil, UInt16(window.lowerBound), nil])
    }
}
