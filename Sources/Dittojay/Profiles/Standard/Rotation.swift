import GATTProfiles

/// A wheel or a crank that turns, as a sensor counts it: whole revolutions, and the time of the last of them.
struct Rotation {
    private var turns: Double
    private var time = 0.0
    /// Seconds since the beginning when the last revolution was complete.
    private(set) var lastEvent = 0.0

    /// - Parameter count: how often it has turned before.
    init(count: Int = 0) {
        turns = Double(count)
    }

    /// How often it has turned.
    var count: UInt32 {
        get { UInt32(truncatingIfNeeded: Int64(turns)) }
        set { turns = Double(newValue) }
    }

    /// Lets time pass.
    ///
    /// - Parameters:
    ///   - rate: revolutions in a second, 0 or more.
    ///   - seconds: how long.
    mutating func turn(_ rate: Double, for seconds: Double) {
        let before = turns.rounded(.down)
        turns += rate * seconds
        time += seconds
        let complete = turns.rounded(.down)
        if complete > before { lastEvent = time - (turns - complete) / rate }
        // A sensor's count begins again at 2 to the power 32.
        if turns >= 0x1p32 { turns -= 0x1p32 }
    }

    /// The time of the last revolution in a unit that goes into a second so often, as 16 bits that begin again.
    func lastEvent(inUnitsOf unitsPerSecond: Double) -> UInt16 {
        UInt16(truncatingIfNeeded: Int64(lastEvent * unitsPerSecond))
    }
}

extension ValueBuilder {
    /// Appends what a sensor has counted of a wheel or a crank, and the time of the last revolution.
    mutating func append<Count: FixedWidthInteger>(_ rotation: (revolutions: Count, time: UInt16)) {
        append(rotation.revolutions)
        append(rotation.time)
    }
}

/// Somebody on a bicycle.
struct Rider {
    /// Metres.
    static let wheelCircumference = 2.096

    private var generator: SeededGenerator
    /// Watts.
    private var effort = WanderingQuantity(120...290, step: 6)
    /// Revolutions a minute.
    private var pedalling = WanderingQuantity(72...102, step: 1.2)
    private(set) var power = 0.0
    private(set) var cadence = 0.0
    /// Metres a second.
    private(set) var speed = 0.0
    var wheel = Rotation(count: 1000)
    var crank = Rotation(count: 400)

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// - Parameter target: the power that a machine holds, in watts; nil for the rider's own.
    mutating func ride(for seconds: Double, target: Double? = nil) {
        power = (target ?? effort.next(&generator)) + generator.normal() * 3
        cadence = pedalling.next(&generator)
        // On the flat the air takes about 0.2 W s³/m³.
        speed = Self.cubeRoot(max(power, 0) / 0.2)
        wheel.turn(speed / Self.wheelCircumference, for: seconds)
        crank.turn(cadence / 60, for: seconds)
    }

    /// A share of 0 to 1 for what varies from one value to the next.
    mutating func chance() -> Double { generator.unit() }

    /// By Newton's method, without a mathematics library.
    private static func cubeRoot(_ number: Double) -> Double {
        guard number > 0 else { return 0 }
        var root = max(number / 3, 1)
        for _ in 0..<40 { root -= (root * root * root - number) / (3 * root * root) }
        return root
    }
}
