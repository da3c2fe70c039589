import Foundation
import Testing

@testable import CoreBluetooth
@testable import Dittojay

/// What a proxy's services are called, as the device's come and go.
@Suite struct ProxiedNamesTests {
    private func service(_ uuid: String, _ characteristics: String...) -> CBService {
        let service = CBService(uuid: CBUUID(string: uuid), isPrimary: true, peripheral: nil)
        service.characteristics = characteristics.map {
            CBCharacteristic(uuid: CBUUID(string: $0), properties: [.read, .notify], service: service)
        }
        return service
    }

    private func table(_ services: [CBService]) -> DeviceTable { DeviceTable(services, identities: [:]) }

    @Test func `names are the assigned ones, with numbers where a UUID is there twice`() throws {
        var names = ProxiedNames()
        let own = "12345678-0000-4000-8000-000000000000"
        let services = [service("180D", "2A37", "2A38"), service("180F", "2A19"), service("180F", "2A19", own)]
        let change = names.update(table(services), isNewLink: true)
        #expect(change.added.map(\.name) == ["heart-rate", "180f-1", "180f-2"])
        #expect(change.added[0].characteristics.map(\.name) == ["heart-rate-measurement", "body-sensor-location"])
        #expect(change.added[2].characteristics.map(\.name) == ["battery-level", own])
        let second = try #require(services[2].characteristics?[0])
        #expect(names.path(of: second) == CharacteristicPath("180f-2", "battery-level"))
        #expect(names.characteristic(at: CharacteristicPath("180f-2", "battery-level")) === second)
    }

    @Test func `over one link a service that looks the same is another one`() {
        var names = ProxiedNames()
        let (stays, goes) = (service("180D", "2A37"), service("180F", "2A19"))
        _ = names.update(table([stays, goes]), isNewLink: true)
        let back = service("180F", "2A19")
        let change = names.update(table([stays, back]), isNewLink: false)
        #expect(change.removed == ["battery"] && change.added.map(\.name) == ["battery"])
        #expect(goes.characteristics?.first.flatMap(names.path) == nil)
        #expect(back.characteristics?.first.flatMap(names.path) != nil)
    }

    @Test func `over another link it is the same`() throws {
        var names = ProxiedNames()
        _ = names.update(table([service("180D", "2A37"), service("180F", "2A19")]), isNewLink: true)
        let again = [service("180F", "2A19"), service("180D", "2A37", "2A38")]
        let change = names.update(table(again), isNewLink: true)
        // It has another characteristic now.
        #expect(change.removed == ["heart-rate"] && change.added.map(\.name) == ["heart-rate"])
        let level = try #require(again[0].characteristics?[0])
        #expect(names.characteristic(at: CharacteristicPath("battery", "battery-level")) === level)
    }

    @Test func `what bluetoothd offers by itself is left out`() {
        let identity = service("180A", "2A50")
        let services = [service("1800", "2A00"), service("1801", "2A05"), identity]
        let key = identity.characteristics.map { ObjectIdentifier($0[0]) }
        func offered(_ bytes: [UInt8]) -> [String] {
            let identities = key.map { [$0: Data(bytes)] } ?? [:]
            return DeviceTable(services, identities: identities).services.map(\.profile.uuid)
        }
        #expect(offered([0x02, 0x6B, 0x1D, 0x46, 0x02, 0, 0]) == [])
        #expect(offered([0x01, 0x0D, 0x00, 0, 0, 0, 0]) == ["180A"])
    }

    @Test func `descriptors are copied, and what cannot be offered is said`() {
        let services = [service("180F", "2A19")]
        let level = services[0].characteristics?[0]
        let text = CBDescriptor(uuid: CBUUID(string: "2901"), characteristic: level)
        text.bytes = Data("Level".utf8)
        level?.descriptors = [text, CBDescriptor(uuid: CBUUID(string: "2904"), characteristic: level)]
        services[0].characteristics?.append(CBCharacteristic(uuid: CBUUID(string: "2A1A"), properties: [.broadcast]))
        let table = table(services)
        #expect(
            table.services[0].profile.characteristics.map(\.copiedDescriptors)
                == [[CopiedDescriptor(uuid: "2901", value: Array("Level".utf8))]])
        #expect(table.losses == ["180F/2A1A, which has no property that can be published"])
    }
}
