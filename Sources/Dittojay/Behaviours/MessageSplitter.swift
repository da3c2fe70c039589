import Foundation

/// Cuts values into pieces of random sizes that follow from a seed.
struct MessageSplitter {
    private let sizes: ClosedRange<Int>
    private var generator: SeededGenerator

    /// - Parameter sizes: in bytes, at least 1.
    init(_ sizes: ClosedRange<Int>, seed: UInt64) {
        self.sizes = max(1, sizes.lowerBound)...max(1, sizes.upperBound)
        generator = SeededGenerator(seed: seed)
    }

    /// The pieces in their order; the last one may be smaller than the sizes allow. An empty value is one empty piece.
    ///
    /// - Parameter maximumLength: how many bytes a notification can carry at the moment.
    mutating func pieces(of value: Data, maximumLength: Int) -> [Data] {
        guard !value.isEmpty else { return [value] }
        var pieces: [Data] = []
        var rest = value[...]
        while !rest.isEmpty {
            let spread = Double(sizes.count)
            let size = min(sizes.lowerBound + Int(generator.unit() * spread), max(1, maximumLength))
            pieces.append(Data(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return pieces
    }
}
