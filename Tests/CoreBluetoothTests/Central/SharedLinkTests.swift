import Foundation
import MainLoop
import TestSupport
import Testing

@testable import BlueZ
@testable import CoreBluetooth

/// Links that others use, too: bluetoothd would end them for any program that asks it to.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct SharedLinkTests {
    private let daemon: FakeBluetoothd

    init() async throws { daemon = try await .start() }

    /// A device that another program may be connected to.
    @LoopActor
    private func device(isConnected: Bool = true, resolutionTime: Duration? = .zero) -> FakeDevice {
        let device = daemon.adapter.addDevice()
        device.addService("180D", [.init("2A37", ["notify"]), .init("2A38", ["read"], value: Data([1]))])
        device.resolutionTime = resolutionTime
        if isConnected { device.comeUp() } else { device.show() }
        return device
    }

    /// Returns when bluetoothd has got all that the app has asked it for.
    private func fence(_ app: CentralApp) async {
        _ = await app.session.adapters.first?.devices.first?.fetchIsConnected()
    }

    @Test func `another program's link stays when the app ends its connection`() async throws {
        let device = await device()
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connected(to: device)
        let rate = try await app.characteristic("2A37", of: peripheral)
        app.queue.sync { peripheral.setNotifyValue(true, for: rate) }
        try await app.saw("notifying 2A37 true")
        app.act { $0.cancelPeripheralConnection(peripheral) }
        try await app.saw("disconnected")
        #expect(app.queue.sync { peripheral.state } == .disconnected)
        try await daemon.call("StopNotify")
        await fence(app)
        #expect(await device.isConnected)
        #expect(await daemon.count(of: "Disconnect") == 0)
        app.act { $0.connect(peripheral) }
        try await app.saw("connected", count: 2)
        #expect(await daemon.count(of: "Connect") == 0)
    }

    @Test func `an attempt that is given up does not end another program's link`() async throws {
        let device = await device(resolutionTime: nil)
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connect(to: device)
        app.act { $0.cancelPeripheralConnection(peripheral) }
        try await app.saw("disconnected")
        await fence(app)
        #expect(await device.isConnected)
        #expect(await daemon.count(of: "Disconnect") == 0)
    }

    @Test func `another program has time to find the services`() async throws {
        let device = await device(resolutionTime: .milliseconds(3500))
        let app = CentralApp(on: daemon)
        _ = try await app.connected(to: device)
        #expect(await daemon.count(of: "Disconnect") == 0)
    }

    @Test func `a link that two managers use ends with the last of them`() async throws {
        let device = await device(isConnected: false)
        let first = CentralApp(on: daemon)
        let firstPeripheral = try await first.connected(to: device)
        let second = CentralApp(on: daemon, beside: first)
        let secondPeripheral = try await second.connected(to: device)
        first.act { $0.cancelPeripheralConnection(firstPeripheral) }
        try await first.saw("disconnected")
        let location = try await second.characteristic("2A38", of: secondPeripheral)
        second.queue.sync { secondPeripheral.readValue(for: location) }
        try await second.saw("2A38 = 01")
        #expect(await daemon.count(of: "Disconnect") == 0)
        second.act { $0.cancelPeripheralConnection(secondPeripheral) }
        try await daemon.call("Disconnect")
        try await second.saw("disconnected")
        #expect(await !device.isConnected)
    }

    /// The restoration agent does so with those of its apps.
    @Test func `a link that was taken over is ended`() async throws {
        let device = await device()
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connect(to: device, options: [CBConnectPeripheralOptionTakeLinkOverKey: true])
        try await app.saw("connected")
        app.act { $0.cancelPeripheralConnection(peripheral) }
        try await daemon.call("Disconnect")
        try await app.saw("disconnected")
    }
}
