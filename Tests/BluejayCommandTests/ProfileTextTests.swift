import CoreBluetooth
import Dittojay
import Foundation
import ProfileWriting
import Testing

@testable import BluejayCommand

/// What a clone is written as is what dittojay reads.
@Suite struct ProfileTextTests {
    private func parse(_ device: ClonedDevice) throws -> PeripheralProfile {
        let content = try ProfileFile.parse(ProfileText(device).lines.joined(separator: "\n"), file: "clone.yaml")
        return content.value
    }

    private var device: ClonedDevice {
        var device = ClonedDevice()
        device.advertisement.localName = "Room \"12\": #1\n"
        device.advertisement.appearance = 0x0300
        device.advertisement.manufacturers = [Data([0x4C, 0x00, 0x02, 0x15])]
        device.advertisement.serviceData = ["FEAA": Data([0x10]), "180F": Data([0x64])]
        device.services = [
            .init(
                uuid: "181A", isAdvertised: true,
                characteristics: [
                    .init(
                        uuid: "2A6E", properties: ["read", "notify"], value: Data([0x66, 0x08]),
                        description: "At: the \"window\"", format: Data([14, 0xFE, 0x2F, 0x27, 1, 0, 0])),
                    .init(uuid: "2A6F", properties: ["read"], encrypted: ["read"]),
                    .init(uuid: "2A19", properties: ["read"], readError: 0x85),
                    .init(uuid: "2A19", properties: ["read"], readFault: .noAnswer),
                    .init(uuid: "2A1A", properties: ["read"], readFault: .disconnect),
                ]),
            .init(uuid: "F1000001-0000-4000-8000-000000000000"),
            .init(
                uuid: "F1000001-0000-4000-8000-000000000000",
                characteristics: [
                    .init(
                        uuid: "F100000A-0000-4000-8000-000000000000",
                        properties: ["write", "write-without-response", "indicate"], value: Data("héllo - yes".utf8))
                ]),
        ]
        return device
    }

    @Test func `everything of a device is read again`() throws {
        let profile = try parse(device)
        #expect(profile.localName == "Room \"12\": #1\n")
        #expect(profile.advertisement.appearance == 0x0300)
        #expect(profile.advertisement.manufacturers == [.init(company: 0x004C, data: [0x02, 0x15])])
        #expect(profile.advertisement.serviceData == ["FEAA": [0x10], "180F": [0x64]])
        #expect(profile.services.map(\.uuid) == device.services.map(\.uuid))
        #expect(profile.services.map(\.isAdvertised) == [true, false, false])
        let environment = profile.services[0].characteristics
        #expect(environment.map(\.uuid) == ["2A6E", "2A6F", "2A19", "2A19", "2A1A"])
        #expect(environment[0].initialValue == [0x66, 0x08] && environment[0].userDescription == "At: the \"window\"")
        #expect(environment[0].presentationFormat == PresentationFormat(format: 14, exponent: -2, unit: 0x272F))
        #expect(environment[1].encryption == .read)
        #expect(environment[2].faults == [Fault(on: .read, .error(0x85))])
        #expect(environment[3].faults == [Fault(on: .read, .noAnswer)])
        #expect(environment[4].faults == [Fault(on: .read, .disconnect)])
        let last = profile.services[2].characteristics[0]
        #expect(last.properties == [.write, .writeWithoutResponse, .indicate])
        #expect(last.initialValue == Array("héllo - yes".utf8))
    }

    @Test(arguments: [
        "true", "yes", "12", "0x10", "~", "- a", "a: b", "*x", "&x", "{", "\u{7F}", "\u{2028}", "text:x", "'",
    ])
    func `texts are not taken for anything else`(text: String) throws {
        var device = ClonedDevice()
        device.advertisement.localName = text
        device.services = [
            .init(uuid: "180A", characteristics: [.init(uuid: "2A29", properties: ["read"], description: text)])
        ]
        let profile = try parse(device)
        #expect(profile.localName == text && profile.services[0].characteristics[0].userDescription == text)
    }

