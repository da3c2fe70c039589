/// The random numbers of a radio: a sequence that follows from its seed. (SplitMix64; Steele, Lea and Flood, 2014)
package struct RandomSource {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// A number from 0 up to below 1.
    package mutating func unit() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// A number from 0 up to below `limit`.
    package mutating func below(_ limit: Int) -> Int {
        limit > 0 ? Int(next() >> 1) % limit : 0
    }

    /// A number from the standard normal distribution, cut off at ±6: the sum of twelve uniform ones.
    package mutating func normal() -> Double {
        var sum = -6.0
        for _ in 0..<12 { sum += unit() }
        return sum
    }
}
