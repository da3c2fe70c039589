import BluetoothLab
import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

/// bluejay and a device that has several attributes alike, descriptors, and services in services.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct CentralAttributeTests {
    private let daemon: FakeBluetoothd
    private let programs: Programs
    private static let device = "C0:00:00:00:00:01/random"

    init() async throws {
        daemon = try await .start()
        programs = try Programs(on: daemon)
    }

    /// Two batteries, one after the other.
    @LoopActor
    private func batteries() -> (first: FakeCharacteristic, second: FakeCharacteristic) {
        let device = daemon.adapter.addDevice()
        let found = [80, 90].map { level in
            device.addService(
                "180F", [.init("2A19", ["read", "write", "notify"], value: Data([level]))]
            ).characteristics[0]
        }
        return (found[0], found[1])
    }

    private func bluejay(_ words: String..., expecting status: Int32 = 0) async throws -> ChildProcess {
        let central = try programs.run(["bluejay"] + words)
        #expect(try await central.exitStatus() == status, "\(central.transcript)")
        return central
    }

    private func object(_ process: ChildProcess) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(process.lines.joined().utf8)) as? [String: Any])
    }

    // MARK: Several alike

    @Test func `each of several alike has its own value`() async throws {
        let (first, second) = await batteries()
        let info = try await bluejay("info", Self.device, "--values")
        #expect(
            info.lines.dropFirst() == [
                "service 180F#1 Battery @0010", "  2A19 Battery Level \(first.handle) (read, write, notify) = 80 %",
                "service 180F#2 Battery @0013", "  2A19 Battery Level \(second.handle) (read, write, notify) = 90 %",
            ])
    }

    @Test(arguments: ["180F#2/2A19", "180F/2A19#2", "2A19#2", "battery#2/battery-level", "@0014"])
    func `one of several alike is read by its number or its handle`(name: String) async throws {
        let (_, second) = await batteries()
        #expect(second.handle == "@0014")
        let read = try await bluejay("read", Self.device, name)
        #expect(read.lines == ["90 %"])
    }

    @Test func `what is ambiguous is answered with its names`() async throws {
        _ = await batteries()
        let read = try await bluejay("read", Self.device, "180F/2A19", expecting: 7)
        #expect(
            read.lines == [
                "bluejay: \(Self.device) has several characteristics 180F/2A19; name one by its number or its handle: "
                    + "180F#1/2A19 @0011, 180F#2/2A19 @0014"
            ])
    }

    @Test func `one of several alike is written`() async throws {
        let (first, second) = await batteries()
        _ = try await bluejay("write", Self.device, "180F#2/2A19", "u8:7")
        #expect(await first.written.isEmpty)
        #expect(await second.written.map(\.value) == [Data([7])])
    }

    @Test func `one of several alike is listened to`() async throws {
        let (first, second) = await batteries()
        let central = try programs.run("bluejay", "listen", Self.device, "@0014", "--count", "1", "--json")
        try await eventually("a subscription") { second.isNotifying }
        #expect(await !first.isNotifying)
        await second.notify(Data([55]))
        #expect(try await central.exitStatus() == 0)
        let value = try object(central)
        #expect(value["characteristic"] as? String == "180F#2/2A19")
        #expect(value["level"] as? Int == 55)
    }

    @Test func `several alike in one service are distinguished`() async throws {
        try await inOneService()
        let read = try await bluejay("read", Self.device, "180F/2A19#3", "--json")
        let value = try object(read)
        #expect(value["characteristic"] as? String == "180F/2A19#3")
        #expect(value["handle"] as? String == "0015")
        #expect(value["level"] as? Int == 3)
        _ = try await bluejay("read", Self.device, "180F/2A19#4", expecting: 7)
    }

    @LoopActor
    private func inOneService() throws {
        daemon.adapter.addDevice().addService(
            "180F", (1...3).map { .init("2A19", ["read"], value: Data([UInt8($0)])) })
    }

    // MARK: Descriptors

    @LoopActor @discardableResult
    private func described() -> FakeCharacteristic {
        let service = daemon.adapter.addDevice().addService(
            "180D", [.init("2A37", ["notify"], descriptors: ["2902", "2901"])])
        let rate = service.characteristics[0]
        rate.descriptors[0].value = Data([0, 0])
        rate.descriptors[1].value = Data("Rate".utf8)
        return rate
    }

    @Test func `descriptors are listed with their values`() async throws {
        await described()
        let info = try await bluejay("info", Self.device, "--values")
        #expect(
            info.lines.dropFirst() == [
                "service 180D Heart Rate @0010", "  2A37 Heart Rate Measurement @0011 (notify)",
                "    2902 Client Characteristic Configuration @0013 = none (0000)",
                "    2901 Characteristic User Description @0014 = Rate",
            ])
    }

    @Test(arguments: ["180D/2A37/2901", "heart-rate/2A37/characteristic-user-description", "@0014"])
    func `a descriptor is read and written`(name: String) async throws {
        let rate = await described()
        #expect(try await bluejay("read", Self.device, name).lines == ["Rate"])
        _ = try await bluejay("write", Self.device, name, "text:Pulse")
        #expect(await rate.descriptors[1].value == Data("Pulse".utf8))
        let read = try object(try await bluejay("read", Self.device, name, "--json"))
        #expect(read["characteristic"] as? String == "180D/2A37/2901")
        #expect(read["value"] as? String == "50756c7365")
        #expect(read["text"] as? String == "Pulse")
    }

    @Test func `what a descriptor cannot do is said`() async throws {
        await described()
        let listen = try await bluejay("listen", Self.device, "180D/2A37/2901", expecting: 7)
        #expect(
            listen.lines == ["bluejay: 180D/2A37/2901 of \(Self.device) is a descriptor: it sends no values"])
        let write = try await bluejay("write", Self.device, "180D/2A37/2902", "u16:1", expecting: 1)
        #expect(
            write.lines == [
                "bluejay: cannot write 180D/2A37/2902 of \(Self.device): use \"bluejay listen\" to turn notifications on"
            ])
        #expect(await daemon.count(of: "WriteValue") == 0)
        let missing = try await bluejay("read", Self.device, "180D/2A37/2904", expecting: 7)
        #expect(missing.lines == ["bluejay: \(Self.device) has no descriptor 180D/2A37/2904"])
    }

    // MARK: Services in services

    @LoopActor
    private func nested() {
        let device = daemon.adapter.addDevice()
        let outer = device.addService("1812", [.init("2A4B", ["read"], value: Data([1]))])
        let inner = device.addService("180F", isPrimary: false, [.init("2A19", ["read"], value: Data([77]))])
        outer.include([inner])
    }

    @Test func `services that are only included are shown and read`() async throws {
        await nested()
        let info = try await bluejay("info", Self.device)
        #expect(
            info.lines.dropFirst() == [
                "service 1812 Human Interface Device @0010", "  includes 180F Battery @0013",
                "  2A4B Report Map @0011 (read)", "secondary service 180F Battery @0013",
                "  2A19 Battery Level @0014 (read)",
            ])
        #expect(try await bluejay("read", Self.device, "180F/2A19").lines == ["77 %"])
    }

    @Test func `the JSON form has handles, included services and values`() async throws {
        await nested()
        let info = try object(try await bluejay("info", Self.device, "--values", "--json"))
        let services = try #require(info["services"] as? [[String: Any]])
        #expect(services.map { $0["handle"] as? String } == ["0010", "0013"])
        #expect(services.map { $0["primary"] as? Bool } == [true, false])
        let includes = try #require(services[0]["includes"] as? [[String: Any]])
        #expect(includes.map { $0["handle"] as? String } == ["0013"])
        let characteristics = try #require(services[1]["characteristics"] as? [[String: Any]])
        #expect(characteristics.map { $0["value"] as? String } == ["4d"])
    }

    // MARK: Values that cannot be read

    @LoopActor
    private func threeValues() -> FakeDevice {
        let device = daemon.adapter.addDevice()
        device.addService(
            "180A",
            ["2A29", "2A24", "2A25"].map { .init($0, ["read"], value: Data("text \($0)".utf8)) })
        return device
    }

    @Test(arguments: [
        (MethodFailure.att(0x80), "ATT error 0x80: The device reported application error 0x80."),
        (.bluez("NotSupported", "no way"), "not supported: no way"),
    ])
    func `a read that fails is shown in its place and the others go on`(refusal: MethodFailure, reason: String)
        async throws
    {
        let device = await threeValues()
        await refuse(device, "2A24", refusal)
        let info = try await bluejay("info", Self.device, "--values")
        #expect(
            info.lines.dropFirst(2) == [
                "  2A29 Manufacturer Name String @0011 (read) = text 2A29",
                "  2A24 Model Number String @0013 (read) = cannot be read: \(reason)",
                "  2A25 Serial Number String @0015 (read) = text 2A25",
            ])
    }

    @LoopActor
    private func refuse(_ device: FakeDevice, _ uuid: String, _ refusal: MethodFailure) {
        device.characteristic(uuid)?.refusal = refusal
    }

    @Test func `what was read before the connection was lost is shown`() async throws {
        let device = await threeValues()
        let path = try #require(await device.characteristic("2A24")?.path)
        await daemon.react(to: "ReadValue", at: path, with: .handler { _ in device.lose() })
        let info = try await bluejay("info", Self.device, "--values", expecting: 5)
        #expect(info.transcript.contains("2A29 Manufacturer Name String @0011 (read) = text 2A29"))
        #expect(
            info.transcript.contains(
                "bluejay: cannot read model-number-string of \(Self.device): the connection was lost"))
    }

    @Test func `what was read before the device stopped answering is shown`() async throws {
        let device = await threeValues()
        let path = try #require(await device.characteristic("2A24")?.path)
        await daemon.react(to: "ReadValue", at: path, with: .silent)
        let info = try await bluejay("info", Self.device, "--values", "--timeout", "2", expecting: 3)
        #expect(info.transcript.contains("2A29 Manufacturer Name String @0011 (read) = text 2A29"))
        #expect(
            info.transcript.contains(
                "bluejay: cannot read model-number-string of \(Self.device): the device did not answer within 2 s"))
    }
}

extension FakeCharacteristic {
    /// As the user types it.
    fileprivate nonisolated var handle: String { "@" + path.string.suffix(4) }
}
