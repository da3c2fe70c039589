import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

@testable import Dittojay

/// A peripheral from its start to its end, whatever bluetoothd and the controller do meanwhile.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct LifeTests {
    private static let advertising = "advertising: \"Dittojay\" with heart-rate, chirp on hci0 00:AA:01:00:00:00"

    @Test func `it is published and advertised and leaves nothing`() async throws {
        let peripheral = try await Simulation()
        try await peripheral.run()
        #expect(peripheral.lines == ["started: profile lab, seed 7", Self.advertising, "ready"])
        let adapter = await peripheral.daemon.adapter
        #expect(await adapter.offeredServices.count == 4)
        #expect(await adapter.advertisements.first?.localName == "Dittojay")
        #expect(await adapter.text("Alias") == "Dittojay")
        let status = peripheral.status
        #expect(status.adapter == "hci0" && status.state == "poweredOn" && status.isAdvertising)
        #expect(status.services.map(\.isPublished) == [true, true, true, true])
        try await peripheral.end()
        #expect(await adapter.text("Alias") == "fake-0")
        try await eventually("nothing is left") { adapter.applications.isEmpty && adapter.advertisements.isEmpty }
    }

    @Test func `starting and stopping twice changes nothing`() async throws {
        let peripheral = try await Simulation()
        peripheral.start()
        try await peripheral.run()
        peripheral.stop()
        try await peripheral.end()
        peripheral.stop()
        peripheral.start()
        #expect(peripheral.lines.count { $0 == "ended" } == 1)
    }

    @Test @LoopActor func `stopping while publishing leaves nothing`() async throws {
        let peripheral = try await Simulation()
        let daemon = peripheral.daemon
        daemon.react(to: "RegisterApplication", with: .silent)
        daemon.react(to: "RegisterApplication", times: 1, with: .late(.zero))
        peripheral.start()
        let second = try await daemon.call("RegisterApplication", count: 2)
        peripheral.stop()
        // bluetoothd does not answer, and is waited for no longer than that.
        try await eventually("the end") {
            peripheral.advance(by: 5)
            return peripheral.lines.contains("ended")
        }
        #expect(daemon.adapter.text("Alias") == "fake-0")
        second.resume()
        try await eventually("nothing is left") { daemon.adapter.applications.isEmpty }
        #expect(!peripheral.lines.contains("ready"))
    }

    @Test func `stopping before bluetoothd is there ends it`() async throws {
        let daemon = try await FakeBluetoothd.start()
        await daemon.react(to: "GetManagedObjects", with: .late(.milliseconds(50)))
        let peripheral = try await Simulation(on: daemon)
        peripheral.start()
        try await peripheral.end()
        #expect(await daemon.count(of: "RegisterApplication") == 0)
    }

    @Test func `power off is waited out`() async throws {
        let peripheral = try await Simulation()
        try await peripheral.run()
        let adapter = await peripheral.daemon.adapter
        await adapter.power(false)
        try await peripheral.saw("state: Bluetooth is off; waiting for it to be switched on")
        #expect(peripheral.status.services.allSatisfy { !$0.isPublished })
        #expect(await peripheral.perform(.addService("lab")).error == "Bluetooth is not on")
        await adapter.power(true)
        try await peripheral.saw(Self.advertising, count: 2)
        #expect(peripheral.lines(from: "state: Bluetooth is on") == ["state: Bluetooth is on", Self.advertising])
        #expect(await adapter.offeredServices.count == 4)
    }

    @Test func `a bluetoothd that comes back gets everything again`() async throws {
        let peripheral = try await Simulation()
        let daemon = peripheral.daemon
        try await peripheral.run()
        _ = await peripheral.connect()
        try await peripheral.hasCentrals(["02"])
        await daemon.die()
        try await peripheral.saw("state: bluetoothd is not running; waiting for it to come back")
        try await peripheral.hasCentrals([])
        // The one that comes back does not know the name, and has the controller off.
        await daemon.adapter.set("Alias", .string("fake-0"))
        await daemon.adapter.set("Powered", .boolean(false))
        try await daemon.restart()
        try await peripheral.saw(Self.advertising, count: 2)
        #expect(await daemon.adapter.offeredServices.count == 4)
        try await eventually("the name") { daemon.adapter.text("Alias") == "Dittojay" }
        try await peripheral.end()
        #expect(await daemon.adapter.text("Alias") == "fake-0")
    }

    @Test func `a controller that is pulled out is used again when it returns`() async throws {
        let peripheral = try await Simulation()
        let daemon = peripheral.daemon
        try await peripheral.run()
        await daemon.remove(daemon.adapter)
        try await peripheral.saw("state: the Bluetooth adapter was removed; waiting for it to come back")
        await daemon.addAdapter(0)
        try await peripheral.saw(Self.advertising, count: 2)
        try await eventually("the name") { daemon.adapter.text("Alias") == "Dittojay" }
    }

    // MARK: What keeps it from starting

    @Test func `without bluetoothd it ends`() async throws {
        let peripheral = try await Simulation()
        await peripheral.daemon.die()
        peripheral.start()
        try await peripheral.sawLine(beginning: "ended: cannot use Bluetooth: ")
    }

    @Test func `without a controller it ends`() async throws {
        let daemon = try await FakeBluetoothd(on: PrivateBus.start(), adapters: 0)
        let peripheral = try await Simulation(on: daemon)
        peripheral.start()
        try await peripheral.sawLine(beginning: "ended: no Bluetooth adapter on this machine")
    }

    @Test func `without the controller that is asked for it ends`() async throws {
        let peripheral = try await Simulation(adapter: "hci4")
        peripheral.start()
        try await peripheral.saw("ended: no Bluetooth adapter hci4; available: hci0 00:AA:01:00:00:00")
    }

    @Test func `with a controller that cannot be a peripheral it ends`() async throws {
        let daemon = try await FakeBluetoothd(on: PrivateBus.start(), adapters: 0)
        await daemon.addAdapter { $0.offersServices = false }
        let peripheral = try await Simulation(on: daemon)
        peripheral.start()
        try await peripheral.saw("ended: the Bluetooth adapter hci0 does not support the peripheral role")
    }

    @Test func `on a bus that refuses access it ends`() async throws {
        let bus = try await PrivateBus.start(rules: #"<deny send_destination="org.bluez"/>"#)
        let peripheral = try await Simulation(on: FakeBluetoothd(on: bus))
        peripheral.start()
        try await peripheral.sawLine(beginning: "ended: cannot use Bluetooth: ")
    }

    // MARK: What bluetoothd refuses

    @Test func `a service that bluetoothd refuses does not keep the others back`() async throws {
        let peripheral = try await Simulation()
        await peripheral.daemon.react(
            to: "RegisterApplication", times: 1, with: .refuse("NotSupported", "not this one"))
        try await peripheral.run()
        #expect(peripheral.lines[1].hasPrefix("failed: cannot publish the service heart-rate: "))
        #expect(peripheral.lines[2] == "advertising: \"Dittojay\" with chirp on hci0 00:AA:01:00:00:00")
        #expect(peripheral.status.services.map(\.isPublished) == [false, true, true, true])
        #expect(await peripheral.perform(.addService("heart-rate")).ok)
        try await peripheral.saw(Self.advertising)
    }

    @Test func `an advertisement that bluetoothd refuses is reported`() async throws {
        let peripheral = try await Simulation()
        await peripheral.daemon.react(to: "RegisterAdvertisement", times: 1, with: .refuse("NotPermitted"))
        try await peripheral.run()
        #expect(peripheral.lines[1].hasPrefix("failed: cannot advertise: ") && !peripheral.status.isAdvertising)
    }

    @Test func `the advertisement follows services that come and go faster than bluetoothd takes it`() async throws {
        let peripheral = try await Simulation()
        try await peripheral.run()
        let daemon = peripheral.daemon
        await daemon.react(to: "RegisterAdvertisement", with: .late(.milliseconds(50)))
        for _ in 0..<5 {
            #expect(await peripheral.perform(.removeService("chirp")).ok)
            #expect(await peripheral.perform(.addService("chirp")).ok)
        }
        #expect(await peripheral.perform(.removeService("heart-rate")).ok)
        let chirp = PeripheralProfile.lab.services.filter { $0.name == "chirp" }.map { $0.uuid.lowercased() }
        try await eventually("the last advertisement alone") {
            daemon.adapter.advertisements.map(\.serviceUUIDs) == [chirp]
        }
        #expect(!peripheral.lines.contains { $0.hasPrefix("failed") })
    }

    // MARK: The controller as it was

    @Test func `a controller that was off is switched on and off again`() async throws {
        let peripheral = try await Simulation()
        let daemon = peripheral.daemon
        await daemon.adapter.set("Powered", .boolean(false))
        // bluetoothd is busy while it starts.
        await daemon.refuse(toSet: "Powered", times: 2)
        try await peripheral.run()
        #expect(await daemon.adapter.isPowered)
        try await peripheral.end()
        #expect(await !daemon.adapter.isPowered)
    }

    @Test func `a name that somebody had given is put back`() async throws {
        let peripheral = try await Simulation()
        await peripheral.daemon.adapter.set("Alias", .string("Desk"))
        try await peripheral.run()
        #expect(await peripheral.daemon.adapter.text("Alias") == "Dittojay")
        try await peripheral.end()
        #expect(await peripheral.daemon.adapter.text("Alias") == "Desk")
        #expect(try FileManager.default.contentsOfDirectory(atPath: peripheral.folder.path).isEmpty)
    }

    @Test func `a name that somebody has given meanwhile stays`() async throws {
        let peripheral = try await Simulation()
        try await peripheral.run()
        await peripheral.daemon.adapter.set("Alias", .string("Desk"))
        // What bluetoothd reports after it.
        _ = await peripheral.connect()
        try await peripheral.saw("connected 02")
        try await peripheral.end()
        #expect(await peripheral.daemon.adapter.text("Alias") == "Desk")
    }

    @Test func `the name that a killed run has left is put back`() async throws {
        let peripheral = try await Simulation()
        let path = AliasRecord.path(address: "00:AA:01:00:00:00", folder: peripheral.folder.runtime)
        AliasRecord(given: "Dittojay", former: "Desk").write(path: path)
        await peripheral.daemon.adapter.set("Alias", .string("Dittojay"))
        try await peripheral.run()
        try await peripheral.end()
        #expect(await peripheral.daemon.adapter.text("Alias") == "Desk")
    }

    @Test func `a name that bluetoothd does not take ends it`() async throws {
        let peripheral = try await Simulation()
        await peripheral.daemon.refuse(toSet: "Alias")
        peripheral.start()
        try await peripheral.sawLine(beginning: "ended: cannot set up the Bluetooth adapter hci0: ")
    }

    @Test func `a name that cannot be put back is reported`() async throws {
        let peripheral = try await Simulation()
        try await peripheral.run()
        await peripheral.daemon.refuse(toSet: "Alias")
        peripheral.stop()
        try await peripheral.saw("ended")
        #expect(peripheral.lines.contains { $0.hasPrefix("failed: cannot restore the Bluetooth adapter hci0") })
    }
}
