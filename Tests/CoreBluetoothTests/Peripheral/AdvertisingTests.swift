import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

@testable import CoreBluetooth

/// Advertisements, and what bluetoothd may do with them.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct AdvertisingTests {
    private let daemon: FakeBluetoothd
    private let app: PeripheralApp

    init() async throws {
        daemon = try await .start()
        app = PeripheralApp(on: daemon.bus)
        try await app.saw("state on")
    }

    private func start() {
        app.act {
            $0.startAdvertising([
                CBAdvertisementDataLocalNameKey: "Sensor",
                CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "180D")],
            ])
        }
    }

    private var isAdvertising: Bool { app.act { $0.isAdvertising } }

    @Test func `bluetoothd gets what is to be advertised`() async throws {
        app.act {
            $0.startAdvertising([
                CBAdvertisementDataLocalNameKey: "Sensor",
                CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "180D")],
                CBAdvertisementDataManufacturerDataKey: Data([0x5D, 0x02, 9]),
                CBAdvertisementDataServiceDataKey: [CBUUID(string: "180F"): Data([50])],
                AdvertisementPlan.appearanceKey: NSNumber(value: 0x0300),
            ])
        }
        try await app.saw("advertising")
        let advertisement = try #require(await daemon.adapter.advertisements.first)
        #expect(await advertisement.localName == "Sensor")
        #expect(await advertisement.serviceUUIDs == ["0000180d-0000-1000-8000-00805f9b34fb"])
        #expect(await advertisement.manufacturerData == [0x025D: Data([9])])
        #expect(await advertisement.values["Discoverable"] == .boolean(true))
        #expect(await advertisement.values["Appearance"] == .uint16(0x0300))
        #expect(await advertisement.values["ServiceData"] != nil)
        #expect(isAdvertising)
        app.act { $0.stopAdvertising() }
        #expect(!isAdvertising)
        try await eventually("it is down") { daemon.adapter.advertisements.isEmpty }
        start()
        try await app.saw("advertising", count: 2)
    }

    @Test func `advertising twice is refused`() async throws {
        start()
        try await app.saw("advertising")
        start()
        try await app.saw("advertising failed: Advertising is on already.")
        #expect(await daemon.adapter.advertisements.count == 1)
    }

    @Test(arguments: ["NotPermitted", "InvalidArguments", "Failed"])
    func `a refusal is reported and the next attempt may succeed`(error: String) async throws {
        await daemon.react(to: "RegisterAdvertisement", times: 1, with: .refuse(error))
        start()
        try await eventually("the refusal") { app.lines.count == 2 }
        #expect(app.lines[1].hasPrefix("advertising failed: ") && !isAdvertising)
        start()
        try await app.saw("advertising")
    }

    @Test func `an advertisement that bluetoothd takes down may be started again`() async throws {
        start()
        try await app.saw("advertising")
        let advertisement = try #require(await daemon.adapter.advertisements.first)
        await daemon.adapter.release(advertisement)
        try await eventually("it is known to be down") { !app.manager.isAdvertising }
        start()
        try await app.saw("advertising", count: 2)
    }

    @Test func `bluetoothd is asked again when it forgets to answer`() async throws {
        let app = PeripheralApp(on: daemon.bus, timing: .short(advertisement: .milliseconds(500)))
        try await app.saw("state on")
        await daemon.react(to: "RegisterAdvertisement", times: 1, with: .silent)
        app.act { $0.startAdvertising(nil) }
        try await app.saw("advertising")
        // More often than once if the machine is busy. What was not confirmed is taken back each time.
        let (asked, takenBack) = await (
            daemon.count(of: "RegisterAdvertisement"), daemon.count(of: "UnregisterAdvertisement")
        )
        #expect(asked >= 2 && takenBack == asked - 1)
        #expect(await daemon.adapter.advertisements.count == 1)
    }

    @Test func `a bluetoothd that never answers is given up`() async throws {
        let app = PeripheralApp(on: daemon.bus, timing: .short(advertisement: .milliseconds(50)))
        try await app.saw("state on")
        await daemon.react(to: "RegisterAdvertisement", with: .silent)
        app.act { $0.startAdvertising(nil) }
        try await eventually("the failure") { app.lines.contains { $0.hasPrefix("advertising failed: ") } }
        #expect(await daemon.count(of: "RegisterAdvertisement") == 5)
    }

    @Test func `a stop has the last word`() async throws {
        await daemon.react(to: "RegisterAdvertisement", times: 1, with: .late(.milliseconds(50)))
        start()
        try await daemon.call("RegisterAdvertisement")
        app.act { $0.stopAdvertising() }
        try await eventually("an answer") { app.lines.contains { $0.hasPrefix("advertising") } }
        #expect(!isAdvertising)
        try await eventually("it is down") { daemon.adapter.advertisements.isEmpty }
    }

    @Test @LoopActor func `an advertisement that is confirmed after the power was off is taken down`() async throws {
        daemon.react(to: "RegisterAdvertisement", times: 1, with: .silent)
        start()
        let call = try await daemon.call("RegisterAdvertisement")
        daemon.adapter.power(false)
        try await app.saw("state off")
        daemon.adapter.power(true)
        try await app.saw("state on", count: 2)
        call.resume()
        try await app.saw("advertising failed: The operation was cancelled.")
        try await eventually("it is down") { daemon.adapter.advertisements.isEmpty }
        #expect(!isAdvertising)
        start()
        try await app.saw("advertising")
        #expect(daemon.adapter.advertisements.count == 1)
    }

    @Test func `a bluetoothd that dies takes the advertisement with it`() async throws {
        start()
        try await app.saw("advertising")
        try await daemon.restart()
        try await app.saw("state on", count: 2)
        #expect(app.lines.contains("state resetting") && !isAdvertising)
        start()
        try await app.saw("advertising", count: 2)
    }
}
