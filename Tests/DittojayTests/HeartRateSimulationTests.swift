import GATTProfiles
import Testing

@testable import Dittojay

@Suite struct HeartRateSimulationTests {
    private func run(
        _ settings: HeartRateSettings = HeartRateSettings(), seed: UInt64, steps: Int
    ) -> [HeartRateMeasurement] {
        var simulation = HeartRateSimulation(settings: settings, seed: seed)
        return (0..<steps).map { _ in simulation.step() }
    }

    @Test func `the generator yields xoshiro256**'s sequence of SplitMix64's state for seed 0`() {
        var generator = SeededGenerator(seed: 0)
        #expect(
            (0..<3).map { _ in generator.next() } == [
                0x99EC_5F36_CB75_F2B4, 0xBF6E_1F78_4956_452A, 0x1A5F_849D_4933_E6E0,
            ])
    }

    @Test func `the same seed gives the same measurements, another seed others`() {
        #expect(run(seed: 42, steps: 500) == run(seed: 42, steps: 500))
        #expect(run(seed: 42, steps: 500) != run(seed: 43, steps: 500))
    }

    @Test(arguments: [60...119, 40...200, 72...72, 250...300])
    func `the rate stays within its range`(range: ClosedRange<Int>) {
        for seed in UInt64(0)..<10 {
            for measurement in run(HeartRateSettings(rateRange: range), seed: seed, steps: 2000) {
                #expect(range.contains(Int(measurement.rate)))
            }
        }
    }

    @Test func `the rate walks: it never jumps, and it does not stand still`() {
        for seed in UInt64(0)..<10 {
            let rates = run(seed: seed, steps: 1000).map { Int($0.rate) }
            #expect(zip(rates, rates.dropFirst()).allSatisfy { abs($0 - $1) <= 4 })
            #expect(Set(rates).count > 10)
        }
    }

    @Test func `the RR intervals are consistent with the rate`() {
        for seed in UInt64(0)..<5 {
            for measurement in run(seed: seed, steps: 1000) {
                for interval in measurement.rrIntervals {
                    let rate = 60 * 1024 / Double(interval)
                    #expect(abs(rate - Double(measurement.rate)) < 0.12 * Double(measurement.rate) + 3)
                }
            }
        }
    }

    @Test func `while there is contact, as many beats are reported as the time holds`() {
        let settings = HeartRateSettings(rateRange: 90...90, contactDetection: .steady)
        let beats = run(settings, seed: 1, steps: 600).reduce(0) { $0 + $1.rrIntervals.count }
        #expect((885...915).contains(beats))
    }

    @Test func `several beats come in one measurement where the interval is long, and only as many as fit`() {
        let measurements = run(HeartRateSettings(interval: 10), seed: 1, steps: 50)
        #expect(measurements.contains { $0.rrIntervals.count > 6 })
        #expect(measurements.allSatisfy { $0.bytes.count <= 20 })
    }

    @Test func `all forms of the flags occur`() {
        let flags = Set(run(seed: 3, steps: 20_000).map { $0.bytes[0] })
        // Contact detected and lost, each with and without energy and with 8 and 16 bits; RR intervals with contact.
        let expected: Set<UInt8> = [0x16, 0x17, 0x1E, 0x1F, 0x04, 0x05, 0x0C, 0x0D]
        #expect(flags.isSuperset(of: expected))
        #expect(
            run(HeartRateSettings(contactDetection: .unsupported), seed: 3, steps: 50).allSatisfy {
                $0.contact == .unsupported
            })
    }

    @Test func `the form of the rate follows the option`() {
        #expect(run(HeartRateSettings(rateForms: .uint8), seed: 1, steps: 100).allSatisfy { $0.bytes[0] & 1 == 0 })
        #expect(run(HeartRateSettings(rateForms: .uint16), seed: 1, steps: 100).allSatisfy { $0.bytes[0] & 1 == 1 })
        let fast = HeartRateSettings(rateRange: 280...320, rateForms: .uint8)
        #expect(run(fast, seed: 1, steps: 100).allSatisfy { $0.bytes[0] & 1 == 1 })
    }

    @Test func `energy comes with every tenth measurement, only grows, and starts again after a reset`() {
        var simulation = HeartRateSimulation(settings: HeartRateSettings(rateRange: 150...150), seed: 9)
        let first = (1...300).map { ($0, simulation.step().energyExpended) }
        #expect(first.allSatisfy { ($0.0 % 10 == 0) == ($0.1 != nil) })
        let energies = first.compactMap(\.1)
        #expect(zip(energies, energies.dropFirst()).allSatisfy { $0 <= $1 })
        // Some 60 kJ a minute at 150 bpm, less what passes without contact.
        #expect((200...310).contains(Int(energies.last ?? 0)))
        simulation.resetEnergy()
        #expect(simulation.energyExpended == 0)
    }

    @Test func `energy stays at its greatest value when it gets there`() {
        var simulation = HeartRateSimulation(
            settings: HeartRateSettings(rateRange: 190...190, interval: 3600, contactDetection: .steady), seed: 1)
        for _ in 0..<30 { _ = simulation.step() }
        #expect(simulation.energyExpended == 65_535)
    }

    @Test func `contact is lost now and then, for some seconds, without beats meanwhile`() {
        let measurements = run(seed: 5, steps: 5000)
        let lost = measurements.filter { $0.contact == .notDetected }
        #expect((20...1000).contains(lost.count))
        #expect(lost.allSatisfy { $0.rrIntervals.isEmpty })
        let steady = run(HeartRateSettings(contactDetection: .steady), seed: 5, steps: 5000)
        #expect(steady.allSatisfy { $0.contact == .detected })
    }

    @Test func `settings outside what is possible are brought back into it`() {
        let settings = HeartRateSettings(rateRange: -5...9000, interval: 0)
        #expect(settings.rateRange == HeartRateSettings.possibleRates)
        #expect(settings.interval == 0.001)
    }
}
