import Captures
import Foundation
import RadioControl
import RadioScenes
import TestSupport
import Testing

/// What a capture heard becomes phantoms.
@Suite struct SceneImportTests {
    private func made(_ builder: CaptureBuilder, without name: String? = nil) throws -> SceneImport {
        let analysis = try CaptureAnalysis(CaptureFile(bytes: builder.bytes))
        let served = analysis.devices.first { $0.identity.text == name }
        return SceneImport(analysis, fileName: "capture.log", without: served?.identity)
    }

    /// The scene as virtual-radio takes it.
    private func json(_ made: SceneImport) throws -> [String: [String: Any]] {
        let text = try SceneYAML.json(made.lines.joined(separator: "\n"), file: "scene.yaml")
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        return try #require(object?["phantoms"] as? [String: [String: Any]])
    }

    @Test(arguments: [CaptureBuilder.Format.btsnoopH4, .monitor, .airWithHeader, .airNordic])
    func `a phantom advertises what was heard, as often and as strong`(format: CaptureBuilder.Format) throws {
        var builder = CaptureBuilder(format)
        let response = [5, 9] + Array("Room".utf8)
        for _ in 0..<5 {
            builder.time += 250_000
            builder.advertise([2, 1, 6])
            builder.advertise(response, isScanResponse: true)
        }
        let made = try made(builder)
        #expect(made.count == 1 && made.report.leftOut.isEmpty)
        let phantom = try #require(try json(made)["C4-64-E3-12-34-56"])
        #expect(phantom["address"] as? String == "C4:64:E3:12:34:56")
        #expect(phantom["data"] as? String == "020106" && phantom["response"] as? String == "0509526f6f6d")
        #expect(phantom["interval"] as? String == "252 ms")
        // -64 dBm, or -40 dBm by Nordic's sniffer: 5 dB less, or 19 dB more, than at 1 m.
        let strength = format == .airNordic ? -40 : -64
        let distance = format == .airNordic ? "0.112" : "1.778"
        #expect(phantom["at"] as? [String] == ["\(distance) m", "0 m"])
        #expect(
            made.lines.contains {
                $0.hasPrefix("  C4-64-E3-12-34-56:  # \"Room\", packet 1, \(strength) dBm")
            })
    }

    @Test func `a strength that no receiver has is not known`() throws {
        var builder = CaptureBuilder(.airNordic)
        builder.strength = 241
        builder.advertise([2, 1, 6])
        let made = try made(builder)
        #expect(made.lines.contains("  C4-64-E3-12-34-56:  # packet 1, heard once"))
        #expect(try json(made)["C4-64-E3-12-34-56"]?["at"] as? [String] == ["3.548 m", "0 m"])
    }

    @Test func `a device that is served, and one that only a host advertises, are no phantoms`() throws {
        var builder = CaptureBuilder()
        builder.advertise([2, 1, 6])
        #expect(try made(builder, without: "C4:64:E3:12:34:56").count == 0)
        var own = CaptureBuilder()
        own.add(.command, [0x08, 0x20, 32, 3, 2, 1, 6] + [UInt8](repeating: 0, count: 28))
        #expect(try made(own).count == 0)
    }

    @Test func `data that do not fit end behind a whole element`() throws {
        var builder = CaptureBuilder()
        let sevens = [UInt8](repeating: 7, count: 19)
        builder.advertise([2, 1, 6, 20, 0xFF] + sevens + [12, 9] + Array("A long name".utf8))
        let made = try made(builder)
        #expect(
            made.report.leftOut.map(\.text) == [
                "the end of the data of C4:64:E3:12:34:56, which has 37 bytes (limit 31)"
            ])
        let data = try json(made)["C4-64-E3-12-34-56"]?["data"] as? String
        #expect(data?.count == 2 * 24)
    }

    @Test func `data of which no element fits are left out`() throws {
        var builder = CaptureBuilder()
        builder.advertise([40, 0xFF] + [UInt8](repeating: 7, count: 39))
        let made = try made(builder)
        let phantom = try #require(try json(made)["C4-64-E3-12-34-56"])
        #expect(phantom["data"] == nil)
        #expect(made.report.leftOut.count == 1)
    }

    @Test func `a scene has those that were heard most, up to its limit`() throws {
        #expect(SceneImport.maximumPhantoms == Scene.Limit.phantoms)
        var builder = CaptureBuilder()
        builder.advertise([2, 1, 6])
        for number in 0..<SceneImport.maximumPhantoms {
            let address = little(number, 2) + [0, 0, 0, 0xC0]
            for _ in 0..<2 {
                builder.time += 20_000
                builder.add(.event, [0x3E, 15, 0x02, 1, 0, 1] + address + [3, 2, 1, 6, 0xC0])
            }
        }
        let made = try made(builder)
        #expect(made.count == SceneImport.maximumPhantoms)
        #expect(try json(made).count == made.count)
        #expect(!made.lines.contains { $0.contains("C4:64:E3:12:34:56") })
        #expect(made.report.leftOut.map(\.text).first?.hasPrefix("1 device beyond the limit of a scene (2000)") == true)
    }

    @Test func `addresses and names are replaced in what was heard, too`() throws {
        var builder = CaptureBuilder()
        builder.advertise([2, 1, 6, 5, 9] + Array("Room".utf8) + [9, 0xFF, 0xFF, 0xFF] + CaptureBuilder.peripheral)
        let analysis = try CaptureAnalysis(CaptureFile(bytes: builder.bytes))
        var anonymizer = Anonymizer(using: Dice(state: 7))
        anonymizer.anonymize(analysis.devices)
        let text = SceneImport(analysis, fileName: "x").lines.joined(separator: "\n")
        #expect(!text.contains("Room") && !text.contains("526f6f6d"))
        #expect(!text.contains("C4:64:E3") && !text.contains("563412e364c4"))
    }
}
