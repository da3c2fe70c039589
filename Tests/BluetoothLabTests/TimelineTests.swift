import Testing

@testable import BluetoothLab

/// The records of a test on one clock.
@Suite struct TimelineTests {
    private func time(_ text: String) throws -> WallTime { try #require(WallTime(text: "2026-11-21 \(text)")) }

    @Test func timesAreReadAsTheRecordersPrintThem() throws {
        let seconds = try #require(WallTime(seconds: "1795285375.209250"))
        #expect(seconds.text == "2026-11-21 18:22:55.209250")
        #expect(WallTime(text: seconds.text) == seconds)
        for text in [
            "", "1795285375", "1795285375.2", "-1.000000", "99999999999999999999.000000", "a.000000", "1.-00001",
        ] {
            #expect(WallTime(seconds: text) == nil, "\(text)")
        }
        for text in ["", "2026-11-21 18:22:55", "2026-11-21 18:22:55.20925x", "xxxx-11-21 18:22:55.209250"] {
            #expect(WallTime(text: text) == nil, "\(text)")
        }
    }

    @Test(arguments: [
        ("", []), ("a", ["a"]), ("a\n", ["a"]), ("\n", [""]), ("a\n\nbc\nd", ["a", "", "bc", "d"]),
    ])
    func aTextIsTakenLineByLine(text: String, lines: [String]) {
        #expect(Lines(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) } == lines)
    }

    @Test func sourcesAreMergedByTimeAndKeepTheirOrder() throws {
        let (early, late) = (try time("18:00:00.000001"), try time("18:00:00.000002"))
        func entry(_ time: WallTime, _ source: String, _ text: String) -> TimelineEntry {
            TimelineEntry(time: time, source: source, text: text)
        }
        let merged = Timeline.merge([
            [entry(late, "hci", "c"), entry(late, "hci", "d")], [entry(early, "bus", "a"), entry(late, "bus", "e")],
        ])
        #expect(merged.map(\.text) == ["a", "c", "d", "e"])
        #expect(Timeline.text(Array(merged.prefix(1))) == "2026-11-21 18:00:00.000001  bus  a\n")
    }

    @Test func packetsAreTakenFromWhatBtmonPrints() throws {
        let output = """
            Bluetooth monitor ver 5.66
            = bluetoothd: Terminating                            2026-11-21 18:22:55.209250
            = New Index: 00:AA:.. (Primary,Virtual,hci1)  [hci1] 2026-11-21 18:22:51.821670
            > HCI Event: Command Complete (0x0e) plen 4  #1 [hci0] 2026-11-21 18:22:56.000001
                  LE Set Advertise Enable (0x08|0x000a) ncmd 1
                    Status: Success (0x00)
            > HCI Event: Number of Completed Packets (0x13) plen 5  #2 [hci0] 2026-11-21 18:22:56.000001
                    Num handles: 1
            > ACL Data RX: Handle 42 flags 0x02 dlen 9   #2 [hci1] 2026-11-21 18:22:56.000002
                  ATT: Handle Value Notification (0x1b) len 4
                    Handle: 0x0010
                      Data: 0648
            """
        let entries = DecodedCapture.entries(Array(output.utf8), since: try time("18:22:55.000000"))
        #expect(
            entries.map(\.text) == [
                "> HCI Event: Command Complete (0x0e) plen 4 #1 [hci0]; LE Set Advertise Enable (0x08|0x000a) ncmd 1",
                "> ACL Data RX: Handle 42 flags 0x02 dlen 9 #2 [hci1]; ATT: Handle Value Notification (0x1b) len 4, "
                    + "Handle: 0x0010, Data: 0648",
            ])
        #expect(entries.map(\.time.text.last) == ["1", "2"])
    }

    @Test func messagesAreTakenFromWhatDBusMonitorPrints() throws {
        let trace = """
            method call time=1795285375.000000 sender=:1.4 -> destination=org.bluez serial=7 path=/; interface=a.b; member=Early
               string "early"
            method call time=1795285375.000001 sender=:1.4 -> destination=org.bluez serial=8 path=/org/bluez/hci1; \
            interface=org.bluez.Adapter1; member=RemoveDevice
               object path "/org/bluez/hci1/dev_00"
            error time=1795285375.000002 sender=:1.0 -> destination=:1.4 error_name=org.bluez.Error.Failed reply_serial=8
               string "No"
            signal time=1795285375.000003 sender=:1.0 -> destination=(null destination) serial=9 path=/a; interface=c.d; member=E
               array [
               ]
            """
        let bus = BusTrace(Array(trace.utf8), since: try #require(WallTime(seconds: "1795285375.000001")))
        #expect(
            bus.entries.map(\.text) == [
                ":1.4 -> org.bluez method call /org/bluez/hci1 org.bluez.Adapter1.RemoveDevice serial 8 "
                    + "\"/org/bluez/hci1/dev_00\"",
                ":1.0 -> :1.4 error org.bluez.Error.Failed to 8 \"No\"", ":1.0 signal /a c.d.E",
            ])
        let text = String(decoding: bus.text, as: UTF8.self)
        #expect(text.hasPrefix("2026-11-21 18:22:55.000001  method call time=1795285375.000001"))
        #expect(text.hasSuffix("   array [\n   ]\n"))
        #expect(!text.contains("early"))
    }
}
