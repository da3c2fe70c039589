import CoreBluetooth
import Foundation
package import GATTProfiles

extension ServiceProfile {
    /// The Heart Rate Service, with a sensor location that can be written, too, so that there is something to write.
    public static let heartRate = ServiceProfile(
        name: "heart-rate", uuid: HeartRateService.uuid, isAdvertised: true,
        characteristics: [
            CharacteristicProfile(
                name: "heart-rate-measurement", uuid: HeartRateService.measurement, properties: .notify,
                notifications: .heartRate()),
            CharacteristicProfile(
                name: "body-sensor-location", uuid: HeartRateService.bodySensorLocation, properties: [.read, .write],
                initialValue: [HeartRateService.BodySensorLocation.chest.rawValue],
                writes: WriteRules(lengths: 1...1, effects: [.store])),
            CharacteristicProfile(
                name: "heart-rate-control-point", uuid: HeartRateService.controlPoint, properties: .write,
                writes: WriteRules(
                    lengths: 1...1,
                    reactions: [
                        WriteReaction(
                            .value([HeartRateService.ControlPoint.resetEnergyExpended]),
                            .play([.resetEnergy(CharacteristicPath("heart-rate", "heart-rate-measurement"))])),
                        WriteReaction(.any, .refuse(attError: UInt8(HeartRateService.ControlPoint.notSupported))),
                    ])),
        ])
}

/// The settings of a simulated heart and its sensor.
public struct HeartRateSettings: Hashable, Swift.Sendable {
    /// The width of the rates that are sent.
    public enum RateForms: String, CaseIterable, Swift.Sendable {
        /// Eight bits, and each sixteenth time sixteen, so that receivers get both.
        case mixed
        /// Eight bits where the rate allows it.
        case uint8
        /// Always sixteen bits.
        case uint16
    }

    /// How the sensor reports skin contact.
    public enum ContactDetection: String, CaseIterable, Swift.Sendable {
        /// Reports contact, which is lost for some seconds now and then.
        case varying
        /// Reports contact, always good.
        case steady
        /// Does not report contact.
        case unsupported
    }

    /// The limits of the rate, in bpm.
    public var rateRange: ClosedRange<Int>
    /// The time between two measurements in seconds.
    public var interval: Double
    public var rateForms: RateForms
    public var contactDetection: ContactDetection

    /// The limits of ``rateRange`` in bpm.
    public static let possibleRates = 20...400
    /// The limits of ``interval`` in seconds.
    public static let possibleIntervals = 0.001...3600.0
    /// Energy is reported with each tenth measurement, as in the example of the specification: Heart Rate Service 1.0,
    /// 3.1.1.3.
    static let energyPeriod = 10
    static let wideRatePeriod = 16

    public init(
        rateRange: ClosedRange<Int> = 60...119, interval: Double = 1, rateForms: RateForms = .mixed,
        contactDetection: ContactDetection = .varying
    ) {
        self.rateRange = rateRange.clamped(to: Self.possibleRates)
        self.interval = min(max(interval, Self.possibleIntervals.lowerBound), Self.possibleIntervals.upperBound)
        self.rateForms = rateForms
        self.contactDetection = contactDetection
    }
}

/// A heart that beats while it is measured.
final class SimulatedHeart: ValueGenerator {
    private(set) var simulation: HeartRateSimulation

    init(settings: HeartRateSettings, seed: UInt64) {
        simulation = HeartRateSimulation(settings: settings, seed: seed)
    }

    func next(maximumLength: Int) -> Data? {
        Data(simulation.step(maximumLength: maximumLength).bytes)
    }

    func resetEnergy() {
        simulation.resetEnergy()
    }

    var isReadBack: Bool { false }
}

