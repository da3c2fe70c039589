/// A random number generator whose whole sequence follows from its seed, so that a simulation can be replayed.
///
/// The algorithm is xoshiro256** (Blackman and Vigna, 2018), its state filled by SplitMix64.
package struct SeededGenerator: RandomNumberGenerator, Swift.Sendable {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    package init(seed: UInt64) {
        var mixer = seed
        func next() -> UInt64 {
            mixer &+= 0x9E37_79B9_7F4A_7C15
            var mixed = mixer
            mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
        state = (next(), next(), next(), next())
    }

    package mutating func next() -> UInt64 {
        let result = rotatedLeft(state.1 &* 5, by: 7) &* 9
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = rotatedLeft(state.3, by: 45)
        return result
    }

    /// A number in 0 ..< 1. The standard library does not promise that its own algorithm never changes.
    mutating func unit() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// A number from the standard normal distribution, cut off at ±6: the sum of twelve uniform ones.
    mutating func normal() -> Double {
        var sum = -6.0
        for _ in 0..<12 { sum += unit() }
        return sum
    }

    private func rotatedLeft(_ value: UInt64, by count: UInt64) -> UInt64 {
        value << count | value >> (64 - count)
    }
}
