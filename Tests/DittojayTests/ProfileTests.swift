import CoreBluetooth
import GATTProfiles
import TestSupport
import Testing

@testable import Dittojay

@Suite struct ProfileTests {
    @Test(arguments: PeripheralProfile.builtIn)
    func `names and UUIDs are unique and well-formed`(profile: PeripheralProfile) {
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

    @Test(arguments: PeripheralProfile.builtIn)
    func `what a characteristic says can be done is permitted, and has an effect`(profile: PeripheralProfile) {
        for characteristic in profile.services.flatMap(\.characteristics) {
            let readable: CBAttributePermissions = [.readable, .readEncryptionRequired]
            let writeable: CBAttributePermissions = [.writeable, .writeEncryptionRequired]
            #expect(characteristic.properties.contains(.read) == !characteristic.permissions.isDisjoint(with: readable))
            #expect(characteristic.isWriteable == !characteristic.permissions.isDisjoint(with: writeable))
            #expect(characteristic.isWriteable == (characteristic.writes != nil))
            #expect(characteristic.notifies || characteristic.notifications == nil)
            if let rules = characteristic.writes, rules.effects.contains(.store) {
                #expect(rules.lengths.contains(characteristic.initialValue.count))
            }
        }
    }

    @Test(arguments: PeripheralProfile.builtIn)
    func `what is advertised fits into 31 bytes`(profile: PeripheralProfile) {
        let advertised = profile.services.filter(\.isAdvertised).map(\.uuid)
        let short = advertised.filter { $0.utf8.count == 4 }.count
        let long = advertised.count - short
        // Flags, and each list with its header of two bytes.
        #expect(3 + (short > 0 ? 2 + 2 * short : 0) + (long > 0 ? 2 + 16 * long : 0) <= 31)
        #expect(2 + profile.localName.utf8.count <= 31)
    }

    @Test func `the default sensor has what it is known for`() throws {
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

@Suite struct AliasRecordTests {
    @Test func `what was written is read again, whatever the names`() throws {
        let path = NSTemporaryDirectory() + "dittojay-test-\(UUID())"
        defer { unlink(path) }
        #expect(AliasRecord(path: path) == nil)
        for (given, former) in [("Dittojay", ""), ("", "x"), ("é 🐦\n", String(repeating: "n", count: 248))] {
            AliasRecord(given: given, former: former).write(path: path)
            let record = try #require(AliasRecord(path: path))
            #expect(record.given == given)
            #expect(record.former == former)
        }
    }

    @Test(arguments: ["", "no zero byte", "a\u{0}b\u{0}c"])
    func `garbage and links are no records`(content: String) throws {
        let path = NSTemporaryDirectory() + "dittojay-test-\(UUID())"
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

@Suite struct BehaviourTests {
    private let services = SimulatedServices(.lab, seed: 1, clock: ManualClock())

    private func characteristic(_ name: String) throws -> SimulatedCharacteristic {
        try #require(services.characteristics.first { $0.profile.name == name })
    }

    @Test func `the sensor location gives what was written, and takes one byte only`() throws {
        let location = try characteristic("body-sensor-location")
        #expect(try location.read() == Data([1]))
        #expect(try location.write(Data([2])) == [])
        #expect(try location.read() == Data([2]))
        #expect(throws: CBATTError(.invalidAttributeValueLength)) { try location.write(Data()) }
        #expect(throws: CBATTError(.invalidAttributeValueLength)) { try location.write(Data([1, 2])) }
        #expect(try location.read() == Data([2]))
    }

    @Test func `the control point takes 0x01 and refuses everything else with 0x80`() throws {
        let controlPoint = try characteristic("heart-rate-control-point")
        let measurement = CharacteristicPath("heart-rate", "heart-rate-measurement")
        #expect(try controlPoint.write(Data([1])) == [.resetEnergy(measurement)])
        for value in [0, 2, 255] as [UInt8] {
            #expect { try controlPoint.write(Data([value])) } throws: { ($0 as? CBATTError)?.code.rawValue == 0x80 }
        }
        #expect(throws: CBATTError(.invalidAttributeValueLength)) { try controlPoint.write(Data([1, 1])) }
        #expect(throws: CBATTError(.readNotPermitted)) { try controlPoint.read() }
    }

    @Test func `a heart beats while somebody listens, and its energy can be reset`() throws {
        // The first measurement comes soon whatever the interval, and here holds an hour's energy.
        let clock = ManualClock()
        let settings = HeartRateSettings(interval: 3600, contactDetection: .steady)
        let notifier = Notifier(.heartRate(settings), seed: 1, clock: clock)
        let heart = try #require(notifier.generator as? SimulatedHeart)
        var count = 0
        notifier.send = { _ in
            count += 1
            return true
        }
        #expect(heart.simulation.energyExpended == 0)
        notifier.start()
        clock.advance(by: 0.2)
        #expect(count == 1 && heart.simulation.energyExpended > 0)
        heart.resetEnergy()
        #expect(heart.simulation.energyExpended == 0)
        clock.advance(by: 3600)
        #expect(count == 2)
        notifier.stop()
        clock.advance(by: 7200)
        #expect(count == 2 && clock.pendingCount == 0)
    }

    @Test func `a value that there is no room for is sent the next time, and none is left out`() throws {
        let clock = ManualClock()
        let plan = NotificationPlan(interval: 0.001, source: .list([[1], [2], [3]], repeats: false))
        let notifier = Notifier(plan, seed: 1, clock: clock)
        var sent: [Data] = []
        var attempts = 0
        notifier.send = { value in
            attempts += 1
            // Only each third attempt finds room.
            guard attempts % 3 == 0 else { return false }
            sent.append(value)
            return true
        }
        notifier.start()
        clock.advance(by: 1)
        #expect(sent == [Data([1]), Data([2]), Data([3])])
        #expect(attempts == 9 && clock.pendingCount == 0)
    }

    @Test func `the sink counts what it swallows until the count is reset`() throws {
        let sink = try characteristic("sink")
        let count = try characteristic("sink-count")
        for length in 0..<5 { #expect(try sink.write(Data(count: length)) == []) }
        #expect(LabService.SinkCount(bytes: try count.read()) == .init(writes: 5, byteCount: 10))
        #expect(try count.write(Data()) == [.resetCount(CharacteristicPath("lab", "sink"))])
        sink.resetWriteCount()
        #expect(LabService.SinkCount(bytes: try count.read()) == .init())
    }

    @Test func `what only sends can be neither read nor written`() throws {
        let chirp = try characteristic("chirp")
        #expect(throws: CBATTError(.readNotPermitted)) { try chirp.read() }
        #expect(throws: CBATTError(.writeNotPermitted)) { try chirp.write(Data()) }
    }

    @Test func `a long write is put together from its pieces`() throws {
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

    @Test func `the numbers of a burst come back from its values`() {
        for number in [0, 1, 255, 256, 65_536, .max] as [UInt32] {
            let bytes = ChirpService.Burst.bytes(number: number, size: 20)
            #expect(bytes.count == 20)
            #expect(ChirpService.Burst.number(in: bytes) == number)
        }
        #expect(ChirpService.Burst.number(in: [1, 2, 3]) == nil)
        #expect(ChirpService.Burst.bytes(number: 1, size: 0).count == 4)
    }
}
