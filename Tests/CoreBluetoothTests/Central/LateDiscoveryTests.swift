import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

@testable import CoreBluetooth

/// What bluetoothd reports late, in pieces, or not at all of a device's services.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct LateDiscoveryTests {
    private let daemon: FakeBluetoothd

    init() async throws { daemon = try await .start() }

    @LoopActor
    private func device(_ characteristics: [FakeCharacteristic.Plan] = []) -> (FakeDevice, FakeService) {
        let device = daemon.adapter.addDevice()
        return (device, device.addService("180D", characteristics))
    }

    private func service(_ uuid: String, of peripheral: CBPeripheral, _ app: CentralApp) throws -> CBService {
        try #require(app.queue.sync { peripheral.services?.first { $0.uuid == CBUUID(string: uuid) } })
    }

    @Test(arguments: [10, 50, 100, 200, 300])
    func `a characteristic that comes after its service is found`(milliseconds: Int) async throws {
        let (device, service) = await device([.init("2A37", ["notify"])])
        await delay(service, .milliseconds(milliseconds))
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connected(to: device)
        let rate = try await app.characteristic("2A37", of: peripheral)
        app.queue.sync { peripheral.setNotifyValue(true, for: rate) }
        try await app.saw("notifying 2A37 true")
    }

    @Test(arguments: [10, 100, 300])
    func `a service that comes back in pieces is found whole`(milliseconds: Int) async throws {
        let (device, service) = await device([.init("2A37", ["notify"])])
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connected(to: device)
        try await app.discoverEverything(of: peripheral)
        await device.remove(service)
        try await app.saw("modified [\"180D\"]")
        let back = await device.addService("180D", [.init("2A37", ["notify"])])
        await delay(back, .milliseconds(milliseconds))
        await back.appear()
        try await app.saw("modified []")
        let rate = try await app.characteristic("2A37", of: peripheral)
        app.queue.sync { peripheral.setNotifyValue(true, for: rate) }
        try await app.saw("notifying 2A37 true")
    }

    @LoopActor
    private func delay(_ service: FakeService, _ delay: Duration) {
        for characteristic in service.characteristics { characteristic.delay = delay }
    }

    @Test func `a service that comes after the others is found`() async throws {
        let (device, _) = await device([.init("2A37", ["notify"])])
        let late = await device.addService("180F", [.init("2A19", ["read"])])
        await setLate(late)
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connected(to: device)
        app.queue.sync { peripheral.discoverServices([CBUUID(string: "180F")]) }
        Task { @LoopActor in Later.run(after: .milliseconds(200)) { late.appear() } }
        try await app.saw("services")
        _ = try service("180F", of: peripheral, app)
    }

    @LoopActor
    private func setLate(_ service: FakeService) { service.isKnownAtOnce = false }

    @Test func `what comes while the program does not run is found`() async throws {
        let (device, service) = await device()
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connected(to: device)
        app.queue.sync { peripheral.discoverServices(nil) }
        try await app.saw("services")
        let found = try self.service("180D", of: peripheral, app)
        app.queue.sync { peripheral.discoverCharacteristics(nil, for: found) }
        await standStill(thenShow: .init("2A37", ["notify"]), in: service)
        try await app.saw("characteristics of 180D")
        #expect(app.find("2A37", in: peripheral) != nil)
    }

    /// Blocks the loop for longer than the link waits for missing attributes.
    @LoopActor
    private func standStill(thenShow plan: FakeCharacteristic.Plan, in service: FakeService) {
        Thread.sleep(forTimeInterval: 0.2 + DiscoverySettling.quietTime / .seconds(1))
        service.add(plan).appear()
    }

    @Test func `a characteristic that comes much later is announced`() async throws {
        let (device, service) = await device([.init("2A38", ["read"])])
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connected(to: device)
        try await app.discoverEverything(of: peripheral)
        await show(.init("2A37", ["notify"]), in: service)
        try await app.saw("modified [\"180D\"]")
        try await app.discoverEverything(of: peripheral)
        #expect(app.find("2A37", in: peripheral) != nil)
    }

    @Test func `what is listened to stays when its service grows`() async throws {
        let (device, service) = await device([.init("2A37", ["notify"])])
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connected(to: device)
        let rate = try await app.characteristic("2A37", of: peripheral)
        app.queue.sync { peripheral.setNotifyValue(true, for: rate) }
        try await app.saw("notifying 2A37 true")
        await show(.init("2A38", ["read"]), in: service)
        try await app.saw("modified []")
        await device.characteristic("2A37")?.notify(Data([0, 60]))
        try await app.saw("2A37 = 003c")
    }

    @LoopActor
    private func show(_ plan: FakeCharacteristic.Plan, in service: FakeService) { service.add(plan).appear() }

    @Test func `what is not there is reported as missing after a moment`() async throws {
        let (device, _) = await device([.init("2A37", ["notify"])])
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connected(to: device)
        app.queue.sync { peripheral.discoverServices([CBUUID(string: "180F")]) }
        try await app.saw("services", within: .seconds(2))
        #expect(app.queue.sync { peripheral.services } == [])
    }

    /// 5.66 misses it when it is still looking into an earlier change, and goes on showing what is gone.
    @Test(arguments: ["read", "write", "subscribe"])
    func `a removal that bluetoothd has missed is found out by the device's answer`(by request: String) async throws {
        let (device, former) = await device([.init("2A38", ["read", "write", "notify"])])
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connected(to: device)
        let gone = try await app.characteristic("2A38", of: peripheral)
        await refuseAll(of: former)
        let next = await device.addService("180D", [.init("2A38", ["read"], value: Data([2]))])
        await next.appear()
        try await app.saw("modified []")
        let refusal: String
        switch request {
        case "read":
            app.queue.sync { peripheral.readValue(for: gone) }
            refusal = "2A38 refused 0x1"
        case "write":
            app.queue.sync { peripheral.writeValue(Data([1]), for: gone, type: .withResponse) }
            refusal = "written 2A38 refused 0x1"
        default:
            app.queue.sync { peripheral.setNotifyValue(true, for: gone) }
            refusal = "notifying 2A38 false refused 0x1"
        }
        try await app.saw("modified [\"180D\"]")
        #expect(app.lines.suffix(2) == [refusal, "modified [\"180D\"]"])
        let found = try await app.characteristic("2A38", of: peripheral)
        #expect(found !== gone && app.queue.sync { peripheral.services?.count } == 1)
        app.queue.sync { peripheral.readValue(for: found) }
        try await app.saw("2A38 = 02")
        // When bluetoothd notices, that is no news.
        await device.remove(former)
        await device.addService("180F").appear()
        try await app.saw("modified []", count: 2)
        #expect(app.lines.count { $0 == "modified [\"180D\"]" } == 1)
    }

    @LoopActor
    private func refuseAll(of service: FakeService) {
        for characteristic in service.characteristics {
            for method in ["ReadValue", "WriteValue", "StartNotify", "AcquireNotify"] {
                daemon.react(
                    to: method, at: characteristic.path,
                    with: .refuse("Failed", "Operation failed with ATT error: 0x01"))
            }
        }
    }

    @Test func `the only service of its kind stays, whatever the device answers`() async throws {
        let (device, service) = await device([.init("2A38", ["read"])])
        await device.addService("180F")
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connected(to: device)
        let location = try await app.characteristic("2A38", of: peripheral)
        await refuseAll(of: service)
        app.queue.sync { peripheral.readValue(for: location) }
        try await app.saw("2A38 refused 0x1")
        try await app.discoverEverything(of: peripheral)
        #expect(app.find("2A38", in: peripheral) === location)
        #expect(!app.lines.contains { $0.hasPrefix("modified") })
    }

    @Test func `a discovery that found nothing has failed`() async throws {
        let (device, _) = await device([.init("2A37", ["notify"])])
        await stopAnswering(device)
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connected(to: device)
        app.queue.sync { peripheral.discoverServices(nil) }
        try await app.saw(
            "services failed: bluetoothd found no services: the device did not answer, or not all that it was asked")
    }

    @LoopActor
    private func stopAnswering(_ device: FakeDevice) {
        device.answersDiscovery = false
        device.set("UUIDs", ["0000180d-0000-1000-8000-00805f9b34fb"].busValue)
    }
}
