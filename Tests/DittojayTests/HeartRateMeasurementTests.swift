import TestSupport
import Testing

@testable import GATTProfiles

@Suite struct HeartRateMeasurementTests {
    /// Every combination of the flags, with its bytes. Specification: Heart Rate Service 1.0, 3.1.1.
    static let forms: [(HeartRateMeasurement, [UInt8])] = [
        (.init(rate: 72), [0x00, 72]),
        (.init(rate: 255), [0x00, 255]),
        (.init(rate: 72, rateFormat: .uint16), [0x01, 72, 0]),
        (.init(rate: 300, rateFormat: .uint16), [0x01, 0x2C, 0x01]),
        (.init(rate: 72, contact: .notDetected), [0x04, 72]),
        (.init(rate: 72, contact: .detected), [0x06, 72]),
        (.init(rate: 72, energyExpended: 0x1234), [0x08, 72, 0x34, 0x12]),
        (.init(rate: 72, energyExpended: 65_535), [0x08, 72, 0xFF, 0xFF]),
        (.init(rate: 72, rrIntervals: [1024]), [0x10, 72, 0x00, 0x04]),
        (.init(rate: 72, rrIntervals: [853, 860]), [0x10, 72, 0x55, 0x03, 0x5C, 0x03]),
        (
            .init(
                rate: 258, rateFormat: .uint16, contact: .detected, energyExpended: 7, rrIntervals: [1, 0xFFFF]),
            [0x1F, 0x02, 0x01, 7, 0, 1, 0, 0xFF, 0xFF]
        ),
    ]

    @Test(arguments: forms.indices)
    func `each form is encoded as specified`(index: Int) {
        let (measurement, bytes) = Self.forms[index]
        #expect(measurement.bytes == bytes)
    }

    @Test(arguments: forms.indices)
    func `each form is decoded as specified`(index: Int) throws {
        let (measurement, bytes) = Self.forms[index]
        #expect(try HeartRateMeasurement(bytes: bytes) == measurement)
    }

    @Test func `all 32 combinations of flags survive the way there and back`() throws {
        for flags in 0..<32 {
            let measurement = HeartRateMeasurement(
                rate: 150, rateFormat: flags & 1 != 0 ? .uint16 : .uint8,
                contact: flags & 4 == 0 ? .unsupported : flags & 2 == 0 ? .notDetected : .detected,
                energyExpended: flags & 8 != 0 ? 4711 : nil, rrIntervals: flags & 16 != 0 ? [400, 410, 405] : [])
            #expect(try HeartRateMeasurement(bytes: measurement.bytes) == measurement)
        }
    }

    @Test func `a rate above 255 is sent with 16 bits whatever was asked for`() throws {
        let measurement = HeartRateMeasurement(rate: 256, rateFormat: .uint8)
        #expect(measurement.bytes == [0x01, 0x00, 0x01])
        #expect(try HeartRateMeasurement(bytes: measurement.bytes).rate == 256)
    }

    @Test func `the detected bit means nothing where contact is not supported`() throws {
        #expect(try HeartRateMeasurement(bytes: [0x02, 60]).contact == .unsupported)
    }

    @Test func `bytes that no flag announces are ignored`() throws {
        let measurement = try HeartRateMeasurement(bytes: [0x00, 99, 0, 0, 0, 0, 0, 0])
        #expect(measurement == HeartRateMeasurement(rate: 99))
    }

    @Test(
        arguments: [
            [], [0x00], [0x01, 72], [0x08, 72], [0x08, 72, 1], [0x09, 72, 0, 1], [0x10, 72, 1], [0x10, 72, 1, 2, 3],
            [0x1F, 2, 1, 7, 0, 1],
        ] as [[UInt8]])
    func `a value that ends within a field is refused`(bytes: [UInt8]) {
        #expect(throws: HeartRateMeasurement.DecodingError.self) { try HeartRateMeasurement(bytes: bytes) }
    }

    @Test func `no bytes at all make decoding trap`() {
        var generator = Dice.ofThisRun
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            guard let measurement = try? HeartRateMeasurement(bytes: bytes) else { continue }
            #expect((try? HeartRateMeasurement(bytes: measurement.bytes)) == measurement, "\(bytes)")
        }
    }

    @Test func `the number of RR intervals that fit is as the specification counts it`() {
        // ATT MTU 23: 20 bytes of value; Heart Rate Service 1.0, 3.1.1.4.
        #expect(HeartRateMeasurement(rate: 60).rrIntervalCapacity(inLength: 20) == 9)
        #expect(HeartRateMeasurement(rate: 60, energyExpended: 0).rrIntervalCapacity(inLength: 20) == 8)
        #expect(HeartRateMeasurement(rate: 60, rateFormat: .uint16).rrIntervalCapacity(inLength: 20) == 8)
        #expect(
            HeartRateMeasurement(rate: 60, rateFormat: .uint16, energyExpended: 0).rrIntervalCapacity(inLength: 20)
                == 7)
        #expect(HeartRateMeasurement(rate: 60).rrIntervalCapacity(inLength: 0) == 0)
    }
}
