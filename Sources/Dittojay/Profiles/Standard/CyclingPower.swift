import CoreBluetooth
import GATTProfiles

/// The Cycling Power Service (1818). Specification: Cycling Power Service 1.1.
enum CyclingPower {
    static let service = "1818"
    static let feature = "2A65"
    static let measurement = "2A63"
    static let sensorLocation = "2A5D"
    static let controlPoint = "2A66"

    /// Cycling Power Feature: pedal power balance, wheel revolutions, crank revolutions, accumulated energy,
    /// offset compensation, masked fields, several sensor locations, crank length; it measures torque, not force.
    static let features: UInt32 =
        1 << 0 | 1 << 2 | 1 << 3 | 1 << 7 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 12 | 1 << 16

    static let characteristics: [CharacteristicProfile] = [
        .measurement(measurement, .notify, every: 1),
        .constant(feature, NumberType.bytes(of: features)),
        .simulated(sensorLocation, .read),
        .controlPoint(controlPoint),
    ]

    /// The value of Cycling Power Measurement, with the fields that this sensor has.
    struct Measurement {
        /// Watts.
        var power: Int16
        /// The share of the left pedal in percent, in steps of 0.5.
        var balance: Double?
        /// Revolutions, and the time of the last one in 1/2048 s.
        var wheel: (revolutions: UInt32, time: UInt16)?
        /// Revolutions, and the time of the last one in 1/1024 s.
        var crank: (revolutions: UInt16, time: UInt16)?
        /// Kilojoules.
        var energy: UInt16?

        var bytes: [UInt8] {
            var flags: UInt16 = 0
            // The balance is the left pedal's.
            if balance != nil { flags |= 1 << 0 | 1 << 1 }
            if wheel != nil { flags |= 1 << 4 }
            if crank != nil { flags |= 1 << 5 }
            if energy != nil { flags |= 1 << 11 }
            var value = ValueBuilder()
            value.append(flags)
            value.append(power)
            if let balance { value.append(UInt8(min(max(balance * 2, 0).rounded(), 200))) }
            if let wheel { value.append(wheel) }
            if let crank { value.append(crank) }
            if let energy { value.append(energy) }
            return value.bytes
        }
    }

    /// Cycling Power Control Point.
    enum OpCode {
        static let setCumulativeValue: UInt8 = 1
        static let updateSensorLocation: UInt8 = 2
        static let requestSupportedSensorLocations: UInt8 = 3
        static let setCrankLength: UInt8 = 4
        static let requestCrankLength: UInt8 = 5
        static let startOffsetCompensation: UInt8 = 12
        static let maskMeasurement: UInt8 = 13
        static let response: UInt8 = 32
    }

    enum Result {
        static let success: UInt8 = 1
        static let opCodeNotSupported: UInt8 = 2
        static let invalidParameter: UInt8 = 3
        static let operationFailed: UInt8 = 4
    }

    /// Left crank, right crank, rear hub.
    static let sensorLocations: [UInt8] = [5, 6, 13]
}

extension CyclingPower {
    final class Model: ServiceModel {
        private var rider: Rider
        private var point = ControlPoint(
            CyclingPower.controlPoint, responseCode: OpCode.response, errors: .common)
        private var location = CyclingPower.sensorLocations[0]
        /// Half millimetres.
        private var crankLength: UInt16 = 345
        /// Kilojoules.
        private var energy = 0.0
        /// The bits of the fields that are left out.
        private var mask: UInt16 = 0
        /// The parameter of an op code that sets the crank length: 110 to 230 mm.
        private static let crankLengths: ClosedRange<UInt16> = 220...460

        init(_ setup: ModelSetup) {
            rider = Rider(seed: setup.seed)
        }

        func measurement(of uuid: String, maximumLength: Int) -> [UInt8]? {
            rider.ride(for: 1)
            energy += rider.power / 1000
            var measurement = Measurement(power: Int16(rider.power.rounded()))
            if mask & 1 << 0 == 0 { measurement.balance = 48 + rider.chance() * 4 }
            if mask & 1 << 2 == 0 {
                measurement.wheel = (rider.wheel.count, rider.wheel.lastEvent(inUnitsOf: 2048))
            }
            if mask & 1 << 3 == 0 {
                measurement.crank = (
                    UInt16(truncatingIfNeeded: rider.crank.count), rider.crank.lastEvent(inUnitsOf: 1024)
                )
            }
            if mask & 1 << 8 == 0 { measurement.energy = UInt16(min(energy, 65_535)) }
            return measurement.bytes
        }

        func value(of uuid: String) -> [UInt8]? { uuid == CyclingPower.sensorLocation ? [location] : nil }

        func write(_ request: [UInt8], to uuid: String, by client: ModelClient) throws(CBATTError) {
            guard let code = request.first else { throw CBATTError(.invalidAttributeValueLength) }
            try point.begin(client)
            let parameter = Array(request.dropFirst())
            let number = parameter.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let word = UInt16(truncatingIfNeeded: number)
            switch (code, parameter.count) {
            case (OpCode.setCumulativeValue, 4):
                rider.wheel.count = number
                point.respond(to: code, Result.success)
            case (OpCode.updateSensorLocation, 1) where CyclingPower.sensorLocations.contains(parameter[0]):
                location = parameter[0]
                point.respond(to: code, Result.success)
            case (OpCode.requestSupportedSensorLocations, 0):
                point.respond(to: code, Result.success, CyclingPower.sensorLocations)
            case (OpCode.setCrankLength, 2) where Self.crankLengths.contains(word):
                crankLength = word
                point.respond(to: code, Result.success)
            case (OpCode.requestCrankLength, 0):
                point.respond(to: code, Result.success, NumberType.bytes(of: crankLength))
            case (OpCode.startOffsetCompensation, 0):
                // The raw offset, in 1/32 Nm; it takes a moment.
                point.respond(to: code, Result.success, NumberType.bytes(of: UInt16(520)), after: 1)
            case (OpCode.maskMeasurement, 2):
                mask = word
                point.respond(to: code, Result.success)
            case (OpCode.setCumulativeValue, _), (OpCode.updateSensorLocation, _), (OpCode.setCrankLength, _),
                (OpCode.maskMeasurement, _), (OpCode.requestSupportedSensorLocations, _),
                (OpCode.requestCrankLength, _), (OpCode.startOffsetCompensation, _):
                point.respond(to: code, Result.invalidParameter)
            default: point.respond(to: code, Result.opCodeNotSupported)
            }
        }

        func nextMessage() -> ModelMessage? { point.next() }

        func unsubscribed(from uuid: String) {
            if uuid == CyclingPower.controlPoint { point.cancel() }
        }
    }
}
