/// The random streams of a radio. They follow from the seed, one for each subject: what becomes of the
/// packets of a link does not depend on what anybody else sends, nor on how many milliseconds later than last time the
/// link began.
struct RandomStreams {
    /// What a random stream is for.
    enum Subject: Hashable {
        /// What a controller makes for its host: numbers, keys, addresses.
        case controller(Int)
        /// The events of a set from when it is enabled, and who hears them.
        case advertising(Int, handle: UInt8?)
        /// The packets of a connection.
        case link(from: Int, to: Int)
        /// Which of a phantom's faults happen.
        case faults(phantom: Int)

        fileprivate var number: UInt64 {
            switch self {
            case .controller(let index): RandomStreams.mix(1, UInt64(truncatingIfNeeded: index))
            case .advertising(let index, let handle):
                RandomStreams.mix(
                    RandomStreams.mix(2, UInt64(truncatingIfNeeded: index)), handle.map { UInt64($0) + 1 } ?? 0)
            case .link(let first, let second):
                RandomStreams.mix(
                    RandomStreams.mix(3, UInt64(truncatingIfNeeded: first)), UInt64(truncatingIfNeeded: second))
            case .faults(let index): RandomStreams.mix(4, UInt64(truncatingIfNeeded: index))
            }
        }
    }

    private let seed: UInt64
    /// How often each has begun.
    private var counts: [Subject: UInt64] = [:]

    init(seed: UInt64) {
        self.seed = seed
    }

    /// Begins a subject's next stream, and returns its seed.
    mutating func begin(_ subject: Subject) -> UInt64 {
        let count = counts[subject, default: 0]
        counts[subject] = count + 1
        return Self.mix(Self.mix(seed, subject.number), count)
    }

    /// Another number for each pair of numbers.
    static func mix(_ first: UInt64, _ second: UInt64) -> UInt64 {
        var source = RandomSource(seed: first &+ second &* 0xD134_2543_DE82_EF95)
        return source.next()
    }
}
