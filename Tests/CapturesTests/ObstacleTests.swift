import Captures
import Dittojay
import Foundation
import TestSupport
import Testing

/// What cannot be imported is said, and what must not be published is replaced.
@Suite struct CaptureObstacleTests {
    @Test func `a sniffer's encrypted link is reported as such`() throws {
        var builder = CaptureBuilder(.airWithHeader)
        builder.connect()
        builder.encrypt()
        builder.discover()
        let analysis = try CaptureAnalysis(CaptureFile(bytes: builder.bytes))
        #expect(analysis.importable.isEmpty)
        #expect(analysis.obstacle?.hasPrefix("everything that was said on a link is encrypted (16 packets)") == true)
    }

    @Test func `captures of Bluetooth Classic, of advertisements and of nothing say so`() throws {
        var classic = CaptureBuilder()
        classic.add(.event, [0x03, 11, 0] + little(0x0B, 2) + CaptureBuilder.peripheral + [1, 0])
        classic.add(.aclSent, little(0x200B, 2) + [8, 0, 4, 0, 1, 0, 1, 2, 3, 4])
        var advertising = CaptureBuilder()
        advertising.advertise([2, 1, 6])
        for (builder, sentence) in [
            (classic, "the capture has Bluetooth Classic (BR/EDR) only, and no links of Bluetooth LE"),
            (advertising, "the capture has advertisements only, and no link to a device"),
            (CaptureBuilder(), "the capture has no packets"),
        ] {
            #expect(try CaptureAnalysis(CaptureFile(bytes: builder.bytes)).obstacle == sentence)
        }
    }

    @Test func `a device that only advertises can be imported when it is chosen`() throws {
        var builder = CaptureBuilder()
        builder.advertise([2, 1, 6, 5, 0x03, 0x0F, 0x18, 0x0A, 0x18, 5, 0xFF, 0x4C, 0, 1, 2])
        let profile = try profile(imported(builder, device: "C4:64:E3:12:34:56"))
        #expect(profile.services.map(\.uuid) == ["180F", "180A"])
        #expect(profile.advertisement.manufacturers == [.init(company: 0x4C, data: [1, 2])])
    }

    @Test func `the list has each device with what is known of it`() throws {
        var builder = CaptureBuilder()
        builder.session()
        let list = DeviceList(try CaptureAnalysis(CaptureFile(bytes: builder.bytes)))
        #expect(list.lines.count == 2)
        #expect(list.lines[0] == "btsnoop (HCI H4), \(builder.count) packets")
        #expect(
            list.lines[1].hasPrefix(
                "C4:64:E3:12:34:56, \"Room\", peripheral, captured at the central, 1 link, 36 ATT PDUs, 2026-11-"))
    }

    @Test func `addresses, names and serial numbers are replaced everywhere, and alike`() throws {
        var builder = CaptureBuilder()
        builder.advertise([2, 1, 6, 5, 9] + Array("Room".utf8) + [9, 0xFF, 0xFF, 0xFF] + CaptureBuilder.peripheral)
        builder.connect()
        builder.discover()
        builder.read(0x15, Array("This is Room".utf8))
        let analysis = try CaptureAnalysis(CaptureFile(bytes: builder.bytes))
        let device = try #require(analysis.importable.first)
        var anonymizer = Anonymizer(using: Dice(state: 7))
        anonymizer.anonymize(device)
        let made = DeviceImport(device, analysis, ImportOptions(fileName: "x"))
        let text = (made.profile.lines + made.report.lines).joined(separator: "\n")
        #expect(!text.contains("Room") && !text.contains("C4:64:E3") && !text.contains("563412e364c4"))
        let profile = try profile(made)
        #expect(profile.localName.count == 4)
        let value = String(decoding: profile.services[0].characteristics[1].initialValue, as: UTF8.self)
        #expect(value == "This is \(profile.localName)")
        let digits = made.identity.split(separator: ":").reversed().joined().lowercased()
        #expect(text.contains("data: hex:\(digits)"))
    }
}
