import BlueZ
import Testing

@testable import CoreBluetooth

/// What the peripheral role makes of services and advertisements before bluetoothd sees them.
@Suite struct PeripheralPlanTests {
    private typealias Case = (CBCharacteristicProperties, CBAttributePermissions, [String], Bool, Bool)

    @Test func `properties and permissions become BlueZ's flags`() {
        let cases: [Case] = [
            (.read, .readable, ["read"], true, false),
            (.read, .readEncryptionRequired, ["encrypt-read"], true, false),
            // The permission counts: centrals see that the characteristic supports reading, and are refused.
            (.read, [], ["read"], false, false),
            (.notify, .readable, ["notify"], false, false),
            (.indicate, [], ["indicate"], false, false),
            (.notifyEncryptionRequired, [], ["notify", "encrypt-notify"], false, false),
            (.indicateEncryptionRequired, [], ["indicate", "encrypt-indicate"], false, false),
            (.write, .writeable, ["write"], false, true),
            (.write, .writeEncryptionRequired, ["write", "encrypt-write"], false, true),
            (.write, .readable, ["write"], false, false),
            // The highest that is asked for.
            (
                .read, [.readable, .readEncryptionRequired, .readAuthenticationRequired],
                ["encrypt-authenticated-read"], true, false
            ),
            (.read, [.readAuthenticationRequired, .readSecureConnectionsRequired], ["secure-read"], true, false),
            (.write, .writeAuthenticationRequired, ["write", "encrypt-authenticated-write"], false, true),
            (.write, .writeSecureConnectionsRequired, ["write", "secure-write"], false, true),
            (.notifyAuthenticationRequired, [], ["notify", "encrypt-authenticated-notify"], false, false),
            (.notifySecureConnectionsRequired, [], ["notify", "secure-notify"], false, false),
            (.indicateAuthenticationRequired, [], ["indicate", "encrypt-authenticated-indicate"], false, false),
            (.indicateSecureConnectionsRequired, [], ["indicate", "secure-indicate"], false, false),
            (.writeWithoutResponse, .writeable, ["write-without-response"], false, true),
            (
                [.read, .write, .writeWithoutResponse, .notify], [.readable, .writeable],
                ["read", "write-without-response", "write", "notify"], true, true
            ),
            (.authenticatedSignedWrites, .writeable, ["authenticated-signed-writes"], false, true),
        ]
        for (properties, permissions, names, reads, writes) in cases {
            let access = CharacteristicAccess(properties: properties, permissions: permissions)
            #expect(access.flags == AttributeFlags(names: names))
            #expect(access.allowsReading == reads, "\(names)")
            #expect(access.allowsWriting == writes, "\(names)")
        }
    }

    private func plan(_ characteristic: CBMutableCharacteristic) throws -> CharacteristicPlan {
        let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
        service.characteristics = [characteristic]
        return try #require(try ServicePlan(service).characteristics.first)
    }

