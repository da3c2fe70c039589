import Foundation
import GATTProfiles
import PlainText
import TestSupport
import Testing

@testable import Dittojay

/// What people and programs are shown of a running peripheral.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct StatusTests {
    private struct Line: Decodable {
        var event: String
        var central: String?
        var mtu: Int?
        var service: String?
        var characteristic: String?
        var value: String?
        var attError: Int?
    }

    @Test func `the status is the same for people and programs`() async throws {
        let peripheral = try await Simulation()
        try await peripheral.run()
        #expect(peripheral.status.lines.last == "no central is connected")
        let central = await peripheral.connect()
        try await peripheral.saw("connected 02")
        _ = try await peripheral.subscribed(ChirpService.chirp, by: central, mtu: 100)
        try await peripheral.characteristic(LabService.store).write(Data([1]), by: central, mtu: 100)
        await peripheral.perform(.addFault(characteristic: "store", Fault(on: .read, .noAnswer)))
        #expect(await peripheral.perform(.removeService("pairing")).ok)
        let status = peripheral.status
        let lines = status.lines
        #expect(
            lines[0].hasPrefix("Dittojay (profile lab, seed 7) on hci0 00:AA:01:00:00:00, advertising, Bluetooth is on")
        )
        #expect(lines[1].hasSuffix("0 notifications, 0 reads, 1 write"))
        #expect(lines.contains { $0.hasPrefix("heart rate ") && $0.hasSuffix("kJ") })
        #expect(lines.contains { $0.hasPrefix("service pairing ") && $0.hasSuffix(" (withdrawn)") })
        #expect(lines.contains("fault lab/store on read: no answer"))
        #expect(lines.contains("central C0:00:00:00:00:02, MTU 100, subscribed to chirp"))
        let decoded = try JSONDecoder().decode(PeripheralStatus.self, from: Data(status.json.text.utf8))
        #expect(decoded.centrals == status.centrals && decoded.services == status.services)
        #expect(decoded.faults == status.faults && decoded.writes == 1 && decoded.isAdvertising)
    }

    @Test func `the state of Bluetooth is said in words`() async throws {
        let peripheral = try await Simulation()
        #expect(peripheral.status.lines[0].hasSuffix("not advertising, Bluetooth is not ready yet"))
        try await peripheral.run()
        await peripheral.daemon.adapter.power(false)
        try await eventually("it is off") { peripheral.status.lines[0].hasSuffix("not advertising, Bluetooth is off") }
        await peripheral.daemon.die()
        try await eventually("it has ended") { peripheral.status.lines[0].hasSuffix("bluetoothd is not running") }
    }

    @Test func `an event is a line of JSON`() throws {
        var event = PeripheralEvent(.written)
        event.central = .init(address: "C0:00:00:00:00:02", mtu: 23)
        (event.service, event.characteristic) = ("lab", "store")
        (event.value, event.attError) = (Data([1, 0xAB]), 13)
        let line = try JSONDecoder().decode(Line.self, from: Data(event.json.text.utf8))
        #expect(line.event == "written" && line.central == "C0:00:00:00:00:02" && line.mtu == 23)
        #expect(line.service == "lab" && line.characteristic == "store" && line.value == "01ab" && line.attError == 13)
        #expect(event.text.hasSuffix(" written store 01ab: refused with ATT error 0x0D by C0:00:00:00:00:02 (MTU 23)"))
    }
}
