import CoreBluetooth
import GATTProfiles
import Testing

@testable import Dittojay

@Suite("Profiles")
struct ProfileTests {
    @Test("names and UUIDs are unique and well-formed", arguments: PeripheralProfile.builtIn)
    func names(profile: PeripheralProfile) {
        #expect(Set(profile.services.map(\.name)).count == profile.services.count)
        for service in profile.services {
            #expect(service.uuid.utf8.count == 4 || UUID(uuidString: service.uuid) != nil)
            #expect(!service.characteristics.isEmpty)
            #expect(Set(service.characteristics.map(\.name)).count == service.characteristics.count)
            for characteristic in service.characteristics {
                #expect(characteristic.uuid.utf8.count == 4 || UUID(uuidString: characteristic.uuid) != nil)
            }
        }
    }

    @Test("what a characteristic says can be done is permitted, and behaves", arguments: PeripheralProfile.builtIn)
    func permissions(profile: PeripheralProfile) {
        for characteristic in profile.services.flatMap(\.characteristics) {
            let readable: CBAttributePermissions = [.readable, .readEncryptionRequired]
            let writeable: CBAttributePermissions = [.writeable, .writeEncryptionRequired]
            if characteristic.properties.contains(.read) {
                #expect(!characteristic.permissions.isDisjoint(with: readable))
            }
            if !characteristic.properties.isDisjoint(with: [.write, .writeWithoutResponse]) {
                #expect(!characteristic.permissions.isDisjoint(with: writeable))
            }
            if case .stored(let lengths) = characteristic.behaviour {
                #expect(lengths.contains(characteristic.initialValue.count))
            }
        }
    }

    @Test("what is advertised fits into 31 bytes", arguments: PeripheralProfile.builtIn)
    func advertisement(profile: PeripheralProfile) {
        let advertised = profile.services.filter(\.isAdvertised).map(\.uuid)
        let short = advertised.filter { $0.utf8.count == 4 }.count
        let long = advertised.count - short
        // Flags, and each list with its header of two bytes.
        #expect(3 + (short > 0 ? 2 + 2 * short : 0) + (long > 0 ? 2 + 16 * long : 0) <= 31)
        #expect(2 + profile.localName.utf8.count <= 31)
    }

    @Test("the default sensor has what it is known for")
    func defaultProfile() throws {
        let uuids = PeripheralProfile.default.services.map { [$0.uuid] + $0.characteristics.map(\.uuid) }
        #expect(
            uuids == [
                ["180D", "2A37", "2A38", "2A39"],
                ["CED261B7-F120-41C8-9A92-A41DE69CF2A8", "83B4A431-A6F1-4540-B3EE-3C14AEF71A04"],
                ["16274BFE-C539-416C-9646-CA3F991DADD6", "E4D4A76C-B9F1-422F-8BBA-18508356A145"],
            ])
        #expect(PeripheralProfile.default.localName == "Dittojay")
        #expect(PeripheralProfile.default.services.filter(\.isAdvertised).map(\.name) == ["heart-rate", "chirp"])
    }
}

@Suite("The record of a controller's name")
struct AliasRecordTests {
    @Test("what was written is read again, whatever the names")
    func roundTrip() throws {
        let path = NSTemporaryDirectory() + "dittojay-test-\(UInt64.random(in: 0 ... .max))"
        defer { unlink(path) }
        #expect(AliasRecord(path: path) == nil)
        for (given, former) in [("Dittojay", ""), ("", "x"), ("é 🐦\n", String(repeating: "n", count: 248))] {
            AliasRecord(given: given, former: former).write(path: path)
            let record = try #require(AliasRecord(path: path))
            #expect(record.given == given)
            #expect(record.former == former)
        }
    }

    @Test("garbage and links are no records", arguments: ["", "no zero byte", "a\u{0}b\u{0}c"])
    func garbage(content: String) throws {
        let path = NSTemporaryDirectory() + "dittojay-test-\(UInt64.random(in: 0 ... .max))"
        let link = path + "-link"
        defer {
            unlink(path)
            unlink(link)
        }
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        #expect(AliasRecord(path: path) == nil)
        AliasRecord(given: "a", former: "b").write(path: path)
        try #require(symlink(path, link) == 0)
        #expect(AliasRecord(path: link) == nil)
        AliasRecord(given: "c", former: "d").write(path: link)
        #expect(AliasRecord(path: path)?.given == "a")
    }
}

@Suite("Behaviours")
struct BehaviourTests {
    private let services: [SimulatedService]

    init() {
        let queue = DispatchQueue(label: "test")
        services = PeripheralProfile.lab.services.map {
            SimulatedService($0, context: ServiceContext(queue: queue, heartRate: HeartRateSettings(), seed: 1))
        }
    }

