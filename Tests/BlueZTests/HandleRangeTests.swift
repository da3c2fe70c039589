import Foundation
import TestSupport
import Testing

@testable import BlueZ

@Suite struct HandleRangeTests {
    let window = HandleRanges.window
    private let parent: TemporaryFolder
    /// It is not there yet.
    private var folder: String { parent.path + "/handles" }

    init() throws { parent = try TemporaryFolder() }

    /// A program that begins: it knows what those before it have left in the file.
    private func program(at time: Double = 0) -> HandleRanges {
        HandleRanges(next: HandleCounterFile(address: "00:AA:01:00:00:00", folder: folder), time: time)
    }

    @Test func `handles are used again as late as possible`() throws {
        var ranges = program()
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

    @Test func `what is taken is not given again`() throws {
        var ranges = program(at: 30)
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

    @Test func `what does not fit is left to bluetoothd`() {
        var ranges = program()
        let answers = [window.count + 1, 0, window.count, 1].map { ranges.take($0) }
        #expect(answers == [nil, nil, UInt16(window.lowerBound), nil])
    }

    @Test func `a program goes on behind the one before it`() throws {
        var last = 0
        var beginnings: [Int] = []
        for _ in 0..<200 {
            var ranges = program()
            var firsts: [Int] = []
            for count in [9, 4, 3] {
                let first = ranges.take(count)
                firsts.append(try #require(first.map(Int.init)))
            }
            #expect(firsts == firsts.sorted())
            // Nothing of it is where the services of the one before are, and there is room for what comes.
            #expect(!(firsts[0]...firsts[2]).contains(last))
            #expect(firsts[0] <= window.upperBound - HandleRanges.reserve)
            beginnings.append(firsts[0])
            last = firsts[2]
        }
        #expect(beginnings.filter { $0 == window.lowerBound }.count > 1, "it begins again from the bottom")
        let ascending = zip(beginnings, beginnings.dropFirst()).filter { $0 < $1 }
        #expect(ascending.count > 180)
    }

    @Test func `a program behind one that has used all begins from the bottom, whatever the time`() {
        var before = program()
        while before.take(8) != nil {}
        var next = program(at: 30)
        let first = next.take(8)
        #expect(first == UInt16(window.lowerBound))
    }

    @Test func `programs at the same time take turns`() {
        var (one, two) = (program(), program())
        let firsts = (0..<10).flatMap { _ in [one.take(5), two.take(5)] }
        #expect(firsts == (0..<20).map { UInt16(window.lowerBound + 5 * $0) })
    }

    @Test(arguments: ["", "none", "-1", "99999999999999999999", "4000", "0"])
    func `a file that says nothing is begun anew`(text: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try text.write(toFile: folder + "/00AA01000000", atomically: false, encoding: .utf8)
        var ranges = program()
        let firsts = [ranges.take(5), ranges.take(5)]
        #expect(firsts == [UInt16(window.lowerBound), UInt16(window.lowerBound + 5)])
        #expect(try String(contentsOfFile: folder + "/00AA01000000", encoding: .utf8) == "\(window.lowerBound + 10)\n")
    }

    @Test func `without a file the time decides where to begin`() {
        let nowhere = "/proc/nowhere"
        let begin = { (time: Double) -> [UInt16?] in
            var ranges = HandleRanges(
                next: HandleCounterFile(address: "00:AA:01:00:00:00", folder: nowhere), time: time)
            return [ranges.take(5), ranges.take(5)]
        }
        #expect(begin(0) == [UInt16(window.lowerBound), UInt16(window.lowerBound + 5)])
        #expect(begin(3) == [UInt16(window.lowerBound + 32), UInt16(window.lowerBound + 37)])
        #expect(begin(-1) == begin(0))
        for time in stride(from: 1e9, to: 1e9 + 300, by: 3) {
            #expect(begin(time)[0].map(Int.init) ?? .max <= window.upperBound - HandleRanges.reserve)
        }
    }
}
