/// Values that count: sent at regular times, each a number higher by the same than the one before.
package struct CountingNotifications: Hashable, Sendable {
    /// As profile files name it: `u16`.
    package let type: String
    package let first: UInt64
    package let step: Int
    package let prefix: [UInt8]
    /// Seconds.
    package let interval: Double

    /// Fewer may be chance.
    private static let minimumCount = 8
    private static let types: [(name: String, width: Int, order: ByteOrder)] = [
        ("u8", 1, .little), ("u16", 2, .little), ("u16be", 2, .big), ("u32", 4, .little), ("u32be", 4, .big),
        ("u64", 8, .little), ("u64be", 8, .big),
    ]

    /// Nil unless that is certain.
    ///
    /// - Parameter values: all that a characteristic has sent on a link, with their times in microseconds.
    init?(_ values: [(time: Int64, bytes: [UInt8])]) {
        guard values.count >= Self.minimumCount, let first = values.first?.bytes,
            values.allSatisfy({ $0.bytes.count == first.count }), let interval = Self.interval(values.map(\.time))
        else { return nil }
        for (name, width, order) in Self.types where width <= first.count {
            let prefix = Array(first.dropLast(width))
            guard values.allSatisfy({ $0.bytes.starts(with: prefix) }) else { continue }
            let numbers = values.map { order.number($0.bytes.suffix(width)) }
            guard let step = Self.step(numbers, width) else { continue }
            type = name
            self.first = numbers[0]
            self.step = step
            self.prefix = prefix
            self.interval = interval
            return
        }
        return nil
    }

    /// The constant difference of numbers that wrap around; nil without one, or without a change.
    private static func step(_ numbers: [UInt64], _ width: Int) -> Int? {
        let mask: UInt64 = width == 8 ? .max : 1 << UInt64(8 * width) - 1
        let steps = Set(zip(numbers.dropFirst(), numbers).map { ($0 &- $1) & mask })
        guard steps.count == 1, let step = steps.first, step != 0 else { return nil }
        // More than half of the way around is a way back.
        let signed = step > mask >> 1 ? -Int(clamping: (~step & mask) &+ 1) : Int(clamping: step)
        return abs(signed) <= Int(Int32.max) ? signed : nil
    }

    /// The time between two values in seconds, if it is always nearly the same.
    static func interval(_ times: [Int64]) -> Double? {
        let pauses = zip(times.dropFirst(), times).map { Double($0 - $1) / 1_000_000 }
        let middle = ReactionFinder.median(pauses)
        guard middle >= 0.001, middle <= 3600 else { return nil }
        // Connection intervals make some values late, and those after them early.
        let tolerance = max(0.25 * middle, 0.06)
        guard pauses.allSatisfy({ abs($0 - middle) <= tolerance }) else { return nil }
        return (middle * 1000).rounded() / 1000
    }
}