    @Test func `bytes of any kind are read again`() throws {
        for bytes in [
            [0], [0x41], [0x41, 0x42], [0xFF, 0xFE], [0x0A, 0x41], Array("empty".utf8), Array("hex:00".utf8),
        ] as [[UInt8]] {
            var device = ClonedDevice()
            device.services = [
                .init(uuid: "180A", characteristics: [.init(uuid: "2A29", properties: ["read"], value: Data(bytes))])
            ]
            #expect(try parse(device).services[0].characteristics[0].initialValue == bytes)
        }
    }

    @Test func `what a capture adds is read again`() throws {
        var device = ClonedDevice()
        device.advertisement.serviceData = ["FEAA": Data()]
        device.comments = ["from\na file", ""]
        var request = ClonedDevice.Characteristic(uuid: "2A06", properties: ["read", "write"])
        let place = ClonedDevice.Place(service: 0, characteristic: 1)
        request.faults = ["{on: read, error: 0x80, times: 2}"]
        request.comments = ["guessed"]
        request.writes = .reactions(
            [
                .init(.value(Data()), .play([.wait(0.5), .send(Data(), on: place)]), comment: "seen once"),
                .init(.pattern("hex:01 ??"), .refuse(0x81)),
            ], stores: true)
        var counter = ClonedDevice.Characteristic(
            uuid: "2A19", properties: ["read", "notify"], encrypted: ["read", "notify"])
        counter.notify = "{every: 1 s, counter: {type: u8, from: 3, step: -1}}"
        device.services = [.init(uuid: "1802", characteristics: [request, counter]), .init(uuid: "1808")]
        device.services[0].isPrimary = false
        device.services[1].standard = "glucose"
        let profile = try parse(device)
        #expect(profile.advertisement.serviceData == ["FEAA": []])
        #expect(profile.services.map(\.isPrimary) == [false, true])
        #expect(profile.services[1].standard == .glucose)
        let (first, second) = (profile.services[0].characteristics[0], profile.services[0].characteristics[1])
        #expect(first.faults == [Fault(on: .read, .error(0x80), times: 2)])
        #expect(first.writes?.effects == [.store])
        let path = CharacteristicPath("immediate-alert", "battery-level")
        #expect(
            try first.writes?.reactions == [
                WriteReaction(.value([]), .play([.wait(0.5), .send(on: path, values: [[]], interval: 0)])),
                WriteReaction(.pattern(BytePattern("hex:01 ??")), .refuse(attError: 0x81)),
            ])
        #expect(second.encryption == [.read, .notify])
        #expect(second.notifications?.source == .counter(.init(number: .u8, first: 3, step: -1)))
    }

    @Test func `the data of several companies and the transmit power are read again`() throws {
        var device = ClonedDevice()
        device.advertisement.manufacturers = [Data([0x4C, 0x00, 0x02, 0x15]), Data([0x88, 0xEC])]
        device.advertisement.txPower = -4
        device.services = [.init(uuid: "181A")]
        let profile = try parse(device)
        #expect(
            profile.advertisement.manufacturers == [
                .init(company: 0x004C, data: [0x02, 0x15]), .init(company: 0xEC88, data: []),
            ])
        #expect(profile.advertisement.hasTxPower)
    }

    @Test func `what does not fit into an advertisement is left out, and that is said`() throws {
        var device = device
        device.advertisement.localName = "A thermometer in room number 12"
        device.advertisement.manufacturers = [Data(count: 10)]
        device.advertisement.txPower = -4
        device.advertisement.serviceData = ["FEAA": Data(count: 12)]
        device.services[1].isAdvertised = true
        device.fitAdvertisement()
        #expect(device.losses.count == 4)
        let profile = try parse(device)
        #expect(profile.localName == "A thermometer in room numb")
        #expect(profile.advertisement.serviceData.isEmpty && profile.advertisement.manufacturers.isEmpty)
        #expect(!profile.advertisement.hasTxPower)
        #expect(profile.services.map(\.isAdvertised) == [true, true, false])
    }
}
