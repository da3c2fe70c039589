import GATTProfiles
import Testing

@testable import Dittojay

/// The control points of the standard services besides that of glucose meters.
@Suite struct ControlPointTests {
    /// Requests and what follows, on one device, one after another.
    private func check(
        _ service: StandardService, _ uuid: String, _ exchanges: [(request: String, following: [String])]
    ) throws {
        let bench = try #require(ModelBench(service))
        for (request, following) in exchanges {
            #expect(try bench.write(request, on: uuid) == following, "\(request)")
        }
    }

    @Test func `a cadence sensor sets its count and its place`() throws {
        try check(
            .cyclingSpeedAndCadence, "2A55",
            [
                ("04", ["2A55 1004010c0405"]), ("0304", ["2A55 100301"]), ("0309", ["2A55 100303"]),
                ("03", ["2A55 100303"]), ("0100000000", ["2A55 100101"]), ("0100", ["2A55 100103"]),
                // It has nothing to calibrate.
                ("02", ["2A55 100202"]), ("09", ["2A55 100902"]), ("", ["error 0xd"]),
            ])
        let bench = try #require(ModelBench(.cyclingSpeedAndCadence))
        #expect(try bench.model.value(of: "2A5D") == [12])
        _ = try bench.write("0305", on: "2A55")
        #expect(try bench.model.value(of: "2A5D") == [5])
        _ = try bench.write("0140e20100", on: "2A55")
        let text = bench.measure("2A5B", 1)[0]?.text ?? ""
        #expect(text.hasPrefix("wheel revolutions 12345") || text.hasPrefix("wheel revolutions 12346"), "\(text)")
    }

    @Test func `a running sensor is calibrated, and its distance set`() throws {
        try check(
            .runningSpeedAndCadence, "2A55",
            [("02", ["2A55 100201"]), ("04", ["2A55 100401020103"]), ("0110270000", ["2A55 100101"])])
        let bench = try #require(ModelBench(.runningSpeedAndCadence))
        _ = try bench.write("0110270000", on: "2A55")
        #expect(bench.measure("2A53", 1)[0]?.text.contains("total distance 100") == true)
    }

    @Test func `a power meter's settings are set and asked for`() throws {
        try check(
            .cyclingPower, "2A66",
            [
                ("03", ["2A66 20030105060d"]), ("0206", ["2A66 200201"]), ("0201", ["2A66 200203"]),
                ("05", ["2A66 2005015901"]), ("045401", ["2A66 200401"]), ("05", ["2A66 2005015401"]),
                ("04ffff", ["2A66 200403"]), ("0454", ["2A66 200403"]), ("0c", ["2A66 200c010802"]),
                ("0c00", ["2A66 200c03"]), ("0101000000", ["2A66 200101"]), ("01", ["2A66 200103"]),
                // Chain lengths are not known.
                ("07", ["2A66 200702"]), ("", ["error 0xd"]),
            ])
    }

    @Test func `a power meter leaves out what is masked`() throws {
        let bench = try #require(ModelBench(.cyclingPower))
        #expect(try bench.write("0dffff", on: "2A66") == ["2A66 200d01"])
        let value = try #require(bench.model.measurement(of: "2A63", maximumLength: 20))
        #expect(value.count == 4 && value.prefix(2) == [0, 0])
    }

    @Test func `a fitness machine obeys whoever has asked for control`() throws {
        try check(
            .fitnessMachine, "2AD9",
            [
                ("05c800", ["2AD9 800505"]), ("00", ["2AD9 800001"]), ("05c800", ["2AD9 800501", "2ADA 08c800"]),
                ("05ffff", ["2AD9 800503"]), ("05", ["2AD9 800503"]), ("0464", ["2AD9 800401", "2ADA 0764"]),
                ("046400", ["2AD9 800401", "2ADA 076400"]), ("04ff", ["2AD9 800403"]), ("04ff7f", ["2AD9 800403"]),
                ("04640000", ["2AD9 800403"]), ("07", ["2AD9 800701", "2ADA 04"]),
                ("0801", ["2AD9 800801", "2ADA 0201", "2AD3 0001"]), ("0801", ["2AD9 800801", "2ADA 0201"]),
                ("0803", ["2AD9 800803"]), ("07", ["2AD9 800701", "2ADA 04", "2AD3 000d"]),
                ("110000f40128", ["2AD9 801103"]), ("110000f4012833", ["2AD9 801101", "2ADA 120000f4012833"]),
                ("02e803", ["2AD9 800202"]), ("01", ["2AD9 800101", "2ADA 01"]), ("07", ["2AD9 800705"]),
                ("", ["error 0xd"]),
            ])
    }

