import GATTProfiles
import TestSupport
import Testing

@testable import Dittojay

@Suite struct BeaconTests {
    /// The example of Apple's Getting Started with iBeacon has these identifiers.
    @Test func `an iBeacon is read as it was written`() throws {
        let beacon = IBeacon(
            uuid: "8deefbb9-f738-4297-8040-96668bb44281", major: 1, minor: 0x1000, measuredPower: -59)
        #expect(ValueText.hex(beacon.data) == "02158deefbb9f7384297804096668bb4428100011000c5")
        #expect(IBeacon(data: beacon.data) == beacon)
        #expect(
            beacon.text == "ibeacon 8DEEFBB9-F738-4297-8040-96668BB44281, major 1, minor 4096, -59 dBm at 1 m")
        for wrong in [[], Array(beacon.data.dropLast()), beacon.data + [0], [0x10, 0x15] + beacon.data.dropFirst(2)] {
            #expect(IBeacon(data: wrong) == nil)
        }
    }

    /// The frames' bytes as the Eddystone Protocol Specification lays them out.
    @Test(arguments: [
        (
            "00ee 00010203040506070809 0a0b0c0d0e0f 0000",
            "eddystone-uid 00010203040506070809 0a0b0c0d0e0f, -18 dBm at 0 m"
        ),
        ("10f8 03 676f6f2e676c2f61", "eddystone-url https://goo.gl/a, -8 dBm at 0 m"),
        ("10f8 00 6578616d706c65 00 78", "eddystone-url http://www.example.com/x, -8 dBm at 0 m"),
        ("10f8 01 6578616d706c65 08", "eddystone-url https://www.example.org, -8 dBm at 0 m"),
        ("2000 0bb8 1580 00000102 00000e10", "eddystone-tlm 3000 mV, 21.50 °C, 258 advertisements, 360 s"),
        ("2000 0000 8000 00000000 00000000", "eddystone-tlm 0 advertisements, 0 s"),
        ("2000 0000 ff80 00000001 0000000a", "eddystone-tlm -0.50 °C, 1 advertisements, 1 s"),
        ("30f8 0102030405060708", "eddystone-eid 0102030405060708, -8 dBm at 0 m"),
    ])
    func `an Eddystone frame is read as it was written`(hex: String, text: String) throws {
        let bytes = try ValueText.parseHex(hex)
        let frame = try #require(Eddystone(data: bytes))
        #expect(frame.text == text)
        #expect(frame.data == bytes)
    }

    @Test(arguments: [
        "", "00", "00ee00", "10f8", "10f804", "10f8030e", "10f80320", "2001 0bb8 1580 00000102 00000e10", "2000",
        "30f801", "40f8", "10f803 6161616161616161616161616161616161 61 61",
    ])
    func `other data are no Eddystone frame`(hex: String) throws {
        #expect(Eddystone(data: try ValueText.parseHex(hex)) == nil)
    }

    @Test(arguments: ["ftp://example.com", "https://example.com/too-long-a-path", "https://exämple.com", "https://a b"])
    func `an address that does not fit is not sent`(url: String) {
        #expect(Eddystone.url(url, power: 0).data == nil)
        var frames = EddystoneFrames(EddystoneBeacon(url: url), seed: 1)
        #expect((0..<3).allSatisfy { _ in frames.next().count <= 20 })
    }

    @Test(arguments: [(0.1, 2.0, 20), (1.28, 2.0, 2), (1.28, 0.5, 1)])
    func `a beacon counts the advertisements that its interval makes`(interval: Double, turn: Double, each: Int) throws
    {
        var frames = EddystoneFrames(EddystoneBeacon(interval: turn), seed: 1, interval: interval)
        let counts = (0..<9).compactMap { _ -> UInt32? in
            guard case .telemetry(_, _, let count, _)? = Eddystone(data: frames.next()) else { return nil }
            return count
        }
        #expect(counts == [2, 5, 8].map { UInt32($0 * each) })
    }

    @Test func `a beacon's frames take turns, and follow from the seed`() throws {
        func run(_ seed: UInt64) -> [Eddystone?] {
            var frames = EddystoneFrames(EddystoneBeacon(), seed: seed)
            return (0..<300).map { _ in Eddystone(data: frames.next()) }
        }
        let frames = run(1)
        #expect(
            frames.prefix(4).map { $0?.name } == ["eddystone-uid", "eddystone-url", "eddystone-tlm", "eddystone-uid"])
        #expect(frames[0] == frames[3] && frames[2] != frames[5] && !frames.contains(nil))
        #expect(run(1) == frames && run(2)[0] != frames[0])
    }
}
