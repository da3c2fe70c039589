import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

@testable import BlueZ
@testable import CoreBluetooth

/// The life of a link: attempts that are given up or disturbed, and ends of all kinds.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct LinkLifeTests {
    private let daemon: FakeBluetoothd

    init() async throws { daemon = try await .start() }

    @LoopActor
    private func device(inRange: Bool = true) -> FakeDevice {
        let device = daemon.adapter.addDevice()
        device.addService("180D", [.init("2A38", ["read", "write"], value: Data([1]))])
        device.isInRange = inRange
        // bluetoothd knows it from a scan.
        device.show()
        return device
    }

    /// One that no scan finds.
    @LoopActor
    private func absentDevice() -> FakeDevice {
        let device = daemon.adapter.addDevice("C0:00:00:00:00:02")
        device.isInRange = false
        return device
    }

    @Test func `a link that is there is reported again`() async throws {
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connected(to: await device())
        app.act { $0.connect(peripheral) }
        try await app.saw("connected", count: 2)
        #expect(await daemon.count(of: "Connect") == 1)
    }

    @Test func `an attempt is given up`() async throws {
        let device = await device(inRange: false)
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connect(to: device)
        try await daemon.call("Connect")
        app.act { $0.cancelPeripheralConnection(peripheral) }
        try await app.saw("disconnected")
        try await daemon.call("Disconnect")
    }

    // MARK: Wanted again

    private func connectAgain(_ app: CentralApp, _ peripheral: CBPeripheral) {
        app.act {
            $0.cancelPeripheralConnection(peripheral)
            $0.connect(peripheral)
        }
    }

    @Test func `a connection that is wanted again while it ends is made again`() async throws {
        let device = await device()
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connected(to: device)
        await device.takeTimeToDisconnect()
        connectAgain(app, peripheral)
        try await app.saw("connected", count: 2)
        #expect(app.lines == ["state on", "connected", "disconnected", "connected"])
        #expect(app.queue.sync { peripheral.state } == .connected)
    }

    @Test func `a connection that is wanted again while it ends, and then not, is not made again`() async throws {
        let device = await device()
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connected(to: device)
        await device.takeTimeToDisconnect()
        connectAgain(app, peripheral)
        app.act { $0.cancelPeripheralConnection(peripheral) }
        try await app.saw("disconnected")
        #expect(app.queue.sync { peripheral.state } == .disconnected)
        _ = await app.session.adapters.first?.devices.first?.fetchIsConnected()
        #expect(await daemon.count(of: "Connect") == 1)
    }

    @Test func `an attempt that is given up and wanted again is pending`() async throws {
        let device = await device(inRange: false)
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connect(to: device)
        try await daemon.call("Connect")
        connectAgain(app, peripheral)
        try await app.saw("disconnected")
        #expect(app.queue.sync { peripheral.state } == .connecting)
        try await daemon.call("Connect", count: 2)
        app.act { $0.cancelPeripheralConnection(peripheral) }
        try await app.saw("disconnected", count: 2)
        #expect(app.queue.sync { peripheral.state } == .disconnected)
    }

    @Test func `a connection that is wanted before the app knows of its end is made again`() async throws {
        let device = await device()
        await device.neverResolve()
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connected(to: device)
        await daemon.react(to: "RemoveDevice", with: .late(.milliseconds(100)))
        await device.lose()
        try await daemon.call("RemoveDevice")
        app.act { $0.connect(peripheral) }
        try await app.saw("connected", count: 2)
        #expect(app.lines == ["state on", "connected", "disconnected failed: The connection was lost.", "connected"])
    }

    /// Else a request that sets off pairing asks this program's agent what another one could answer.
    @Test @LoopActor func `a link begins when bluetoothd has this program's agent`() async throws {
        daemon.react(to: "RegisterAgent", with: .late(.milliseconds(200)))
        _ = try await CentralApp(on: daemon).connected(to: device())
        let calls = daemon.calls.map(\.method)
        let agent = try #require(calls.firstIndex(of: "RequestDefaultAgent"))
        #expect(try #require(calls.firstIndex(of: "Connect")) > agent)
    }

    /// It waits for the end of the app's scan first.
    @Test func `an attempt that is given up before it searches does not scan`() async throws {
        let (known, unknown) = (await device(), await absentDevice())
        let app = CentralApp(on: daemon)
        try await app.saw("state on")
        app.act { $0.scanForPeripherals(withServices: nil) }
        try await daemon.call("StartDiscovery")
        await daemon.react(to: "StopDiscovery", times: 1, with: .late(.milliseconds(300)))
        app.act { $0.stopScan() }
        let peripheral = try await app.connect(to: unknown)
        try await daemon.call("StopDiscovery")
        let scans = await daemon.count(of: "StartDiscovery")
        app.act { $0.cancelPeripheralConnection(peripheral) }
        try await app.saw("disconnected")
        // This attempt has waited for the same.
        try await app.connected(to: known)
        #expect(await daemon.count(of: "StartDiscovery") == scans)
    }

    /// bluetoothd would turn its notifications on again before the app asks for them.
    @Test func `what a device says as soon as it is listened to comes in the next link, too`() async throws {
        let device = await daemon.adapter.addDevice()
        await device.addService("180D", [.init("2A37", ["notify"])])
        try await pair(device)
        let rate = try #require(await device.characteristic("2A37"))
        await setGreeting(of: rate)
        let app = CentralApp(on: daemon)
        for link in 1...3 {
            let peripheral = try await app.connect(to: device)
            try await app.saw("connected", count: link)
            let characteristic = try await app.characteristic("2A37", of: peripheral)
            app.queue.sync { peripheral.setNotifyValue(true, for: characteristic) }
            try await app.saw("2A37 = 0046", count: link)
            await device.lose()
            try await eventually("the end") { app.lines.count { $0.hasPrefix("disconnected") } == link }
        }
    }

    @LoopActor
    private func setGreeting(of characteristic: FakeCharacteristic) {
        characteristic.greeting = Data([0, 70])
    }

    private func pair(_ device: FakeDevice) async throws {
        let failure: MethodFailure? = await withCheckedContinuation { continuation in
            Task { @LoopActor in device.pair { continuation.resume(returning: $0) } }
        }
        #expect(failure == nil)
    }

    /// An app that connects again when a link ends does so in this moment, if the link's end is reported first.
    @Test func `what is asked for before the app knows that Bluetooth is off is dropped`() async throws {
        let device = await device()
        let app = CentralApp(on: daemon)
        try await app.saw("state on")
        let peripheral = try await app.peripheral(device)
        app.queue.suspend()
        await daemon.adapter.power(false)
        try await eventually("the power off") { app.session.adapters.first?.isPowered == false }
        app.manager.connect(peripheral)
        app.manager.scanForPeripherals(withServices: nil)
        app.queue.resume()
        try await app.saw("state off")
        await daemon.adapter.power(true)
        try await app.saw("state on", count: 2)
        #expect(app.act { $0.isScanning } == false)
        #expect(app.act { _ in peripheral.state } == .disconnected)
        // What still worked for it would have asked bluetoothd by the time that this is answered.
        _ = try await app.connected(to: device)
        #expect(await daemon.count(of: "Connect") == 1)
        #expect(await daemon.count(of: "StartDiscovery") == 0)
    }

    /// What bluetoothd refuses for a moment is asked for again.
    @Test(arguments: ["Failed", "InProgress", "NotReady"])
    func `an attempt that fails is made again`(error: String) async throws {
        let device = await device()
        await daemon.react(to: "Connect", times: 2, with: .refuse(error))
        let app = CentralApp(on: daemon)
        _ = try await app.connected(to: device)
        #expect(await daemon.count(of: "Connect") == 3)
    }

    @Test func `a link goes with the device's object`() async throws {
        let device = await device()
        let app = CentralApp(on: daemon)
        _ = try await app.connected(to: device)
        await device.beForgotten(silently: true)
        try await app.saw("disconnected failed: The connection was lost.")
    }

    // MARK: Power

    /// The kernel ends the links of a controller first, and bluetoothd reports things in that order.
    @Test(arguments: [nil, "Local"])
    func `the power that ends a link is reported, and not the link`(reason: String?) async throws {
        let device = await device()
        var timing = BlueZSession.Timing()
        timing.powerOff = .seconds(30)
        let app = CentralApp(on: daemon, timing: timing)
        let peripheral = try await app.connected(to: device)
        await device.lose(because: reason)
        // The device may be forgotten by then.
        try await eventually("the end") { app.session.adapters.first?.devices.first?.isConnected != true }
        await daemon.adapter.power(false)
        try await app.saw("state off")
        #expect(app.lines == ["state on", "connected", "state off"])
        #expect(app.queue.sync { peripheral.state } == .disconnected)
        await daemon.adapter.power(true)
        try await app.saw("state on", count: 2)
        app.act { $0.connect(peripheral) }
        try await app.saw("connected", count: 2)
        #expect(app.lines.filter { $0.hasPrefix("disconnected") } == [])
    }

    @Test func `a bluetoothd that ends is reported, and not the links`() async throws {
        let device = await device()
        let app = CentralApp(on: daemon)
        _ = try await app.connected(to: device)
        await device.beForgotten(silently: true)
        await daemon.die()
        try await app.saw("state resetting")
        #expect(app.lines == ["state on", "connected", "state resetting"])
    }

    /// What the device has done cannot be the power's doing.
    @Test(arguments: ["Timeout", "Remote", "Authentication"])
    func `an end that is the device's is reported at once`(reason: String) async throws {
        let device = await device()
        var timing = BlueZSession.Timing()
        timing.powerOff = .seconds(600)
        let app = CentralApp(on: daemon, timing: timing)
        _ = try await app.connected(to: device)
        await device.lose(because: reason)
        try await eventually("the report") { app.lines.last?.hasPrefix("disconnected failed") == true }
    }

    // MARK: Half-found services

    /// bluetoothd would take them for all.
    @Test func `a link's end is reported when the device was forgotten that is only half known`() async throws {
        let device = await device()
        await device.neverResolve()
        let app = CentralApp(on: daemon)
        _ = try await app.connected(to: device)
        let removal = Journal()
        await daemon.react(
            to: "RemoveDevice",
            with: .handler { call in
                Later.run(after: .milliseconds(50)) {
                    removal.note("app knows of \(app.lines.filter { $0.hasPrefix("disconnected") }.count) ends")
                    call.resume()
                }
            })
        await device.lose()
        try await app.saw("disconnected failed: The connection was lost.")
        #expect(removal.lines == ["app knows of 0 ends"])
        #expect(await !device.isShown)
    }

    @Test func `a link's end is reported even if bluetoothd does not forget the device`() async throws {
        let device = await device()
        await device.neverResolve()
        let app = CentralApp(on: daemon)
        _ = try await app.connected(to: device)
        await daemon.react(to: "RemoveDevice", with: .silent)
        await device.lose()
        try await app.saw("disconnected failed: The connection was lost.", within: .seconds(20))
    }

    @Test func `a connection that is given up while it ends is not made again`() async throws {
        let device = await device()
        await device.neverResolve()
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connect(
            to: device, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        try await app.saw("connected")
        await daemon.react(to: "RemoveDevice", with: .late(.milliseconds(100)))
        await device.lose()
        try await daemon.call("RemoveDevice")
        app.act { $0.cancelPeripheralConnection(peripheral) }
        try await app.saw("disconnected failed: The connection was lost.")
        #expect(app.queue.sync { peripheral.state } == .disconnected)
    }

    @Test func `an attempt goes on when the device's object goes`() async throws {
        let device = await device(inRange: false)
        let app = CentralApp(on: daemon)
        try await app.connect(to: device)
        try await daemon.call("Connect")
        await device.beForgotten()
        await device.comeIntoRange()
        try await app.saw("connected")
    }

    @Test func `the end of power ends an attempt without a word`() async throws {
        let device = await device(inRange: false)
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connect(to: device)
        try await daemon.call("Connect")
        await daemon.adapter.power(false)
        try await app.saw("state off")
        #expect(app.queue.sync { peripheral.state } == .disconnected)
        await device.comeIntoRange()
        await daemon.adapter.power(true)
        try await app.saw("state on", count: 2)
        app.act { _ = $0.retrieveConnectedPeripherals(withServices: []) }
        #expect(app.lines == ["state on", "state off", "state on"])
    }

    /// bluetoothd goes on believing that it connects (5.66 with the kernel 6.1), until it is asked for the opposite.
    @Test func `an attempt that the end of power has left behind is ended when power is back`() async throws {
        let device = await device()
        await daemon.react(to: "Connect", times: 1, with: .silent)
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connect(to: device)
        try await daemon.call("Connect")
        await daemon.adapter.power(false)
        try await app.saw("state off")
        await daemon.react(
            to: "Connect",
            with: .handler { [daemon] call in
                guard daemon.count(of: "Disconnect") == 0 else { return call.resume() }
                call.invocation.fail(.bluez("Failed", "Operation already in progress"))
            })
        await daemon.adapter.power(true)
        try await app.saw("state on", count: 2)
        app.act { $0.connect(peripheral) }
        try await app.saw("connected")
        #expect(await daemon.count(of: "Connect") == 3)
    }

    /// bluetoothd's object stays, with the name that it has by the private address.
    @Test func `a device that gets another address when it pairs is still the same`() async throws {
        let device = await device()
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connected(to: device)
        await device.set("Address", .string("00:00:00:00:00:07"))
        await device.set("AddressType", .string("public"))
        await device.lose()
        try await app.saw("disconnected failed: The connection was lost.")
        app.act { $0.connect(peripheral) }
        try await app.saw("connected", count: 2)
        await device.rename("Heart")
        try await app.saw("name Heart")
    }

    @Test func `a link that is back before bluetoothd reports its end has ended`() async throws {
        let device = await device()
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connected(to: device)
        await device.lose(silently: true)
        await device.comeUp()
        try await app.saw("disconnected failed: The connection was lost.")
        app.act { $0.connect(peripheral) }
        try await app.saw("connected", count: 2)
    }

    @Test func `a new name is reported once`() async throws {
        let device = await device()
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connected(to: device)
        await device.rename("Heart")
        try await app.saw("name Heart")
        #expect(app.queue.sync { peripheral.name } == "Heart")
    }

    // MARK: The whole system's connections

    @Test func `connections of others are reported to whoever wants them`() async throws {
        let device = await device()
        let app = CentralApp(on: daemon)
        try await app.saw("state on")
        let identifier = try await app.peripheral(device).identifier
        app.act { $0.registerForConnectionEvents(options: [.serviceUUIDs: [CBUUID(string: "180D")]]) }
        app.act { _ = $0.retrieveConnectedPeripherals(withServices: []) }
        await device.comeUp()
        try await app.saw("event \(CBConnectionEvent.peerConnected)")
        let connected = app.act { $0.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180D")]) }
        #expect(connected.map(\.identifier) == [identifier])
        #expect(app.act { $0.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180F")]) }.isEmpty)
        await device.lose()
        try await app.saw("event \(CBConnectionEvent.peerDisconnected)")
    }

    @Test func `connections of others that nobody asked for are not reported`() async throws {
        let device = await device()
        let app = CentralApp(on: daemon)
        try await app.saw("state on")
        app.act { $0.registerForConnectionEvents(options: [.peripheralUUIDs: [UUID()]]) }
        app.act { _ = $0.retrieveConnectedPeripherals(withServices: []) }
        await device.comeUp()
        app.act { $0.registerForConnectionEvents(options: [.serviceUUIDs: [CBUUID(string: "180F")]]) }
        app.act { _ = $0.retrieveConnectedPeripherals(withServices: []) }
        await device.lose()
        app.act { $0.registerForConnectionEvents(options: nil) }
        _ = try await app.connected(to: device)
        #expect(!app.lines.contains { $0.hasPrefix("event") })
    }
}

extension FakeDevice {
    fileprivate func comeIntoRange() { isInRange = true }

    /// As bluetoothd does.
    fileprivate func takeTimeToDisconnect() { disconnectionTime = .milliseconds(200) }

    /// The link ends before its services are found.
    fileprivate func neverResolve() { resolutionTime = nil }

    fileprivate func rename(_ name: String) { set("Name", .string(name)) }
}
