import Testing

@testable import GATTProfiles

@Suite struct DecodingTests {
    private func text(_ uuid: String, _ hex: String) throws -> String? {
        AttributeFormat(uuid: uuid)?.decode(try ValueText.parseHex(hex))?.text
    }

    @Test(arguments: [
        ("2A6E", "6608", "21.50 °C"), ("2A6E", "18fc", "-10.00 °C"), ("2A6E", "ffff", "-0.01 °C"),
        ("2A6E", "0080", "not known"), ("2A6F", "d011", "45.60 %"), ("2A6D", "70a60f00", "102564.8 Pa"),
        ("2A19", "57", "87 %"), ("2A07", "f4", "-12 dBm"), ("2A98", "b036", "70.000 kg"),
        ("2A8E", "b400", "1.80 m"),
        ("2A76", "0b", "11"), ("2A79", "f6", "-10 °C"), ("2A6C", "e7ffff", "-0.25 m"), ("2A77", "0a00", "1.0 W/m²"),
        ("2A78", "7d00", "0.125 m"), ("2A74", "0f", "1.5"), ("2A75", "010203", "197121 1/m³"),
        ("2B8C", "a401", "420 ppm"), ("2B8C", "feff", "65534 or greater"), ("2BE7", "6400", "100 ppb"),
        ("2AFB", "a08601", "1000.00 lx"), ("2B18", "c000", "3.000 V"), ("2B18", "c100", "3.016 V"),
        ("2AEE", "7b00", "1.23 A"), ("2B05", "e80300", "100.0 W"), ("2B04", "c8", "100.0 %"),
        ("2B13", "40", "1.000 s"), ("2B13", "41", "1.100 s"), ("2B13", "00", "0.000 s"),
        ("2B13", "ff", "not known"),
        ("2AFD", "010000", "1000 lm·h"), ("2BE0", "800000", "2.000 V"), ("2AF2", "0a0000", "10 kWh"),
        ("2BE4", "37", "55 dB"), ("2A80", "2a", "42 years"), ("2A8D", "b4", "180 bpm"), ("2AEA", "0500", "5"),
        ("2AE2", "01", "True"), ("2AE9", "8813", "5000 K"), ("2BD6", "0cb0", "0.00012 kg/m³"),
        ("2BD0", "ff07", "no number"), ("2A9B", "02000000", "Multiple Users Supported"),
        ("2A5C", "0300", "Wheel Revolution Data Supported + Crank Revolution Data Supported"),
        ("2A5C", "0000", "none"),
        ("2A5C", "0080", "bit 15"), ("2AE8", "0000c03f", "1.5"), ("2AFA", "010000000000", "1"),
        ("2C0A", "80969800", "1.0000000 m"), ("2A2C", "6400", "1.00 °"), ("2A12", "08", "1.000 s"),
        ("2A0E", "04", "60 min"), ("2A0E", "f0", "-240 min"), ("2A0E", "80", "the time zone offset is not known"),
    ])
    func `a value is shown with its unit, and as many places as its resolution has`(
        uuid: String, hex: String, shown: String
    ) throws {
        #expect(try text(uuid, hex) == shown)
    }

    @Test(arguments: [
        ("2A38", "01", "Chest"), ("2A5D", "04", "Front Wheel"), ("2A06", "02", "High Alert"),
        ("2A1D", "06", "Mouth"),
        ("2A4E", "01", "Report protocol"), ("2A8C", "01", "Female"), ("2AA3", "09", "Steady"),
        ("2C20", "00", "Open"),
        ("2A01", "4003", "Heart Rate Sensor"), ("2A01", "4103", "Heart Rate Belt"), ("2A01", "ffff", "unknown"),
        ("2A08", "ea070b170d0500", "2026-11-23T13:05:00"), ("2A08", "00000b17000000", "????-11-23T00:00:00"),
        ("2AED", "000000", "not known"), ("2AED", "010000", "1970-01-02"), ("2AED", "e64f00", "2026-01-01"),
        ("2AED", "082b00", "2000-02-29"), ("2A85", "b707061e", "1975-06-30"),
        ("2A29", "44697474 6f6a6179 00", "Dittojay"), ("2A00", "", ""), ("2A24", "c3a9", "é"),
        ("2AF8", "6162630000000000", "abc"),
        ("2A50", "0159000100 0102", "vendor Nordic Semiconductor ASA, product 0x1, version 2.0.1"),
        ("2A50", "026d04 1ac5 1112", "vendor USB 0x046D, product 0xC51A, version 18.1.1"),
        (
            "2A23", "1234560000 ffee00",
            "manufacturer identifier 1234560000, organizationally unique identifier ffee00"
        ),
        (
            "2904", "0efe 2f27 01 0000",
            "format sint16, exponent -2, unit Celsius temperature (degree Celsius), name space 1, description 0x0"
        ),
        ("2902", "0100", "notifications"),
        ("2A4A", "1101 00 03", "HID version 1.1.1, country 0, flags Remote wake + Normally connectable"),
    ])
    func `numbers with a meaning, dates, versions and texts are shown as what they are`(
        uuid: String, hex: String, shown: String
    ) throws {
        #expect(try text(uuid, hex) == shown)
    }