/// A simulated heart with a sensor on it. What it measures follows from the seed and the number of steps alone, not
/// from the clock.
///
/// The rate is a random walk that is drawn back to the middle of its range, with a slow drift on top as effort changes.
/// Beats follow each other at that rate, with the small irregularities of a healthy heart: it beats faster while
/// breathing in. Energy is what a person of 30 years and 70 kg spends at that rate (Keytel et al. 2005).
package struct HeartRateSimulation: Swift.Sendable {
    package let settings: HeartRateSettings
    private var generator: SeededGenerator

    /// Seconds since the beginning.
    private var time = 0.0
    /// How many measurements were made.
    private var count = 0
    /// bpm.
    private var rate: Double
    /// By how much the rate drifts, in bpm per second.
    private var drift = 0.0
    /// When the next beat comes, in seconds since the beginning.
    private var nextBeat: Double
    /// How long the time before that beat is, in 1/1024 s.
    private var nextInterval: UInt16
    /// Kilojoules since the last reset.
    private var energy = 0.0
    /// When contact comes back, while it is lost.
    private var contactReturns: Double?

    /// The last rate measured, in bpm.
    package var currentRate: Int { Int(rate.rounded()) }
    /// Kilojoules since the last reset.
    package var energyExpended: UInt16 { UInt16(min(energy, 65_535)) }
    /// Whether the sensor has contact.
    package var hasContact: Bool { contactReturns == nil }

    /// The mean time between two losses of contact.
    private static let secondsBetweenLosses = 90.0
    private static let secondsOfLoss = 2.0...6.0
    /// Breaths per second, at rest.
    private static let breathing = 0.25

    package init(settings: HeartRateSettings = HeartRateSettings(), seed: UInt64) {
        self.settings = settings
        generator = SeededGenerator(seed: seed)
        let low = Double(settings.rateRange.lowerBound)
        let high = Double(settings.rateRange.upperBound)
        // It begins in the lower half, since most wearers are at rest.
        rate = low + (high - low) * (0.2 + 0.3 * generator.unit())
        nextBeat = 0
        nextInterval = 0
        scheduleBeat(after: 0)
    }

    /// Lets one interval pass and measures.
    ///
    /// - Parameter maximumLength: how many bytes the measurement may have. If more beats follow, only the last ones are
    ///   reported.
    package mutating func step(maximumLength: Int = 20) -> HeartRateMeasurement {
        let interval = settings.interval
        count += 1
        time += interval
        walk(interval)
        updateContact(interval)
        let beats = beatsUntilNow()

        var measurement = HeartRateMeasurement(rate: UInt16(rate.rounded()))
        switch settings.rateForms {
        case .mixed: measurement.rateFormat = count % HeartRateSettings.wideRatePeriod == 0 ? .uint16 : .uint8
        case .uint8: measurement.rateFormat = .uint8
        case .uint16: measurement.rateFormat = .uint16
        }
        switch settings.contactDetection {
        case .unsupported: measurement.contact = .unsupported
        case .steady, .varying: measurement.contact = hasContact ? .detected : .notDetected
        }
        if count % HeartRateSettings.energyPeriod == 0 { measurement.energyExpended = energyExpended }
        if hasContact {
            // Without contact the sensor holds the last rate and sees no beats.
            energy += Self.energyRate(rate) * interval
            measurement.rrIntervals = beats.suffix(measurement.rrIntervalCapacity(inLength: maximumLength))
        }
        return measurement
    }

    /// Sets the energy expended to zero.
    package mutating func resetEnergy() {
        energy = 0
    }

    private mutating func walk(_ interval: Double) {
        let low = Double(settings.rateRange.lowerBound)
        let high = Double(settings.rateRange.upperBound)
        let span = max(high - low, 1)
        let middle = (low + high) / 2
        // Noise grows with the square root of time, so that the walk looks alike at every interval.
        let noise = interval.squareRoot()
        drift += (-0.1 * drift * min(interval, 5)) + generator.normal() * span * 0.003 * min(noise, 2)
        let pull = (middle - rate) * 0.01 * min(interval, 10)
        let change = drift * min(interval, 5) + pull + generator.normal() * 0.6 * min(noise, 3)
        // A heart does not jump: at most some 3 bpm in a second.
        let limit = max(0.05, 3 * interval)
        rate += min(max(change, -limit), limit)
        if rate < low || rate > high {
            rate = min(max(rate, low), high)
            drift = 0
        }
    }

    private mutating func updateContact(_ interval: Double) {
        guard settings.contactDetection == .varying else { return }
        if let returns = contactReturns {
            if time >= returns { contactReturns = nil }
        } else if generator.unit() < interval / Self.secondsBetweenLosses {
            let range = Self.secondsOfLoss
            contactReturns =
                time + range.lowerBound + (range.upperBound - range.lowerBound) * generator.unit()
        }
    }

    /// The intervals that ended since the last call, oldest first.
    private mutating func beatsUntilNow() -> [UInt16] {
        var intervals: [UInt16] = []
        while nextBeat <= time {
            intervals.append(nextInterval)
            scheduleBeat(after: nextBeat)
        }
        return intervals
    }

    private mutating func scheduleBeat(after beat: Double) {
        // A triangle wave will do for the breath, and needs no mathematics library.
        let phase = (beat * Self.breathing).truncatingRemainder(dividingBy: 1)
        let breath = abs(phase * 4 - 2) - 1
        let seconds = 60 / rate * (1 + 0.02 * breath + 0.005 * generator.normal())
        nextInterval = UInt16(min(max((seconds * 1024).rounded(), 1), 65_535))
        nextBeat = beat + Double(nextInterval) / 1024
    }

    /// Kilojoules per second.
    private static func energyRate(_ rate: Double) -> Double {
        max(-55.0969 + 0.6309 * rate + 0.1988 * 70 + 0.2017 * 30, 4.5) / 60
    }
}
