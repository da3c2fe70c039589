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

    @Test func powerOffAndOnTakesEverythingAndLetsItBePublishedAgain() async throws {
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
    @Test func withThePowerTheAdvertisementGoesBeforeTheServices() async throws {
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

    @Test func aBluetoothdThatDiesAndComesBackIsWaitedFor() async throws {
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

    @Test func aBluetoothdThatComesLaterIsFound() async throws {
        let bus = try await PrivateBus.start()
        let app = PeripheralApp(on: bus)
        try await app.saw("state unsupported")
        let daemon = try await FakeBluetoothd(on: bus)
        try await app.saw("state on")
        _ = daemon
    }

    @Test func aControllerThatIsPulledOutIsWaitedForAndThenMissed() async throws {
        let daemon = try await FakeBluetoothd.start()
        let app = PeripheralApp(on: daemon.bus)
        try await app.saw("state on")
        await daemon.remove(daemon.adapter)
        try await app.saw("state unsupported")
        await daemon.addAdapter(0)
        try await app.saw("state on", count: 2)
        #expect(states(app) == ["on", "resetting", "unsupported", "on"])
    }

    @Test func anotherControllerTakesItsPlaceOnlyWhenItDoesNotComeBack() async throws {
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

    @Test func theControllerThatIsAskedForIsUsed() async throws {
        let daemon = try await FakeBluetoothd.start(adapters: 2)
        let app = PeripheralApp(on: daemon.bus, adapter: await daemon.adapters[1].address.lowercased())
        try await app.publish("180D")
        #expect(await daemon.serviceCounts == [0, 1])
    }

    @Test func aControllerThatIsNotThereIsMissed() async throws {
        let daemon = try await FakeBluetoothd.start()
        let app = PeripheralApp(on: daemon.bus, adapter: "hci7")
        try await app.saw("state unsupported")
        await daemon.addAdapter(7)
        try await app.saw("state on")
    }

    @Test func aControllerThatCannotBeAPeripheralIsUnsupportedUntilItCan() async throws {
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

    @Test func aBusThatRefusesAccessIsSaidToDoSo() async throws {
        let bus = try await PrivateBus.start(rules: #"<deny send_destination="org.bluez"/>"#)
        let daemon = try await FakeBluetoothd(on: bus)
        let app = PeripheralApp(on: bus)
        try await app.saw("state unauthorized")
        _ = daemon
    }

    @Test func aTreeOfAWrongTypeIsAskedForAgain() async throws {
        let daemon = try await FakeBluetoothd.start()
        await daemon.react(to: "GetManagedObjects", times: 2, with: .answer([.string("no tree")]))
        let app = PeripheralApp(on: daemon.bus)
        try await app.saw("state on")
        #expect(states(app) == ["unsupported", "on"])
    }

    @Test func aTreeThatComesLateIsWaitedFor() async throws {
        let daemon = try await FakeBluetoothd.start()
        await daemon.react(to: "GetManagedObjects", times: 1, with: .late(.milliseconds(50)))
        let app = PeripheralApp(on: daemon.bus)
        try await app.saw("state on")
        #expect(states(app) == ["on"])
    }
}