    @Test(arguments: [
        ("2A37", "0048", "72 bpm"),
        (
            "2A37", "16 48 0004 0006",
            "flags contact + contact supported, heart rate 72 bpm, RR intervals 1.0000 1.5000 s"
        ),
        ("2A1C", "00 6b0100ff", "36.3 °C"), ("2A1C", "01 d90300ff", "98.5 °F"),
        ("2A1C", "00 ffff7f00", "no number"),
        ("2A1C", "06 6b0100ff ea070b170d0500 03", "temperature 36.3 °C, time stamp 2026-11-23T13:05:00, type Ear"),
        ("2A35", "00 7800 5000 5d00", "systolic 120 mmHg, diastolic 80 mmHg, mean arterial pressure 93 mmHg"),
        (
            "2A35", "05 a0f0 6bf0 7cf0 4600",
            "systolic 16.0 kPa, diastolic 10.7 kPa, mean arterial pressure 12.4 kPa, pulse rate 70 bpm"
        ),
        ("2A53", "04 0003 50", "flags Running, instantaneous speed 3.0000 m/s, instantaneous cadence 80"),
        ("2A5B", "02 0a00 0004", "crank revolutions 10, last crank event 1.0000 s"),
        ("2A9D", "00 b036", "70.000 kg"), ("2A9D", "01 703e", "159.84 lb"),
        ("2A63", "2000 fa00 0500 0004", "power 250 W, crank revolutions 5, last crank event 1.0000 s"),
        (
            "2AD2", "4400 c409 b400 c800",
            "instantaneous speed 25.00 km/h, instantaneous cadence 90.0 rpm, instantaneous power 200 W"
        ),
        ("2AD2", "0100", "More Data"), ("2ACD", "0000 e803", "10.00 km/h"),
        ("2AA7", "06 00 6e00 0500", "glucose 110 mg/dl, time offset 5 min"),
        (
            "2A2B", "ea070b170d0500 01 80 01",
            "date and time 2026-11-23T13:05:00, day of week Monday, fractions 0.5000 s, adjusted Manual time update"
        ),
        ("2BED", "02 0100 64", "power state Battery Present, battery level 100 %"),
        ("2B0E", "29 50 f0", "temperature 20.5 °C, start time 8.0 h, end time 24.0 h"),
        (
            "2A04", "1800 2800 0000 f401",
            "minimum interval 30.00 ms, maximum interval 50.00 ms, latency 0, timeout 5000 ms"
        ),
    ])
    func `of several fields those are shown that the flags say are there`(uuid: String, hex: String, shown: String)
        throws
    {
        let found = try text(uuid, hex)
        #expect(found == shown)
    }

