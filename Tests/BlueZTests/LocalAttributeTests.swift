import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

@testable import BlueZ

/// Services and advertisements of this program, where CoreBluetooth does not use all that they can do.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
@LoopActor
struct LocalAttributeTests {
    private let daemon: FakeBluetoothd
    private let session: BlueZSession
    private let adapter: Adapter
    private let central: FakeDevice

    init() async throws {
        daemon = try await .start()
        session = BlueZSession(timing: .init(), handleFolder: "/dev/null") {
            [bus = daemon.bus] () throws(BusError) in try bus.connect()
        }
        try await session.waitUntilAvailable()
        adapter = try #require(session.adapters.first)
        central = daemon.adapter.connectCentral()
    }

    private func register(
        _ characteristic: LocalCharacteristic
    ) async throws -> (LocalApplication, FakeLocalCharacteristic) {
        let service = LocalApplication([LocalService(uuid: "180D", characteristics: [characteristic])])
        try await service.register(with: adapter)
        #expect(service.isRegistered)
        return (service, try #require(daemon.adapter.characteristic(characteristic.uuid)))
    }

    @Test func `what nobody handles is refused`() async throws {
        let descriptor = LocalDescriptor(uuid: "2901", flags: [.read, .write])
        let characteristic = LocalCharacteristic(uuid: "2A37", flags: [.read, .write], descriptors: [descriptor])
        let (_, published) = try await register(characteristic)
        let toRead = await attError { _ = try await published.read(by: central) }
        let toWrite = await attError { try await published.write(Data([1]), by: central) }
        #expect(toRead == 0x02 && toWrite == 0x02)
        let application = try #require(daemon.adapter.applications.first)
        let toReadDescriptor = await attError { _ = try await application.read(descriptor: "2901") }
        #expect(toReadDescriptor == 0x02)
        descriptor.onRead = { $0.reply(Data([5])) }
        #expect(try await application.read(descriptor: "2901") == Data([5]))
    }

    @Test func `a characteristic without a socket notifies by signals`() async throws {
        let characteristic = LocalCharacteristic(uuid: "2A37", flags: .notify, offersNotifySocket: false)
        var journal: [String] = []
        characteristic.onSubscribe = { journal.append("subscribed \($0?.device.string ?? "by somebody")") }
        characteristic.onUnsubscribe = { _ in journal.append("unsubscribed") }
        characteristic.onConfirm = { journal.append("confirmed") }
        let (_, published) = try await register(characteristic)
        #expect(characteristic.notify(Data([0])) && !characteristic.isSubscribed)
        let toAcquire = await attError { try await published.call("AcquireNotify", [[String: BusValue]().busValue]) }
        #expect(toAcquire == 0x06)
        try await published.subscribe(by: central)
        #expect(characteristic.notify(Data([1])) && characteristic.isSubscribed)
        try await eventually("the value") { published.notifications == [Data([1])] }
        try await published.confirm()
        try await published.unsubscribe()
        try await published.call("StopNotify")
        #expect(journal == ["subscribed by somebody", "confirmed", "unsubscribed"])
    }

    /// bluetoothd crashes when the answer comes later.
    @Test func `a socket that bluetoothd has asked for is given before the service is removed`() async throws {
        let (service, published) = try await register(LocalCharacteristic(uuid: "2A37", flags: .notify))
        let application = try #require(daemon.adapter.applications.first)
        var journal: [String] = []
        daemon.react(
            to: "UnregisterApplication",
            with: .handler { call in
                journal.append("removed")
                call.resume()
            })
        let call = MethodCall(
            destination: application.client, path: published.path, interface: "org.bluez.GattCharacteristic1",
            method: "AcquireNotify", arguments: [["mtu": BusValue.uint16(517)].busValue])
        daemon.connection.call(call) { _ in journal.append("answered") }
        await service.unregister()
        #expect(journal == ["answered", "removed"])
    }

    @Test func `signals wait until bluetoothd has read them`() async throws {
        let characteristic = LocalCharacteristic(uuid: "2A37", flags: .notify, offersNotifySocket: false)
        let (_, published) = try await register(characteristic)
        try await published.subscribe(by: central)
        var room = 0
        while characteristic.notify(Data([UInt8(room)])) { room += 1 }
        #expect(room == 32)
        let _: Bool = try await event("room again") { found in characteristic.onReadyToNotify = { found(true) } }
        #expect(characteristic.notify(Data([32])))
        try await eventually("all values") { published.notifications.count == 33 }
        #expect(published.notifications.map { $0[0] } == Array(0...32))
    }

    @Test func `a lost bus is no lack of room`() async throws {
        let characteristic = LocalCharacteristic(uuid: "2A37", flags: .notify)
        let (service, published) = try await register(characteristic)
        try await published.subscribe(by: central, usingSocket: false)
        daemon.bus.kill()
        try await eventually("the loss") { session.state == .lost }
        for _ in 0..<100 { #expect(characteristic.notify(Data([1]))) }
        await service.unregister()
        #expect(!service.isRegistered && !characteristic.isSubscribed)
    }

    @Test func `a service is withdrawn once and can be registered again`() async throws {
        let (service, _) = try await register(LocalCharacteristic(uuid: "2A37", flags: .notify))
        let first = daemon.adapter.offeredHandles
        await service.unregister()
        await service.unregister()
        #expect(daemon.count(of: "UnregisterApplication") == 1 && daemon.adapter.applications.isEmpty)
        try await service.register(with: adapter)
        // A central that knows the one before finds this one behind it.
        #expect(first.compactMap { $0 }.allSatisfy { $0 < daemon.adapter.offeredHandles.compactMap { $0 }[0] })
        service.abandon()
        service.abandon()
        #expect(!service.isRegistered && daemon.count(of: "UnregisterApplication") == 1)
    }

    @Test func `what is registered with an adapter that was removed fails`() async throws {
        daemon.remove(daemon.adapter)
        try await eventually("it is known") { session.adapters.isEmpty }
        let service = LocalApplication([LocalService(uuid: "180D", characteristics: [])])
        await #expect(throws: BlueZError.objectRemoved(adapter.path.string)) {
            try await service.register(with: adapter)
        }
        let advertisement = Advertisement(AdvertisementData(localName: "x"))
        await #expect(throws: BlueZError.objectRemoved(adapter.path.string)) {
            try await advertisement.register(with: adapter)
        }
        #expect(!service.isRegistered && !advertisement.isRegistered)
    }

    @Test func `an advertisement may be abandoned`() async throws {
        let advertisement = Advertisement(AdvertisementData(localName: "x", serviceUUIDs: ["180D"]))
        try await advertisement.register(with: adapter)
        #expect(advertisement.isRegistered && daemon.adapter.advertisements.count == 1)
        advertisement.abandon()
        await advertisement.unregister()
        #expect(!advertisement.isRegistered && daemon.count(of: "UnregisterAdvertisement") == 0)
    }

    @Test func `a release is reported once`() async throws {
        let advertisement = Advertisement(AdvertisementData())
        var releases = 0
        advertisement.onRelease = { releases += 1 }
        try await advertisement.register(with: adapter)
        daemon.adapter.release(try #require(daemon.adapter.advertisements.first))
        try await eventually("the release") { releases == 1 }
        #expect(!advertisement.isRegistered)
        try await advertisement.register(with: adapter)
        #expect(releases == 1 && daemon.adapter.advertisements.count == 1)
    }
}
