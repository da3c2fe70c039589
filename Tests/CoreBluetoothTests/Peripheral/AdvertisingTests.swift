import BlueZ
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
                CBAdvertisementDataTxPowerLevelKey: NSNumber(value: 4),
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
        #expect(await advertisement.values["Includes"] == ["tx-power"].busValue)
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
        try await app.saw("advertising failed: Advertising is already on.")
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

    /// bluetoothd (5.66 to 5.87) crashes if it has to withdraw what it is registering.
    @Test func `a bluetoothd that is slow is not asked again`() async throws {
        let app = PeripheralApp(on: daemon.bus, timing: .short(advertisement: .seconds(2)))
        try await app.saw("state on")
        await daemon.react(to: "RegisterAdvertisement", with: .late(.milliseconds(2100)))
        app.act { $0.startAdvertising(nil) }
        try await app.saw("advertising")
        #expect(await daemon.count(of: "RegisterAdvertisement") == 1)
        #expect(await daemon.count(of: "UnregisterAdvertisement") == 0)
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

    @Test func `an advertisement that is just being registered is taken down before the manager has settled`()
        async throws
    {
        await daemon.react(to: "RegisterAdvertisement", times: 1, with: .late(.milliseconds(50)))
        start()
        try await daemon.call("RegisterAdvertisement")
        app.act { $0.stopAdvertising() }
        await settled(app)
        #expect(await daemon.count(of: "UnregisterAdvertisement") == 1)
        #expect(await daemon.adapter.advertisements.isEmpty)
    }

    @Test func `bluetoothd is not asked again for an advertisement that was stopped`() async throws {
        let app = PeripheralApp(on: daemon.bus, timing: .short(advertisement: .milliseconds(200)))
        try await app.saw("state on")
        await daemon.react(to: "RegisterAdvertisement", with: .silent)
        app.act { $0.startAdvertising(nil) }
        try await daemon.call("RegisterAdvertisement")
        app.act { $0.stopAdvertising() }
        await settled(app)
        #expect(await daemon.count(of: "RegisterAdvertisement") == 1)
        #expect(await daemon.count(of: "UnregisterAdvertisement") == 1)
    }

    private func settled(_ app: PeripheralApp) async {
        await withCheckedContinuation { continuation in app.act { $0.settle { continuation.resume() } } }
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

    // MARK: After a link

    private func request(_ number: Int) async throws {
        try await eventually("request \(number)") { daemon.count(of: "RegisterAdvertisement") == number }
        try await eventually("it is advertised") { daemon.adapter.advertisements.count == 1 }
    }

    /// How often bluetoothd was asked to advertise when all is done that `app` does after a link.
    @LoopActor private func requestsInTheEnd(of app: PeripheralApp) async throws -> Int {
        try await daemon.connection.fence()
        try await app.session.connection?.fence()
        // It runs after the program's, which is as long and began before it. A service comes after what that began.
        await withCheckedContinuation { turn in
            Later.run(after: app.session.timing.advertisingTurn) { turn.resume() }
        }
        try await app.publish("180F")
        return daemon.count(of: "RegisterAdvertisement")
    }

    @Test func `what has begun under a link is advertised anew when the link ends`() async throws {
        let central = await daemon.adapter.connectCentral()
        start()
        try await app.saw("advertising")
        await central.lose()
        try await request(2)
        #expect(isAdvertising && app.lines.filter { $0 == "advertising" }.count == 1)
        // No more when a link ends under which nothing has changed.
        await daemon.adapter.connectCentral().lose()
        #expect(try await requestsInTheEnd(of: app) == 2)
    }

    @Test @LoopActor func `it is advertised anew if another program has ceased to under the link`() async throws {
        daemon.adapter.advertisementsOfOthers = 1
        start()
        try await app.saw("advertising")
        let central = daemon.adapter.connectCentral()
        daemon.adapter.advertisementsOfOthers = 0
        central.lose()
        try await request(2)
    }

    @Test @LoopActor func `a link that bluetoothd reports late counts from when it was up`() async throws {
        let app = PeripheralApp(on: daemon.bus, timing: .short(linkReport: .seconds(60)))
        try await app.saw("state on")
        app.act { $0.startAdvertising(nil) }
        try await app.saw("advertising")
        daemon.adapter.connectCentral().lose()
        try await request(2)
    }

    @Test @LoopActor func `a central that connects shows that the advertisement is well`() async throws {
        let app = PeripheralApp(on: daemon.bus, timing: .short(advertisingTurn: .milliseconds(500)))
        try await app.saw("state on")
        let central = daemon.adapter.connectCentral()
        app.act { $0.startAdvertising(nil) }
        try await app.saw("advertising")
        central.lose()
        daemon.adapter.connectCentral()
        #expect(try await requestsInTheEnd(of: app) == 1)
        central.lose()
        try await request(2)
    }

    // MARK: With extended advertising

    @Test @LoopActor func `it is advertised anew, once, beside each link`() async throws {
        daemon.adapter.isExtended = true
        start()
        try await app.saw("advertising")
        let central = daemon.adapter.connectCentral()
        try await request(2)
        let second = daemon.adapter.connectCentral("C0:00:00:00:00:03")
        try await request(3)
        for central in [central, second] { central.lose() }
        #expect(try await requestsInTheEnd(of: app) == 3)
        #expect(isAdvertising && app.lines.filter { $0 == "advertising" }.count == 1)
    }

    @Test @LoopActor func `it is advertised anew if a link begins while it is`() async throws {
        daemon.adapter.isExtended = true
        start()
        try await app.saw("advertising")
        daemon.react(
            to: "RegisterAdvertisement", times: 1,
            with: .handler { [adapter = daemon.adapter] call in
                adapter.connectCentral("C0:00:00:00:00:03")
                call.resume()
            })
        daemon.adapter.connectCentral()
        try await request(3)
        #expect(try await requestsInTheEnd(of: app) == 3)
    }

    @Test @LoopActor func `it may be stopped, and another begun, while a link begins`() async throws {
        daemon.adapter.isExtended = true
        start()
        try await app.saw("advertising")
        daemon.adapter.onExtendedQuestion = {
            app.act { $0.stopAdvertising() }
            start()
        }
        daemon.adapter.connectCentral()
        try await app.saw("advertising", count: 2)
        try await app.settle(with: daemon)
        #expect(daemon.adapter.advertisements.count == 1)
    }

    @Test @LoopActor func `what is refused beside a link is advertised when that has ended`() async throws {
        daemon.adapter.isExtended = true
        start()
        try await app.saw("advertising")
        daemon.react(to: "RegisterAdvertisement", times: 2, with: .refuse("Failed"))
        let central = daemon.adapter.connectCentral()
        try await eventually("it is known to be down") { !app.manager.isAdvertising }
        let second = daemon.adapter.connectCentral("C0:00:00:00:00:03")
        central.lose()
        try await eventually("another attempt") { daemon.count(of: "RegisterAdvertisement") == 3 }
        try await app.settle(with: daemon)
        #expect(!app.manager.isAdvertising)
        second.lose()
        try await request(4)
        try await eventually("it is known to be up") { app.manager.isAdvertising }
    }

    @Test @LoopActor func `what was refused beside a link may be stopped, and another begun`() async throws {
        daemon.adapter.isExtended = true
        start()
        try await app.saw("advertising")
        daemon.react(to: "RegisterAdvertisement", times: 1, with: .refuse("Failed"))
        let central = daemon.adapter.connectCentral()
        try await eventually("it is known to be down") { !app.manager.isAdvertising }
        start()
        try await app.saw("advertising", count: 2)
        #expect(isAdvertising && daemon.adapter.advertisements.count == 1)
        app.act { $0.stopAdvertising() }
        try await eventually("it is down") { daemon.adapter.advertisements.isEmpty }
        central.lose()
        #expect(try await requestsInTheEnd(of: app) == 3)
        #expect(!isAdvertising)
    }

    @Test @LoopActor func `a controller with extended advertising goes on by itself`() async throws {
        daemon.adapter.isExtended = true
        let central = daemon.adapter.connectCentral()
        try await app.settle(with: daemon)
        start()
        try await app.saw("advertising")
        central.lose()
        #expect(try await requestsInTheEnd(of: app) == 1)
    }

    @Test func `a stop has the last word when a link has ended, too`() async throws {
        let central = await daemon.adapter.connectCentral()
        start()
        try await app.saw("advertising")
        await daemon.react(to: "RegisterAdvertisement", times: 1, with: .late(.milliseconds(50)))
        await central.lose()
        try await daemon.call("RegisterAdvertisement", count: 2)
        app.act { $0.stopAdvertising() }
        try await eventually("the second withdrawal") { daemon.count(of: "UnregisterAdvertisement") == 2 }
        try await eventually("it is down") { daemon.adapter.advertisements.isEmpty }
        #expect(!isAdvertising)
    }

    @Test func `a refusal after a link ends the advertising`() async throws {
        let central = await daemon.adapter.connectCentral()
        start()
        try await app.saw("advertising")
        await daemon.react(to: "RegisterAdvertisement", times: 1, with: .refuse("NotPermitted"))
        await central.lose()
        try await eventually("it is known to be down") { !app.manager.isAdvertising }
        start()
        try await app.saw("advertising", count: 2)
    }
}
