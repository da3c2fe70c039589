import TestSupport

typealias Dice = TestSupport.Dice

extension Dice {
    /// The dice of one input: they depend on nothing else.
    init(seed: UInt64, target: String, index: Int) {
        var state = seed
        for byte in target.utf8 { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        var first = Dice(state: state &+ UInt64(truncatingIfNeeded: index))
        self.init(state: first.next())
    }

    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<max(1, limit), using: &self) }

    /// A small number, now and then a large one.
    mutating func length(upTo limit: Int) -> Int {
        happens(85) ? below(min(limit, 24)) : below(limit)
    }

    mutating func pick<Element>(_ elements: some RandomAccessCollection<Element>) -> Element {
        // Only used with what has elements.
        elements[elements.index(elements.startIndex, offsetBy: below(elements.count))]
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
