import Captures
import Dittojay
import Foundation
import TestSupport
import Testing

/// The same session in each format of files is the same device.
@Suite struct CaptureFormatTests {
    @Test(arguments: CaptureBuilder.Format.allCases)
    func `each format gives the same profile`(format: CaptureBuilder.Format) throws {
        var builder = CaptureBuilder(format)
        builder.session()
        let made = try imported(builder)
        #expect(made.identity == "C4:64:E3:12:34:56")
        let profile = try profile(made)
        #expect(profile.localName == "Room")
        #expect(profile.services.map(\.uuid) == ["1809", "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"])
        #expect(profile.services.map(\.isAdvertised) == [true, false])
        #expect(profile.services[0].characteristics.map(\.uuid) == ["2A1C", "2A1D"])
        #expect(profile.services[0].characteristics[1].initialValue == [2])
        #expect(profile.recording?.values.count == 3)
        #expect(profile.services[1].characteristics[0].writes?.reactions.count == 1)
    }

    @Test(arguments: CaptureBuilder.Format.allCases)
    func `packets in small fragments are put together`(format: CaptureBuilder.Format) throws {
        var builder = CaptureBuilder(format)
        builder.connect()
        builder.discover()
        builder.send([0x0A, 0x15, 0x00], fragment: 5)
        builder.receive([0x0B] + Array(0..<20), fragment: 3)
        #expect(try profile(imported(builder)).services[0].characteristics[1].initialValue == Array(0..<20))
    }

    @Test(arguments: CaptureBuilder.Format.allCases)
    func `a file that ends anywhere is read as far as it goes`(format: CaptureBuilder.Format) throws {
        var builder = CaptureBuilder(format)
        builder.session()
        for length in stride(from: 0, to: builder.bytes.count, by: 7) {
            do throws(CaptureError) {
                let file = try CaptureFile(bytes: Array(builder.bytes.prefix(length)))
                let analysis = try CaptureAnalysis(file)
                #expect(analysis.packetCount <= builder.count)
            } catch {
                #expect(!error.description.isEmpty && length < 32)
            }
        }
        let cut = try CaptureAnalysis(CaptureFile(bytes: builder.bytes.dropLast(1)))
        #expect(cut.fileRemark == "the file ends within a packet, after packet \(builder.count - 1)")
    }

    @Test(arguments: [CaptureBuilder.Format.airWithHeader, .airNordic])
    func `a frame that is sent again counts once, and one after a missed frame counts`(
        format: CaptureBuilder.Format
    ) throws {
        var builder = CaptureBuilder(format)
        builder.connect()
        builder.discover()
        builder.repeatsFrames = true
        builder.read(0x15, [1])
        builder.repeatsFrames = false
        builder.skipsSequenceNumber = true
        builder.write(0x22, [7])
        #expect(
            try scenario(imported(builder)).suffix(2) == [
                "  - expect: {occasion: read, on: temperature-type}",
                "  - expect: {occasion: written, on: 6E400002-B5A3-F393-E0A9-E50E24DCCA9E, value: hex:07}",
            ])
    }

    @Test func `packets that the capture has cut off give what is left of them`() throws {
        var builder = CaptureBuilder(.btsnoopH4)
        builder.snapLength = 14
        builder.connect()
        builder.snapLength = .max
        builder.discover()
        builder.snapLength = 14
        builder.read(0x15, Array(0..<30))
        let made = try imported(builder)
        #expect(try profile(made).services[0].characteristics[1].initialValue.isEmpty)
        #expect(made.report.leftOut.contains { $0.text.contains("which the capture has cut off") })
    }

    @Test func `files that are no captures are refused with a reason`() {
        let cases: [([UInt8], CaptureError)] = [
            ([], .empty), (Array("hello, this is a text".utf8), .unknownFormat),
            (
                Array("btsnoop\0".utf8) + big(1, 4) + big(7, 4),
                .unsupported("btsnoop with data link type 7; supported: 1001 (H1), 1002 (H4), 2001 (monitor)")
            ),
            (
                little(0xA1B2_C3D4, 4) + little(0, 16) + little(1, 4),
                .unsupported("pcap with link type 1, which is not Bluetooth LE or HCI")
            ),
        ]
        for (bytes, expected) in cases {
            #expect(throws: expected) { try CaptureFile(bytes: bytes) }
        }
    }

    @Test func `a length that cannot be ends the file`() throws {
        var builder = CaptureBuilder(.btsnoopH4)
        builder.session()
        let bytes = builder.bytes + big(0x7FFF_FFFF, 4) + big(0x7FFF_FFFF, 4) + [UInt8](repeating: 0, count: 40)
        let analysis = try CaptureAnalysis(CaptureFile(bytes: bytes))
        #expect(analysis.packetCount == builder.count)
        #expect(analysis.fileRemark?.contains("the file is damaged there") == true)
        #expect(analysis.importable.count == 1)
    }
}