    /// Values of machines that people have recorded, and of the supplement's form.
    @Test(arguments: [
        (
            "2AD2", "6402 0000 0000 1400 0000 00",
            "instantaneous speed 0.00 km/h, instantaneous cadence 0.0 rpm, resistance level 20, "
                + "instantaneous power 0 W, heart rate 0 bpm"
        ),
        (
            "2AD2", "fe02 990b c707 b200 7200 f70000 1400 4600 5d00 00",
            "instantaneous speed 29.69 km/h, average speed 19.91 km/h, instantaneous cadence 89.0 rpm, "
                + "average cadence 57.0 rpm, total distance 247 m, resistance level 20, instantaneous power 70 W, "
                + "average power 93 W, heart rate 0 bpm"
        ),
        ("2AD2", "2000 0000 14", "instantaneous speed 0.00 km/h, resistance level 20"),
        (
            "2AD6", "0a00 f000 0a00",
            "minimum resistance level 1.0, maximum resistance level 24.0, minimum increment 1.0"
        ),
        ("2AD6", "01 18 01", "minimum resistance level 1, maximum resistance level 24, minimum increment 1"),
        ("2ACE", "810000 fbff", "flags More Data, resistance level -0.5"),
        ("2ACE", "810000 05", "flags More Data, resistance level 5"),
        // The pace was kilometres a minute in a byte, and became the seconds for 500 m.
        ("2ACD", "2100 03", "flags More Data, instantaneous pace 0.3 km/min"),
        ("2ACD", "2100 7800", "flags More Data, instantaneous pace 120 s"),
        ("2ACD", "0102 55", "flags More Data, metabolic equivalent 8.5 MET"),
        ("2A47", "0f", "Simple Alert + Email + News + Call"),
        ("2A47", "0103", "Simple Alert + High Prioritized Alert + Instant Message"),
    ])
    func `what devices send in two forms is read in both`(uuid: String, hex: String, shown: String) throws {
        #expect(try text(uuid, hex) == shown)
    }

    /// Specification: Fitness Machine Service 1.0, 4.4.1.7, 4.6.1.2 and 4.8.1.2: they have no value that stands for
    /// none.
    @Test(arguments: [
        (
            "2ACD", "1100 ffff ffff",
            "flags More Data, positive elevation gain 6553.5 m, negative elevation gain 6553.5 m"
        ),
        ("2ACF", "0000 ffff ffff", "floors 65535, step count 65535"),
        ("2AD1", "0000 ff ffff", "stroke rate 127.5 strokes/min, stroke count 65535"),
    ])
    func `what a fitness machine always has is a number`(uuid: String, hex: String, shown: String) throws {
        #expect(try text(uuid, hex) == shown)
    }

    @Test(arguments: [
        ("2AD2", "0101 ffff ffff ff", "total energy", "not available"),
        ("2A9D", "00ffff", "weight", "measurement unsuccessful"),
        ("2A9C", "0000ffff", "body fat", "measurement unsuccessful"),
        ("2BEE", "00ffffff", "time until discharged", "Unknown"),
        ("2BEE", "00feffff", "time until discharged", "Greater than 0xFFFFFD"),
        ("2A18", "01 0100 ea070b170c0509 ff7f", "time offset", "overrun"),
        ("2A18", "01 0100 ea070b170c0509 0080", "time offset", "underrun"),
        ("2A45", "01ff", "unread count", "there are more than 254 unread alerts in the server"),
        ("2ACD", "0800 0000 ff7f 0a00", "inclination", "not available"),
        ("2A12", "fe", "accuracy", "drift is larger than 31.625s"),
        ("2A6E", "0080", "temperature", "not known"), ("2A1C", "00 ffff7f00", "temperature", "no number"),
        ("2AE8", "0000c07f", "coefficient", "nan"), ("2AEA", "ffff", "count", "not known"),
        ("2A9A", "ff", "user index", "Unknown User"),
    ])
    func `what stands for no number is none, and says why`(uuid: String, hex: String, name: String, reason: String)
        throws
    {
        let bytes = try ValueText.parseHex(hex)
        let decoded = try #require(AttributeFormat(uuid: uuid)?.decode(bytes))
        let field = try #require(decoded.fields.first { $0.name == name })
        guard case .special(reason, _) = field.content else {
            Issue.record("\(field.content)")
            return
        }
        #expect(AttributeFormat(uuid: uuid)?.scaledNumber?.number(in: bytes) == nil)
    }