    private func behaviour(_ name: String) throws -> any CharacteristicBehaviour {
        try #require(services.flatMap(\.characteristics).first { $0.profile.name == name }).behaviour
    }

    @Test("the sensor location gives what was written, and takes one byte only")
    func location() throws {
        let location = try behaviour("body-sensor-location")
        #expect(try location.read() == Data([1]))
        try location.write(Data([2]))
        #expect(try location.read() == Data([2]))
        #expect(throws: CBATTError(.invalidAttributeValueLength)) { try location.write(Data()) }
        #expect(throws: CBATTError(.invalidAttributeValueLength)) { try location.write(Data([1, 2])) }
        #expect(try location.read() == Data([2]))
    }

    @Test("the control point takes 0x01 and refuses everything else with 0x80")
    func controlPoint() throws {
        let controlPoint = try behaviour("heart-rate-control-point")
        try controlPoint.write(Data([1]))
        for value in [0, 2, 255] as [UInt8] {
            #expect { try controlPoint.write(Data([value])) } throws: { ($0 as? CBATTError)?.code.rawValue == 0x80 }
        }
        #expect(throws: CBATTError(.invalidAttributeValueLength)) { try controlPoint.write(Data([1, 1])) }
    }

    @Test("a heart beats while somebody listens, and the control point resets its energy")
    func energyReset() throws {
        let queue = DispatchQueue(label: "test")
        // The first measurement comes soon whatever the interval, and here holds an hour's energy.
        let context = ServiceContext(
            queue: queue, heartRate: HeartRateSettings(interval: 3600, contactDetection: .steady), seed: 1)
        let service = SimulatedService(.heartRate, context: context)
        let measured = DispatchSemaphore(value: 0)
        context.heart.send = { _ in
            measured.signal()
            return true
        }
        #expect(context.heart.simulation.energyExpended == 0)
        queue.sync { service.characteristics[0].behaviour.subscriptionChanged(isSubscribed: true) }
        #expect(measured.wait(timeout: .now() + 10) == .success)
        try queue.sync {
            service.characteristics[0].behaviour.subscriptionChanged(isSubscribed: false)
            #expect(context.heart.simulation.energyExpended > 0)
            try service.characteristics[2].behaviour.write(Data([1]))
            #expect(context.heart.simulation.energyExpended == 0)
        }
    }

    @Test("the sink counts what it swallows until the count is reset")
    func sink() throws {
        let sink = try behaviour("sink")
        let count = try behaviour("sink-count")
        for length in 0..<5 { try sink.write(Data(count: length)) }
        #expect(LabService.SinkCount(bytes: try count.read()) == .init(writes: 5, byteCount: 10))
        try count.write(Data())
        #expect(LabService.SinkCount(bytes: try count.read()) == .init())
    }

    @Test("what only sends can be neither read nor written")
    func onDemand() throws {
        let chirp = try behaviour("chirp")
        #expect(throws: CBATTError(.readNotPermitted)) { try chirp.read() }
        #expect(throws: CBATTError(.writeNotPermitted)) { try chirp.write(Data()) }
    }

    @Test("a long write is put together from its pieces")
    func assembly() throws {
        func assemble(_ pieces: [(Int, [UInt8])], on value: [UInt8]) throws -> [UInt8] {
            Array(try WriteAssembly.value(after: pieces.map { ($0.0, Data($0.1)) }, on: Data(value)))
        }
        #expect(try assemble([(0, [1, 2]), (2, [3])], on: [9, 9, 9, 9]) == [1, 2, 3])
        #expect(try assemble([(2, [3])], on: [1, 2, 9, 9]) == [1, 2, 3])
        #expect(try assemble([(0, [])], on: [1]) == [])
        #expect(throws: CBATTError(.invalidOffset)) { try assemble([(2, [3])], on: [1]) }
        #expect(throws: CBATTError(.invalidOffset)) { try assemble([(-1, [3])], on: [1]) }
        #expect(throws: CBATTError(.invalidAttributeValueLength)) {
            try assemble([(0, [UInt8](repeating: 0, count: 512)), (512, [1])], on: [])
        }
    }

    @Test("the numbers of a burst come back from its values")
    func burstNumbers() {
        for number in [0, 1, 255, 256, 65_536, .max] as [UInt32] {
            let bytes = ChirpService.Burst.bytes(number: number, size: 20)
            #expect(bytes.count == 20)
            #expect(ChirpService.Burst.number(in: bytes) == number)
        }
        #expect(ChirpService.Burst.number(in: [1, 2, 3]) == nil)
        #expect(ChirpService.Burst.bytes(number: 1, size: 0).count == 4)
    }
}
