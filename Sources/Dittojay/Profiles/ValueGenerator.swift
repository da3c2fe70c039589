import Foundation
import GATTProfiles

/// Makes the values that a characteristic sends by itself, one after another. Used on the peripheral's queue only.
protocol ValueGenerator: AnyObject {
    /// The next value; nil when there are no more.
    ///
    /// - Parameter maximumLength: how many bytes a notification can carry at the moment.
    func next(maximumLength: Int) -> Data?

    /// Whether reads give what was sent last.
    var isReadBack: Bool { get }

    /// Whether nothing is sent for now.
    var isPaused: Bool { get }
}

extension ValueGenerator {
    var isReadBack: Bool { true }
    var isPaused: Bool { false }
}

extension NotificationPlan {
    /// A new generator.
    ///
    /// - Parameter simulated: what measures, where a simulation does.
    func makeGenerator(seed: UInt64, simulated: ModelGenerator? = nil) -> any ValueGenerator {
        switch source {
        case .constant(let value): ListGenerator([value], repeats: true)
        case .list(let values, let repeats): ListGenerator(values, repeats: repeats)
        case .counter(let counter): CounterGenerator(counter)
        case .randomWalk(let walk): RandomWalkGenerator(walk, seed: walk.seed ?? seed)
        case .heartRate(var settings):
            {
                settings.interval = interval
                return SimulatedHeart(settings: settings, seed: seed)
            }()
        case .simulated: simulated ?? ListGenerator([], repeats: false)
        }
    }
}

/// Values in turn.
final class ListGenerator: ValueGenerator {
    private let values: [Data]
    private let repeats: Bool
    private var index = 0

    init(_ values: [[UInt8]], repeats: Bool) {
        self.values = values.map { Data($0) }
        self.repeats = repeats
    }

    func next(maximumLength: Int) -> Data? {
        if index == values.count, repeats { index = 0 }
        guard index < values.count else { return nil }
        defer { index += 1 }
        return values[index]
    }
}

/// Numbers that count.
final class CounterGenerator: ValueGenerator {
    private let counter: NotificationPlan.Counter
    private var number: Int64

    init(_ counter: NotificationPlan.Counter) {
        self.counter = counter
        number = counter.first
    }

    func next(maximumLength: Int) -> Data? {
        defer { number &+= counter.step }
        // What exceeds the format's width is cut off: the number wraps around.
        return Data(counter.prefix + counter.number.bytes(truncating: number))
    }
}

/// Numbers that wander.
final class RandomWalkGenerator: ValueGenerator {
    private let walk: NotificationPlan.RandomWalk
    private var generator: SeededGenerator
    private var number: Int64

    init(_ walk: NotificationPlan.RandomWalk, seed: UInt64) {
        self.walk = walk
        generator = SeededGenerator(seed: seed)
        // Without overflow, however wide the range is.
        let (low, high) = (walk.range.lowerBound, walk.range.upperBound)
        number = low / 2 + high / 2 + (low % 2 + high % 2) / 2
    }

    func next(maximumLength: Int) -> Data? {
        defer {
            let change = Int64((generator.unit() * 2 - 1) * Double(walk.step) + (generator.unit() - 0.5))
            let (sum, overflow) = number.addingReportingOverflow(change)
            let wanted = overflow ? (change < 0 ? Int64.min : .max) : sum
            number = min(max(wanted, walk.range.lowerBound), walk.range.upperBound)
        }
        return Data(walk.prefix + walk.number.bytes(truncating: number))
    }
}
