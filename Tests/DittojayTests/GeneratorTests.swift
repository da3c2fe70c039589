import Foundation
import GATTProfiles
import Testing

@testable import Dittojay

@Suite struct GeneratorTests {
    private func values(_ source: NotificationPlan.Source, _ count: Int, seed: UInt64 = 1) -> [[UInt8]] {
        let generator = NotificationPlan(interval: 1, source: source).makeGenerator(seed: seed)
        return (0..<count).compactMap { _ in generator.next(maximumLength: 20).map { Array($0) } }
    }

    @Test func `values come in turn, once or forever`() {
        #expect(values(.constant([7]), 3) == [[7], [7], [7]])
        #expect(values(.list([[1], [], [2]], repeats: true), 4) == [[1], [], [2], [1]])
        #expect(values(.list([[1], [2]], repeats: false), 4) == [[1], [2]])
    }

    @Test func `a counter begins anew at the end of its type, whichever way it goes`() throws {
        let byte = IntegerFormat.u8
        #expect(values(.counter(.init(number: byte, first: 254)), 4) == [[254], [255], [0], [1]])
        #expect(values(.counter(.init(number: byte, first: 1, step: -1)), 3) == [[1], [0], [255]])
        let word = IntegerFormat.u16be
        #expect(
            values(.counter(.init(number: word, first: 0x1FF, step: 2, prefix: [9])), 2) == [[9, 1, 0xFF], [9, 2, 1]])
        let long = IntegerFormat.i64
        #expect(values(.counter(.init(number: long, first: .max)), 2).last == [0, 0, 0, 0, 0, 0, 0, 0x80])
    }

    @Test func `a random walk stays in its range, in steps of its size, and follows from its seed`() throws {
        let word = IntegerFormat.i16
        let walk = NotificationPlan.RandomWalk(number: word, range: -50...50, step: 3)
        func numbers(_ source: NotificationPlan.Source, seed: UInt64) -> [Int] {
            values(source, 2000, seed: seed).map { Int(Int16(bitPattern: UInt16($0[0]) | UInt16($0[1]) << 8)) }
        }
        let first = numbers(.randomWalk(walk), seed: 1)
        #expect(first.allSatisfy { (-50...50).contains($0) })
        #expect(zip(first, first.dropFirst()).allSatisfy { abs($0 - $1) <= 3 })
        #expect(Set(first).count > 20)
        #expect(numbers(.randomWalk(walk), seed: 1) == first)
        #expect(numbers(.randomWalk(walk), seed: 2) != first)
        var fixed = walk
        fixed.seed = 5
        #expect(numbers(.randomWalk(fixed), seed: 1) == numbers(.randomWalk(fixed), seed: 2))
    }

    @Test(arguments: ["i64", "u64", "i64be"])
    func `the widest random walk does not overflow`(name: String) throws {
        let type = try #require(IntegerFormat(rawValue: name))
        let walk = NotificationPlan.RandomWalk(number: type, range: type.range, step: .max / 4)
        #expect(values(.randomWalk(walk), 5000).count == 5000)
    }

    @Test func `types know their ranges and their bytes`() throws {
        #expect(try #require(NumberType(name: "u8")).range == 0...255)
        #expect(try #require(NumberType(name: "i8")).range == -128...127)
        #expect(try #require(NumberType(name: "u32")).range == 0...4_294_967_295)
        #expect(try #require(NumberType(name: "i64")).range == .min ... .max)
        #expect(try #require(NumberType(name: "u64")).range == 0...Int64.max)
        for name in NumberType.names.flatMap({ [$0, $0 + "be"] }) {
            let type = try #require(NumberType(name: name))
            #expect(NumberType(name: type.name) == type)
            for number in [type.range.lowerBound, 0, 1, type.range.upperBound] {
                #expect(type.text(type.bytes(truncating: number)) == String(number))
            }
        }
    }

    @Test func `a message is cut into pieces that give it back, of the sizes asked for, and follow from the seed`() {
        let message = Data((0..<500).map { UInt8(truncatingIfNeeded: $0) })
        func pieces(_ seed: UInt64, _ sizes: ClosedRange<Int> = 3...9, room: Int = 100) -> [Data] {
            var splitter = MessageSplitter(sizes, seed: seed)
            return splitter.pieces(of: message, maximumLength: room)
        }
        let first = pieces(1)
        #expect(first.reduce(Data(), +) == message)
        #expect(first.dropLast().allSatisfy { (3...9).contains($0.count) })
        #expect(Set(first.dropLast().map(\.count)).count == 7)
        #expect(pieces(1) == first)
        #expect(pieces(2) != first)
        #expect(pieces(1, 50...60, room: 20).allSatisfy { $0.count <= 20 })
        var splitter = MessageSplitter(1...1, seed: 0)
        #expect(splitter.pieces(of: Data(), maximumLength: 20) == [Data()])
    }
}