    @Test func `a plan is what the service was when it was added`() throws {
        let note = CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "Wrist")
        let characteristic = CBMutableCharacteristic(
            type: CBUUID(string: "2A38"), properties: .read, value: Data([2]), permissions: .readable)
        characteristic.descriptors = [note]
        let plan = try plan(characteristic)
        characteristic.value = Data([3])
        characteristic.descriptors = nil
        #expect(plan.uuid == "00002a38-0000-1000-8000-00805f9b34fb")
        #expect(plan.staticValue == Data([2]))
        #expect(plan.descriptors.map(\.value) == [Data("Wrist".utf8)])
    }

    @Test func `a static value is for reading only`() {
        for (properties, permissions) in [
            ([.read, .write], [.readable, .writeable]), ([.read, .notify], .readable),
        ] as [(CBCharacteristicProperties, CBAttributePermissions)] {
            let characteristic = CBMutableCharacteristic(
                type: CBUUID(string: "2A38"), properties: properties, value: Data([1]), permissions: permissions)
            #expect(throws: CBError.self) { try plan(characteristic) }
        }
        let long = CBMutableCharacteristic(
            type: CBUUID(string: "2A38"), properties: .read, value: Data(count: 513), permissions: .readable)
        #expect(throws: CBError.self) { try plan(long) }
    }

    @Test(arguments: ["1800", "1801"]) func `the system's own services are refused`(uuid: String) {
        let service = CBMutableService(type: CBUUID(string: uuid), primary: true)
        #expect { try ServicePlan(service) } throws: { ($0 as? CBError)?.code == .uuidNotAllowed }
    }

    @Test func `descriptors of the system and without value are refused`() {
        for descriptor in [
            CBMutableDescriptor(type: CBUUID(string: "2902"), value: Data([0, 0])),
            CBMutableDescriptor(type: CBUUID(string: "2900"), value: Data([0, 0])),
            CBMutableDescriptor(type: CBUUID(string: "2901"), value: nil),
        ] {
            let characteristic = CBMutableCharacteristic(
                type: CBUUID(string: "2A37"), properties: .notify, value: nil, permissions: [])
            characteristic.descriptors = [descriptor]
            #expect { try plan(characteristic) } throws: { ($0 as? CBError)?.code == .invalidParameters }
        }
    }

    @Test func `an advertisement takes the UUIDs that have room, in their order`() {
        let heartRate = CBUUID(string: "180D")
        let chirp = CBUUID(string: "CED261B7-F120-41C8-9A92-A41DE69CF2A8")
        let other = CBUUID(string: "16274BFE-C539-416C-9646-CA3F991DADD6")
        let fit = AdvertisementPlan.fit([heartRate, chirp, other, heartRate, CBUUID(string: "180F")])
        #expect(fit.fitting == [heartRate, chirp, CBUUID(string: "180F")])
        #expect(fit.surplus == [other])
        // 2 + 13 × 2 bytes are 28.
        let short = (0..<14).map { CBUUID(string: String(0x1800 + $0, radix: 16)) }
        #expect(AdvertisementPlan.fit(short).fitting.count == 13)
        #expect(AdvertisementPlan.fit([]).fitting.isEmpty)
    }

    @Test func `a name is shortened between characters`() {
        #expect(AdvertisementPlan.shortened("Dittojay") == "Dittojay")
        #expect(AdvertisementPlan.shortened(String(repeating: "a", count: 40)).utf8.count == 29)
        #expect(AdvertisementPlan.shortened(String(repeating: "ä", count: 20)) == String(repeating: "ä", count: 14))
    }

    @Test func `only name and services are advertised`() {
        let plan = AdvertisementPlan([
            CBAdvertisementDataLocalNameKey: "Dittojay",
            CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "180D")],
            CBAdvertisementDataManufacturerDataKey: Data([1, 2]),
        ])
        #expect(plan.localName == "Dittojay")
        #expect(plan.serviceUUIDs == ["0000180d-0000-1000-8000-00805f9b34fb"])
        #expect(AdvertisementPlan([:]).serviceUUIDs == [])
    }

    @Test func `the data of several companies are advertised, as far as there is room`() {
        let plan = AdvertisementPlan([
            CBAdvertisementDataManufacturerDataKey: Data([0x4C, 0, 1]),
            CBAdvertisementDataAllManufacturerDataKey: [
                Data([0x4C, 0, 2]), Data([0x88, 0xEC, 3]), Data([7]), Data([1, 0]) + Data(count: 20),
            ],
        ])
        #expect(plan.manufacturerData == [0x004C: Data([1]), 0xEC88: Data([3])])
        #expect(!plan.hasTxPower)
    }

    @Test func `the transmit power takes room`() {
        let uuids = (0..<13).map { CBUUID(string: String(0x1800 + $0, radix: 16)) }
        let plan = AdvertisementPlan([
            CBAdvertisementDataTxPowerLevelKey: NSNumber(value: 4), CBAdvertisementDataServiceUUIDsKey: uuids,
        ])
        #expect(plan.hasTxPower)
        #expect(plan.serviceUUIDs.count == 11)
    }
}