    @Test(arguments: [
        (
            "2BED", "02 2300 50",
            "power state Battery Present + Wired External Power Source Connected + Battery Charge State: Charging, battery level 80 %"
        ),
        (
            "2BED", "00 0670",
            "bits 1-2: 3 + Charging Fault Reason: Battery + Charging Fault Reason: External Power source + Charging Fault Reason: Other"
        ),
        (
            "2A51", "0700",
            "Low Battery Detection During Measurement feature supported + Sensor Malfunction Detection feature supported + Sensor Sample Size feature supported"
        ),
        ("2A54", "2100", "Instantaneous Stride Length Measurement Supported + bit 5"),
        (
            "2A65", "00041000",
            "Cycling Power Measurement Characteristic Content Masking Supported + Distributed System Support: Not for use in a distributed system"
        ),
        ("2A6A", "00000200", "Location and Speed Characteristic Content Masking Supported"),
        ("2A9B", "00080000", "Weight Measurement Resolution: Resolution of 0.5 kg or 1 lb"),
        ("2A9E", "f8010000", "bits 3-6: 15 + Height Measurement Resolution: Resolution of 0.001 meter or 0.1 inch"),
        (
            "2A67", "8104 0a00",
            "flags Position Status: Position Ok + Elevation Source: Barometric Air Pressure, instantaneous speed 0.10 m/s"
        ),
        ("2A69", "8000", "Position Status: Position Ok"),
        (
            "2BF2", "08 010000000000 01 00",
            "flags Time resolution: 1 millisecond, time value 1, time sync source type 1, TZ/DST offset 0"
        ),
        ("2A63", "0280 fa00", "flags left pedal + bit 15, power 250 W"),
        ("2A53", "08 0003 50", "flags bit 3, instantaneous speed 3.0000 m/s, instantaneous cadence 80"),
    ])
    func `each bit that is set is shown, by its name or its number`(uuid: String, hex: String, shown: String) throws {
        #expect(try text(uuid, hex) == shown)
    }

    @Test(arguments: [
        ("2AD9", "80 0e 01", "op code response, request set targeted time in two zones, result success"),
        ("2ADA", "15 b400", "status targeted cadence changed, parameter b400"),
        ("2A66", "20 10 04", "op code response, request start enhanced offset compensation, result operation failed"),
        ("290D", "01 3c0000", "condition at fixed intervals, operand 3c0000"),
    ])
    func `procedures and status have their names`(uuid: String, hex: String, shown: String) throws {
        #expect(try text(uuid, hex) == shown)
    }

    @Test func `no set bit of a field of bits, and no flag without a field, goes unsaid`() throws {
        for (number, format) in AttributeFormat.all {
            for bit in 0..<32 {
                let value = UInt32(1) << UInt32(bit)
                let bytes = (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
                for width in 1...4 where bit < 8 * width {
                    guard let decoded = format?.decode(bytes.prefix(width)), decoded.fields.count == 1,
                        case .bits(let names, _) = decoded.fields[0].content
                    else { continue }
                    #expect(names.count == 1, "\(String(number, radix: 16)) bit \(bit)")
                }
            }
        }
    }

    @Test(arguments: [
        ("2A6E", ""), ("2A6E", "66"), ("2A6E", "660800"), ("2A37", "01 48"), ("2A37", "10 48 00"),
        ("2A1C", "00 6b01"),
        ("2A08", "ea070d170d0500"), ("2A08", "ea070b17190500"), ("2A08", "ea07021f0d0500"), ("2A08", "ea07021d0d0500"),
        ("2A29", "ff"), ("2A24", "c3"), ("2A19", "5700"),
        ("2BFF", "01 616263"), ("2A35", "00 7800"),
    ])
    func `what does not fit its format is not decoded`(uuid: String, hex: String) throws {
        #expect(AttributeFormat(uuid: uuid) != nil)
        #expect(try text(uuid, hex) == nil)
    }

    @Test func `there is a format for far more than two hundred, each of them understood`() {
        let all = AttributeFormat.all
        #expect(all.count > 270)
        for (number, format) in all { #expect(format != nil, "\(String(number, radix: 16))") }
        #expect(AttributeFormat(uuid: "FFF0") == nil)
        #expect(AttributeFormat(uuid: "00002A6E-0000-1000-8000-00805F9B34FB") == AttributeFormat(uuid: "2A6E"))
        #expect(AttributeFormat(uuid: "00002A6E-0000-1000-8000-00805F9B34FC") == nil)
    }
}
