import BlueZ
import DBus
import Foundation
import TestSupport
import Testing

@testable import CoreBluetooth

/// What a manager's state makes of the controllers and of bluetoothd as they come and go.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct AdapterWatchTests {
    private func states(_ app: PeripheralApp) -> [String] {
        app.lines.filter { $0.hasPrefix("state ") }.map { String($0.dropFirst(6)) }
    }

    @Test func `power off and on takes everything and lets it be published again`() async throws {
        let daemon = try await FakeBluetoothd.start()
        let app = PeripheralApp(on: daemon.bus)
        let rate = CBMutableCharacteristic("2A37", .notify)
        let service = try await app.publish("180D", [rate])
        app.act { $0.startAdvertising(nil) }
        try await app.saw("advertising")
        let central = await daemon.adapter.connectCentral()
        try await daemon.adapter.characteristic("2A37")?.subscribe(by: central)
        try await app.saw("subscribed 02 2A37")
        await daemon.adapter.power(false)
        try await app.saw("state off")
        let (subscribers, isAdvertising) = app.act { ((rate.subscribedCentrals ?? []).count, $0.isAdvertising) }
        #expect(subscribers == 0 && !isAdvertising)
        try await eventually("nothing is left") {
            daemon.adapter.applications.isEmpty && daemon.adapter.advertisements.isEmpty
        }
        await daemon.adapter.power(true)
        try await app.saw("state on", count: 2)
        app.act { $0.add(service) }
        try await app.saw("added 180D", count: 2)
    }

    /// bluetoothd resumes an advertisement when the power is back. Whoever connects then expects the services.
    @Test func `with the power the advertisement goes before the services`() async throws {
        let daemon = try await FakeBluetoothd.start()
        let app = PeripheralApp(on: daemon.bus)
        for uuid in ["180D", "180F", "1810"] { _ = try await app.publish(uuid) }
        app.act { $0.startAdvertising(nil) }
        try await app.saw("advertising")
        await daemon.adapter.power(false)
        try await eventually("nothing is left") {
            daemon.adapter.applications.isEmpty && daemon.adapter.advertisements.isEmpty
        }
        let ends = await daemon.methods.filter { $0.hasPrefix("Unregister") }
        #expect(ends == ["UnregisterAdvertisement"] + Array(repeating: "UnregisterApplication", count: 3))
    }

    @Test func `a bluetoothd that dies and comes back is waited for`() async throws {
        let daemon = try await FakeBluetoothd.start()
        let app = PeripheralApp(on: daemon.bus)
        let service = try await app.publish("180D")
        await daemon.die()
        try await app.saw("state resetting")
        try await daemon.restart()
        try await app.saw("state on", count: 2)
        app.act { $0.add(service) }
        try await app.saw("added 180D", count: 2)
        #expect(states(app) == ["on", "resetting", "on"])
    }

    @Test func `a bluetoothd that comes later is found`() async throws {
        let bus = try await PrivateBus.start()
        let app = PeripheralApp(on: bus)
        try await app.saw("state unsupported")
        let daemon = try await FakeBluetoothd(on: bus)
        try await app.saw("state on")
        _ = daemon
    }

    @Test func `a controller that is pulled out is waited for and then missed`() async throws {
        let daemon = try await FakeBluetoothd.start()
        let app = PeripheralApp(on: daemon.bus)
        try await app.saw("state on")
        await daemon.remove(daemon.adapter)
        try await app.saw("state unsupported")
        await daemon.addAdapter(0)
        try await app.saw("state on", count: 2)
        #expect(states(app) == ["on", "resetting", "unsupported", "on"])
    }

    @Test func `another controller takes its place only when it does not come back`() async throws {
        let daemon = try await FakeBluetoothd.start(adapters: 2)
        let app = PeripheralApp(on: daemon.bus)
        try await app.publish("180D")
        await daemon.remove(daemon.adapter)
        try await app.saw("state resetting")
        try await app.saw("state on", count: 2)
        try await app.publish("180F")
        #expect(await daemon.serviceCounts == [1])
        #expect(states(app) == ["on", "resetting", "on"])
    }

    @Test func `the controller that is asked for is used`() async throws {
        let daemon = try await FakeBluetoothd.start(adapters: 2)
        let app = PeripheralApp(on: daemon.bus, adapter: await daemon.adapters[1].address.lowercased())
        try await app.publish("180D")
        #expect(await daemon.serviceCounts == [0, 1])
    }

    @Test func `a controller that is not there is missed`() async throws {
        let daemon = try await FakeBluetoothd.start()
        let app = PeripheralApp(on: daemon.bus, adapter: "hci7")
        try await app.saw("state unsupported")
        await daemon.addAdapter(7)
        try await app.saw("state on")
    }

    @Test func `a controller that cannot be a peripheral is unsupported until it can`() async throws {
        let daemon = try await FakeBluetoothd(on: PrivateBus.start(), adapters: 0)
        let adapter = await daemon.addAdapter { $0.offersAdvertising = false }
        let app = PeripheralApp(on: daemon.bus)
        try await app.saw("state unsupported")
        // bluetoothd adds the parts of a controller one after the other.
        try await daemon.connection.emit(
            "InterfacesAdded", of: "org.freedesktop.DBus.ObjectManager", from: .root,
            arguments: [
                adapter.path.busValue, ["org.bluez.LEAdvertisingManager1": [String: BusValue]()].busValue,
            ])
        try await app.saw("state on")
        try await daemon.connection.emit(
            "InterfacesRemoved", of: "org.freedesktop.DBus.ObjectManager", from: .root,
            arguments: [adapter.path.busValue, ["org.bluez.LEAdvertisingManager1"].busValue])
        await adapter.set("Alias", .string("another"))
        try await app.saw("state unsupported", count: 2)
    }

    @Test func `a bus that refuses access is said to do so`() async throws {
        let bus = try await PrivateBus.start(rules: #"<deny send_destination="org.bluez"/>"#)
        let daemon = try await FakeBluetoothd(on: bus)
        let app = PeripheralApp(on: bus)
        try await app.saw("state unauthorized")
        _ = daemon
    }

    @Test func `a tree of a wrong type is asked for again`() async throws {
        let daemon = try await FakeBluetoothd.start()
        await daemon.react(to: "GetManagedObjects", times: 2, with: .answer([.string("no tree")]))
        let app = PeripheralApp(on: daemon.bus)
        try await app.saw("state on")
        #expect(states(app) == ["unsupported", "on"])
    }

    @Test func `a tree that comes late is waited for`() async throws {
        let daemon = try await FakeBluetoothd.start()
        await daemon.react(to: "GetManagedObjects", times: 1, with: .late(.milliseconds(50)))
        let app = PeripheralApp(on: daemon.bus)
        try await app.saw("state on")
        #expect(states(app) == ["on"])
    }
}