    @Test func `a fitness machine holds the power that is set, and stops`() throws {
        let bench = try #require(ModelBench(.fitnessMachine))
        for request in ["00", "056400"] { _ = try bench.write(request, on: "2AD9") }
        for value in bench.measure("2AD2", 20) {
            let power = value?.fields.first { $0.name == "instantaneous power" }?.content.text ?? ""
            #expect((80...120).contains(Int(power.dropLast(2)) ?? 0), "\(power)")
        }
        _ = try bench.write("0801", on: "2AD9")
        let texts = bench.measure("2AD2", 2).map { $0?.text ?? "" }
        #expect(texts[0].hasPrefix("instantaneous speed 0.00 km/h") && texts[0] == texts[1])
        #expect(try bench.model.value(of: "2AD3") == [0, 1])
        // A level that was set is a whole one in the data.
        _ = try bench.write("045000", on: "2AD9")
        #expect(bench.measure("2AD2", 1)[0]?.text.contains("resistance level 8,") == true)
        // Control ends with the connection.
        bench.model.unsubscribed(from: "2AD9")
        #expect(try bench.write("07", on: "2AD9") == ["2AD9 800705"])
    }

    @Test func `a user's data need consent`() throws {
        try check(
            .userData, "2A9F",
            [
                ("02000000", ["2A9F 200205"]), ("0205d204", ["2A9F 200203"]), ("0200", ["2A9F 200203"]),
                ("03", ["2A9F 200305"]), ("0200d204", ["2A9F 200201"]), ("010a00", ["2A9F 20010101"]),
                ("01ffff", ["2A9F 200103"]), ("02010a00", ["2A9F 200201"]), ("03", ["2A9F 200301", "2A99 00000000"]),
                ("0300", ["2A9F 200303"]), ("09", ["2A9F 200902"]), ("", ["error 0xd"]),
            ])
    }

    @Test func `a user's data are read and written after consent, until the connection ends`() throws {
        let bench = try #require(ModelBench(.userData))
        #expect(try bench.model.value(of: "2A9A") == [0xFF])
        #expect(try bench.write("2a", on: "2A80") == ["error 0x80"])
        #expect(throws: (any Error).self) { try bench.model.value(of: "2A80") }
        _ = try bench.write("0200d204", on: "2A9F")
        #expect(try bench.model.value(of: "2A9A") == [0])
        #expect(try bench.write("2a", on: "2A80") == [])
        #expect(try bench.model.value(of: "2A80") == [0x2A])
        bench.model.unsubscribed(from: "2A9F")
        #expect(try bench.write("2a", on: "2A80") == ["error 0x80"])
    }

    @Test func `there is room for eight users`() throws {
        let bench = try #require(ModelBench(.userData))
        for index in 1...7 {
            #expect(try bench.write("010a00", on: "2A9F") == ["2A9F 2001010\(index)"])
        }
        #expect(try bench.write("010a00", on: "2A9F") == ["2A9F 200104"])
    }

    @Test(arguments: [
        (StandardService.cyclingSpeedAndCadence, "2A55", "04", 0x81, 0x80),
        (.runningSpeedAndCadence, "2A55", "04", 0x81, 0x80), (.cyclingPower, "2A66", "03", 0xFD, 0xFE),
        (.fitnessMachine, "2AD9", "00", 0xFD, 0xFE), (.userData, "2A9F", "0200d204", 0xFD, 0xFE),
    ])
    func `a control point needs indications, and does one thing at a time`(
        service: StandardService, uuid: String, request: String, unconfigured: Int, busy: Int
    ) throws {
        let bench = try #require(ModelBench(service))
        bench.subscriptions = []
        #expect(try bench.begin(request, on: uuid) == unconfigured)
        bench.subscriptions = [uuid]
        #expect(try bench.begin(request, on: uuid) == nil)
        #expect(try bench.begin(request, on: uuid) == busy)
        bench.follow()
        #expect(try bench.begin(request, on: uuid) == nil)
    }

    @Test func `a clock is set`() throws {
        let bench = try #require(ModelBench(.currentTime))
        #expect(ValueText.hex(try bench.model.value(of: "2A2B") ?? []) == "ea070b170c0509010000")
        // Two hours ahead of UTC, in quarters; the DST offset is not known.
        #expect(try bench.model.value(of: "2A0F") == [8, 255])
        #expect(try bench.write("ea070b180c0000020000", on: "2A2B") == ["2A2B ea070b180c0000020001"])
        #expect(ValueText.hex(try bench.model.value(of: "2A2B") ?? []) == "ea070b180c0000020000")
        #expect(try bench.write("ea070d180c0000020000", on: "2A2B") == ["error 0x80"])
    }
}
