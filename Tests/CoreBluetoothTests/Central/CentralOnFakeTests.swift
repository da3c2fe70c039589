import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

@testable import CoreBluetooth

/// The central role above a fake bluetoothd: the ordinary way of things.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct CentralOnFakeTests {
    private let daemon: FakeBluetoothd

    init() async throws { daemon = try await .start() }

    @LoopActor
    private func sensor() -> FakeDevice {
        let device = daemon.adapter.addDevice()
        device.addService(
            "180D",
            [
                .init("2A37", ["notify"]), .init("2A38", ["read", "write"], value: Data([1])),
            ])
        return device
    }

    @Test func `a sensor is found, connected and used`() async throws {
        let app = CentralApp(on: daemon)
        try await app.saw("state on")
        let device = await sensor()
        app.act { $0.scanForPeripherals(withServices: [CBUUID(string: "180D")]) }
        try await app.saw("found Sensor -60")
        app.act { $0.stopScan() }
        let peripheral = try await app.connected(to: device)
        let location = try await app.characteristic("2A38", of: peripheral)
        app.queue.sync { peripheral.readValue(for: location) }
        try await app.saw("2A38 = 01")
        app.queue.sync { peripheral.writeValue(Data([2]), for: location, type: .withResponse) }
        try await app.saw("written 2A38")
        let rate = try #require(app.find("2A37", in: peripheral))
        app.queue.sync { peripheral.setNotifyValue(true, for: rate) }
        try await app.saw("notifying 2A37 true")
        await device.characteristic("2A37")?.notify(Data([0, 72]))
        try await app.saw("2A37 = 0048")
        app.act { $0.cancelPeripheralConnection(peripheral) }
        try await app.saw("disconnected")
    }

    /// Apple's platforms keep iBeacon frames to themselves.
    @Test func `of several companies' data all are reported, and the one is no iBeacon's`() async throws {
        let app = CentralApp(on: daemon)
        try await app.saw("state on")
        let beacon = Data([0x02, 0x15]) + Data(count: 21)
        let data: [UInt16: BusValue] = [0x004C: .bytes(beacon), 0xEC88: .bytes(Data([3]))]
        await sensor().set("ManufacturerData", data.busValue)
        app.act { $0.scanForPeripherals(withServices: nil) }
        try await app.saw("companies [\"4c00\(hex(beacon))\", \"88ec03\"], one 88ec03")
    }

    @Test func `what another program's scan has found is discovered`() async throws {
        await daemon.adapter.startOtherScan()
        _ = await sensor()
        let app = CentralApp(on: daemon)
        try await app.saw("state on")
        app.act { $0.scanForPeripherals(withServices: nil) }
        try await app.saw("found Sensor -60")
    }

    /// A program that has been interrupted leaves the end of its link to bluetoothd, which takes 2 to 3 s for it.
    @Test func `a link that another program is ending is made again`() async throws {
        let device = await sensor()
        await device.comeUp()
        let app = CentralApp(on: daemon)
        try await app.saw("state on")
        await device.beginToDisconnect()
        let peripheral = try await app.connected(to: device)
        let location = try await app.characteristic("2A38", of: peripheral)
        app.queue.sync { peripheral.readValue(for: location) }
        try await app.saw("2A38 = 01")
        #expect(!app.lines.contains { $0.hasPrefix("disconnected") })
        #expect(await daemon.count(of: "Connect") == 1)
    }

    /// bluetoothd answers the question whether it is ending the link when it has already ended it.
    @Test func `a link that ends while it is examined is made again`() async throws {
        let device = await sensor()
        await device.comeUp()
        let app = CentralApp(on: daemon)
        try await app.saw("state on")
        await daemon.react(
            to: "StartNotify", times: 1,
            with: .handler { call in
                device.lose()
                call.resume()
            })
        let peripheral = try await app.connected(to: device)
        let location = try await app.characteristic("2A38", of: peripheral)
        app.queue.sync { peripheral.readValue(for: location) }
        try await app.saw("2A38 = 01")
        #expect(await daemon.count(of: "Connect") == 1)
    }

    /// A link that somebody else uses is taken as it is.
    @Test func `a link that is there is used`() async throws {
        let device = await sensor()
        await device.comeUp()
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connected(to: device)
        let rate = try await app.characteristic("2A37", of: peripheral)
        app.queue.sync { peripheral.setNotifyValue(true, for: rate) }
        try await app.saw("notifying 2A37 true")
        #expect(await daemon.count(of: "Connect") == 0)
    }
}

extension FakeDevice {
    /// As when a program has just asked bluetoothd to end the link.
    fileprivate func beginToDisconnect() {
        disconnectionTime = .milliseconds(500)
        disconnect()
        disconnectionTime = .zero
    }
}
