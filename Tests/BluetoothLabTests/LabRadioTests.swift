import Foundation
import Testing

@testable import BluetoothLab

@Suite struct LabRadioTests {
    @Test func `all mistakes of a scene are reported before it is played`() {
        let scene = LabRadio.Scene.text("air: thick\ndevices: {hci0: {at: [3, 4 m]}}\n")
        #expect {
            try scene.json()
        } throws: { error in
            guard case RadioError.mistakes(let lines) = error else { return false }
            return lines.count == 2 && lines[0].hasPrefix("scene:1:6: ") && lines[1].hasPrefix("scene:2:23: ")
        }
    }

    @Test func `a scene's file that is not there is named`() {
        #expect {
            try LabRadio.Scene.file("/nowhere/scene.yaml").json()
        } throws: { error in
            "\(error)".contains("/nowhere/scene.yaml")
        }
    }

    @Test(arguments: [
        (["sensor"], 40, true), (["sensor", "supervision timeout"], 50, true), (["8"], 50, true),
        (["phone"], 50, false), (["sensor"], 51, false),
    ])
    func `an event is found by its words, and not before its time`(words: [String], start: Int, isFound: Bool) {
        let line = #"{"event":"link-end","time_ms":50,"device":"sensor","reason":8,"text":"supervision timeout"}"#
        #expect(LabRadio.matches(line, "link-end", words, since: start) == isFound)
        #expect(!LabRadio.matches(line, "link-begin", words, since: start))
        #expect(!LabRadio.matches("no JSON", "link-end", words, since: start))
    }

    @Test func `a status is read as the radio writes it`() throws {
        let text = """
            {"ok":true,"air":"real","time_ms":1500,"devices":[{"name":"sensor","address":"00:AA:01:00:00:00",\
            "at_m":[1.5,2.0],"body_db":3.0,"advertises":true,"advertises_as":["5A:AA:01:00:00:00"],\
            "scans":false}],"links":[{"central":"phone","peripheral":"sensor","rssi_dbm":-70.5}],\
            "phantoms":2,"phantom_groups":[],"jammers":["oven"],"walls":0}
            """
        let status = try JSONDecoder().decode(RadioStatus.self, from: Data(text.utf8))
        #expect(status.air == "real" && status.time == .milliseconds(1500) && status.phantoms == 2)
        #expect(status.devices.first?.name == "sensor" && status.devices.first?.y == 2)
        #expect(status.devices.first?.advertisedAddresses == ["5A:AA:01:00:00:00"])
        #expect(status.links.first?.rssi == -70.5 && status.jammers == ["oven"])
    }
}
