import Foundation
import GATTProfiles
import Testing

@testable import Dittojay

@Suite struct CharacteristicStatusTests {
    private func status(_ name: String, of parts: Parts) throws -> CharacteristicStatus {
        try #require(parts.services.characteristics.first { $0.profile.name == name }).status()
    }

    @Test func `it has what the characteristic is, and its values`() throws {
        let parts = Parts()
        #expect(try !status("chirp", of: parts).isPublished)
        parts.publish()
        let chirp = try status("chirp", of: parts)
        #expect(chirp.isPublished && chirp.chirps && !chirp.canBeSet && chirp.properties == ["notify"])
        #expect(chirp.value == nil && chirp.sent == nil && chirp.notifications == 0 && chirp.subscribers == 0)
        let location = try status("body-sensor-location", of: parts)
        #expect(location.uuid == "2A38" && location.properties == ["read", "write"])
        #expect(location.canBeSet && location.value == "01")
    }

    @Test func `a reply has it in JSON, and is read back`() throws {
        let parts = Parts()
        parts.publish()
        var reply = ControlReply()
        reply.characteristics = parts.services.characteristics.map { $0.status() }
        reply.characteristics?[0].format = .init(type: "i16", exponent: -2, unit: 0x272F)
        reply.signals = [CentralSignal(central: Parts.central, rssi: -59)]
        #expect(try JSONDecoder().decode(ControlReply.self, from: Data(reply.line.utf8)) == reply)
    }

    @Test func `the signals are those that the kernel reports`() async {
        let parts = Parts()
        let reply = await withCheckedContinuation { turn in
            parts.links.measureSignals { turn.resume(returning: $0) }
        }
        #expect(reply.signals == [CentralSignal(central: Parts.central, rssi: -59)])
    }
}
