import GATTProfiles
import Testing

@testable import Dittojay

/// Values of the standard services, byte by byte, and as the table of formats reads them.
@Suite struct StandardValueTests {
    private static let noon = DateTime(year: 2026, month: 11, day: 23, hours: 12, minutes: 5, seconds: 9)
    /// Its bytes in hexadecimal.
    private static let date = "ea070b170c0509"

    struct Example: Swift.Sendable, CustomStringConvertible {
        let uuid: String
        let bytes: [UInt8]
        let hex: String
        let text: String

        init(_ uuid: String, _ bytes: [UInt8], _ hex: String, _ text: String) {
            (self.uuid, self.bytes, self.hex, self.text) = (uuid, bytes, hex, text)
        }

        var description: String { "\(uuid) \(hex)" }
    }

    // MARK: Health

    @Test(arguments: [
        // FLOAT 36.4 as in Personal Health Devices Transcoding White Paper 1.6, 2.2.
        Example(
            HealthThermometer.measurement, HealthThermometer.Temperature(value: 36.4).bytes, "006c0100ff",
            "36.4 °C"),
        Example(
            HealthThermometer.measurement,
            HealthThermometer.Temperature(value: 99.5, unit: .fahrenheit, time: noon, type: 6).bytes,
            "07e30300ff\(date)06", "temperature 99.5 °F, time stamp 2026-11-23T12:05:09, type Mouth"),
        Example(
            BloodPressure.measurement, BloodPressure.Pressure(systolic: 120, diastolic: 80, mean: 93).bytes,
            "00780050005d00", "systolic 120 mmHg, diastolic 80 mmHg, mean arterial pressure 93 mmHg"),
        Example(
            BloodPressure.measurement,
            BloodPressure.Pressure(
                systolic: 16, diastolic: 10.7, mean: 12.4, unit: .kilopascals, time: noon, pulseRate: 66, user: 1,
                status: BloodPressure.Pressure.irregularPulse
            ).bytes, "1fa0f06bf07cf0\(date)4200010400",
            "systolic 16.0 kPa, diastolic 10.7 kPa, mean arterial pressure 12.4 kPa, "
                + "time stamp 2026-11-23T12:05:09, pulse rate 66 bpm, user 1, status Irregular pulse"),
        Example(
            BloodPressure.intermediateCuffPressure, BloodPressure.Pressure(systolic: 150).bytes, "009600ff07ff07",
            "150 mmHg"),
        Example(
            Glucose.measurement,
            Glucose.Measurement(sequenceNumber: 3, baseTime: noon, timeOffset: -60, concentration: 0.00105).bytes,
            "030300\(date)c4ff69b011",
            "sequence number 3, base time 2026-11-23T12:05:09, time offset -60 min, concentration 0.00105 kg/l, "
                + "type and sample location 0x11"),
        Example(
            Glucose.measurement,
            Glucose.Measurement(
                sequenceNumber: 258, baseTime: noon, concentration: 0.0058, unit: .molesPerLitre, status: 1,
                hasContext: true
            ).bytes, "1e0201\(date)3ac0110100",
            "flags context follows, sequence number 258, base time 2026-11-23T12:05:09, concentration 0.0058 mol/l, "
                + "type and sample location 0x11, sensor status Device battery low"),
        Example(
            Glucose.measurementContext,
            Glucose.Context(sequenceNumber: 3, carbohydrate: .init(kind: 2, mass: 0.06), meal: .afterMeal).bytes,
            "030300023cd002", "sequence number 3, carbohydrate Lunch, carbohydrate mass 0.060 kg, meal Postprandial"),
        Example(
            PulseOximeter.spotCheck,
            PulseOximeter.SpotCheck(
                reading: .init(saturation: 97.5, pulseRate: 64), time: noon, status: PulseOximeter.validatedData,
                amplitude: 2.5
            ).bytes, "0bcff34000\(date)800019f0",
            "SpO2 97.5 %, pulse rate 64 bpm, time stamp 2026-11-23T12:05:09, status validated, pulse amplitude 2.5 %"),
        Example(
            PulseOximeter.continuous,
            PulseOximeter.Continuous(
                reading: .init(saturation: 97.5, pulseRate: 64), fast: .init(saturation: 98, pulseRate: 65)
            ).bytes, "01cff34000d4f34100",
            "SpO2 97.5 %, pulse rate 64 bpm, fast SpO2 98.0 %, fast pulse rate 65 bpm"),
        Example(
            WeightScale.measurement, WeightScale.Weight(weight: 70).bytes, "00b036", "70.000 kg"),
        Example(
            WeightScale.measurement,
            WeightScale.Weight(weight: 70, time: noon, user: 2, height: 1.75).bytes, "0eb036\(date)02e500d606",
            "weight 70.000 kg, time stamp 2026-11-23T12:05:09, user 2, BMI 22.9 kg/m², height 1.750 m"),
        Example(
            WeightScale.measurement, WeightScale.Weight(weight: 154.3, unit: .imperial, height: 69).bytes,
            "09463ce400b202", "weight 154.30 lb, BMI 22.8 kg/m², height 69.0 in"),
    ])
    func `a value of a health device has the bytes of its specification`(example: Example) throws {
        try check(example)
    }

