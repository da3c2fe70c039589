import DBus
import Foundation
import TestSupport
import Testing

@testable import CoreBluetooth

/// The central role above a fake bluetoothd: the ordinary way of things.
@Suite(.timeLimit(.minutes(1)))
struct CentralOnFakeTests {
    private let daemon: FakeBluetoothd

    init() async throws { daemon = try await .start() }

    @BusActor
    private func sensor() -> FakeDevice {
        let device = daemon.adapter.addDevice()
        device.addService(
            "180D",
            [
                .init("2A37", ["notify"]), .init("2A38", ["read", "write"], value: Data([1])),
            ])
        return device
    }

    @Test func aSensorIsFoundConnectedAndUsed() async throws {
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
}
