import CoreBluetooth
import GATTProfiles

/// The Fitness Machine Service (1826): an indoor bike. Specification: Fitness Machine Service 1.0.
enum FitnessMachine {
    static let service = "1826"
    static let feature = "2ACC"
    static let indoorBikeData = "2AD2"
    static let trainingStatus = "2AD3"
    static let resistanceRange = "2AD6"
    static let powerRange = "2AD8"
    static let controlPoint = "2AD9"
    static let status = "2ADA"

    /// What an indoor bike advertises with the service's UUID: it is available, and which machine it is.
    static let serviceData: [UInt8] = [1] + NumberType.bytes(of: UInt16(1 << 5))
    /// Fitness Machine Features: cadence, distance, resistance level, energy, elapsed time, power.
    static let features: UInt32 = 1 << 1 | 1 << 2 | 1 << 7 | 1 << 9 | 1 << 12 | 1 << 14
    /// Target Setting Features: resistance, power, simulation of an indoor bike.
    static let targets: UInt32 = 1 << 2 | 1 << 3 | 1 << 13
    /// Watts.
    static let powers: ClosedRange<Int16> = 0...800
    /// Tenths. Machines have them in 16 bits, signed, though the supplement has 8: docs/standard-profiles.md.
    static let resistances: ClosedRange<Int16> = 0...200

    static let characteristics: [CharacteristicProfile] = [
        .constant(feature, NumberType.bytes(of: features) + NumberType.bytes(of: targets)),
        .measurement(indoorBikeData, .notify, every: 1),
        .simulated(trainingStatus, [.read, .notify]),
        .constant(
            resistanceRange,
            NumberType.bytes(of: resistances.lowerBound) + NumberType.bytes(of: resistances.upperBound)
                + NumberType.bytes(of: UInt16(1))),
        .constant(
            powerRange,
            NumberType.bytes(of: powers.lowerBound) + NumberType.bytes(of: powers.upperBound)
                + NumberType.bytes(of: UInt16(5))),
        .controlPoint(controlPoint),
        .assigned(status, .notify),
    ]

    /// The value of Indoor Bike Data, with the fields that this bike has.
    struct BikeData: Hashable {
        /// Kilometres an hour.
        var speed: Double
        /// Revolutions a minute.
        var cadence: Double
        /// Metres.
        var distance: UInt32
        /// The level, which is whole here.
        var resistance: Int16
        /// Watts.
        var power: Int16
        /// Kilocalories.
        var energy: UInt16
        /// Seconds.
        var elapsed: UInt16

        /// What a body spends for work on the pedals, which is about a quarter of it; a kilocalorie is 4.2 kJ.
        ///
        /// - Parameter work: in kilojoules.
        static func kilocalories(forWork work: Double) -> Double { work * 4 / 4.2 }

        var bytes: [UInt8] {
            var value = ValueBuilder()
            // Bit 0, More Data, is not set: the speed is there.
            value.append([2, 4, 5, 6, 8, 11].reduce(UInt16(0)) { $0 | 1 << $1 })
            value.append(UInt16(min(max(speed * 100, 0).rounded(), 65_535)))
            value.append(UInt16(min(max(cadence * 2, 0).rounded(), 65_535)))
            value.append(distance, width: 3)
            value.append(resistance)
            value.append(power)
            value.append(energy)
            // The energy in an hour and in a minute, at this power.
            let perHour = Self.kilocalories(forWork: Double(power) * 3.6)
            value.append(UInt16(min(max(perHour, 0), 65_534)))
            value.append(UInt8(min(max(perHour / 60, 0), 254)))
            value.append(elapsed)
            return value.bytes
        }
    }

    /// Fitness Machine Control Point.
    enum OpCode {
        static let requestControl: UInt8 = 0x00
        static let reset: UInt8 = 0x01
        static let setTargetResistance: UInt8 = 0x04
        static let setTargetPower: UInt8 = 0x05
        static let startOrResume: UInt8 = 0x07
        static let stopOrPause: UInt8 = 0x08
        static let setSimulation: UInt8 = 0x11
        static let response: UInt8 = 0x80
    }

    enum Result {
        static let success: UInt8 = 1
        static let opCodeNotSupported: UInt8 = 2
        static let invalidParameter: UInt8 = 3
        static let controlNotPermitted: UInt8 = 5
    }

    /// Fitness Machine Status.
    enum Status {
        static let reset: UInt8 = 0x01
        static let stoppedOrPaused: UInt8 = 0x02
        static let startedOrResumed: UInt8 = 0x04
        static let targetResistanceChanged: UInt8 = 0x07
        static let targetPowerChanged: UInt8 = 0x08
        static let simulationChanged: UInt8 = 0x12
    }

    /// Training Status.
    enum Training {
        static let idle: UInt8 = 0x01
        static let manualMode: UInt8 = 0x0D
    }
}