    // MARK: Sport

    @Test(arguments: [
        Example(
            CyclingSpeedAndCadence.measurement,
            CyclingSpeedAndCadence.Measurement(wheel: (0x0102_0304, 2048), crank: (20, 1024)).bytes,
            "030403020100081400 0004",
            "wheel revolutions 16909060, last wheel event 2.0000 s, crank revolutions 20, last crank event 1.0000 s"),
        Example(
            CyclingSpeedAndCadence.measurement, CyclingSpeedAndCadence.Measurement(crank: (20, 512)).bytes,
            "0214000002", "crank revolutions 20, last crank event 0.5000 s"),
        Example(
            CyclingPower.measurement, CyclingPower.Measurement(power: 210).bytes, "0000d200", "210 W"),
        Example(
            CyclingPower.measurement,
            CyclingPower.Measurement(
                power: -5, balance: 48.5, wheel: (1000, 4096), crank: (300, 1024), energy: 120
            ).bytes, "3308fbff61e803000000102c0100047800",
            "flags left pedal, power -5 W, pedal power balance 48.5 %, wheel revolutions 1000, last wheel event 2.00000 s, "
                + "crank revolutions 300, last crank event 1.0000 s, accumulated energy 120 kJ"),
        Example(
            RunningSpeedAndCadence.measurement,
            RunningSpeedAndCadence.Measurement(
                speed: 3.5, cadence: 170, strideLength: 2.47, distance: 1000, isRunning: true
            ).bytes, "078003aaf70010270000",
            "flags Running, instantaneous speed 3.5000 m/s, instantaneous cadence 170, "
                + "instantaneous stride length 2.47 m, total distance 1000.0 m"),
        Example(
            FitnessMachine.indoorBikeData,
            FitnessMachine.BikeData(
                speed: 32.5, cadence: 90, distance: 70_000, resistance: 10, power: 200, energy: 12, elapsed: 95
            ).bytes, "7409b20cb4007011010a00c8000c00ad020b5f00",
            "instantaneous speed 32.50 km/h, instantaneous cadence 90.0 rpm, total distance 70000 m, "
                + "resistance level 10, instantaneous power 200 W, total energy 12 kcal, energy per hour 685 kcal, "
                + "energy per minute 11 kcal, elapsed time 95 s"),
    ])
    func `a value of a sports device has the bytes of its specification`(example: Example) throws {
        try check(example)
    }

    @Test(arguments: [
        Example(
            CurrentTime.currentTime, CurrentTime.Time(secondsSince1970: 1_795_435_509.5, adjustReason: 1).bytes,
            "\(date)018001",
            "date and time 2026-11-23T12:05:09, day of week Monday, fractions 0.5000 s, adjusted Manual time update")
    ])
    func `a time has the bytes of its specification`(example: Example) throws {
        try check(example)
    }

    private func check(_ example: Example) throws {
        #expect(example.bytes == (try ValueText.parseHex(example.hex)), "\(ValueText.hex(example.bytes))")
        #expect(AttributeFormat(uuid: example.uuid)?.decode(example.bytes)?.text == example.text)
    }

    // MARK: Limits

    @Test func `what is beyond a field's range is its greatest number`() throws {
        #expect(WeightScale.Weight(weight: 1e9).bytes == [0, 0xFF, 0xFF])
        #expect(WeightScale.Weight(weight: -1).bytes == [0, 0, 0])
        #expect(CyclingPower.Measurement(power: 1, balance: 200).bytes.last == 200)
        // SFLOAT and FLOAT have numbers for what is above and below their range, and for what is not a number.
        for (value, short, long) in [(1e9, "fe07", "feff7f00"), (-1e9, "0208", "02008000"), (.nan, "ff07", "ffff7f00")]
        {
            var builder = ValueBuilder()
            builder.append(shortFloat: value, places: 2)
            builder.append(float: value, places: 2)
            #expect(ValueText.hex(builder.bytes) == short + long)
        }
    }

    @Test func `a time is read as it was written, and no other bytes are one`() throws {
        for seconds in [0, 951_782_400, 951_868_800, 1_795_435_509, 4_102_444_799] {
            let time = DateTime(secondsSince1970: seconds)
            #expect(time.secondsSince1970 == seconds)
            #expect(DateTime(bytes: time.bytes) == time)
        }
        #expect(DateTime(secondsSince1970: 951_782_400) == DateTime(year: 2000, month: 2, day: 29))
        for wrong in ["ea070b170c05", "ea070d170c0509", "ea070b200c0509", "ea070b17180509", "ea070b170c3c09"] {
            #expect(DateTime(bytes: try ValueText.parseHex(wrong)) == nil, "\(wrong)")
        }
        #expect(DateTime(bytes: [0, 0, 0, 0, 0, 0, 0])?.secondsSince1970 == nil)
    }
}
