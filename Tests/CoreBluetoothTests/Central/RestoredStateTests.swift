import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

@testable import CoreBluetooth

/// What a program gets back of an earlier run: of the agent's record, and of what bluetoothd has now.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct RestoredStateTests {
    private let daemon: FakeBluetoothd
    private let bench: AgentBench

    init() async throws {
        daemon = try await .start()
        bench = try AgentBench()
    }

    @LoopActor
    private func sensor() -> FakeDevice {
        let device = daemon.adapter.addDevice()
        device.addService("180D", [.init("2A37", ["notify"]), .init("2A38", ["read"], value: Data([1]))])
        return device
    }

    /// The run of the program that is to be restored.
    private func run() -> CentralApp {
        CentralApp(
            on: daemon, options: [CBCentralManagerOptionRestoreIdentifierKey: "test"],
            agent: AgentAccess(location: bench.location) { _ in })
    }

    /// An earlier run, which has not said goodbye, as the agent has it in its record.
    @LoopActor
    private func leave(_ state: PeripheralRecord.State, _ device: FakeDevice, isUp: Bool = true) throws {
        var peripheral = PeripheralRecord(
            PeripheralRequest(
                peripheral: try identifier(device), adapter: daemon.adapter.address, reconnects: false), state: state)
        if state == .connected {
            peripheral.subscriptions = [
                SubscriptionRequest(
                    subscription: 1, peripheral: peripheral.identifier, key: try key(device), usesSocket: nil)
            ]
        }
        var app = AppRecord(
            registration: AppRegistration(identifier: "test", command: ["/bin/false"]),
            process: ProcessMark(running: getpid()))
        app.nextSubscription = 2
        app.peripherals = [peripheral]
        try bench.start(RestorationRecord(apps: [app]), linksAreUp: isUp)
    }

    @LoopActor
    private func identifier(_ device: FakeDevice) throws -> UUID {
        try #require(PeerIdentifier(addressText: device.address, isRandom: true)).uuid
    }

    @LoopActor
    private func key(_ device: FakeDevice) throws -> CharacteristicKey {
        let characteristic = try #require(device.characteristic("2A37"))
        return CharacteristicKey(
            service: characteristic.service.uuid, characteristic: characteristic.uuid,
            path: CharacteristicKey.relative(characteristic.path.string))
    }

    @Test func `a connection comes back with its subscription and its values`() async throws {
        let device = await sensor()
        await device.comeUp()
        try await leave(.connected, device)
        let app = run()
        try await app.saw("state on")
        #expect(app.lines.first == #"restored connected ["2A37"]"#)
        bench.notify("H", from: try await identifier(device), try await key(device))
        try await app.saw("2A37 = 48")
        // It is used like any other from here on.
        let peripheral = try await app.peripheral(device)
        let location = try #require(app.find("2A38", in: peripheral))
        app.queue.sync { peripheral.readValue(for: location) }
        try await app.saw("2A38 = 01")
        let rate = try #require(app.find("2A37", in: peripheral))
        app.queue.sync { peripheral.setNotifyValue(false, for: rate) }
        try await app.saw("notifying 2A37 false")
        app.act { $0.cancelPeripheralConnection(peripheral) }
        try await app.saw("disconnected")
    }

    @Test func `the services of a link that is up are waited for`() async throws {
        let device = await sensor()
        await device.comeUp()
        try await leave(.connected, device)
        await device.comeUpAnew(resolvedAfter: .milliseconds(200))
        let app = run()
        try await app.saw("state on")
        #expect(app.lines.first == #"restored connected ["2A37"]"#)
    }

    @Test func `a connection that has ended is restored as disconnected`() async throws {
        let device = await sensor()
        await device.comeUp()
        try await leave(.connected, device)
        await device.lose()
        let app = run()
        try await app.saw("state on")
        #expect(app.lines.first == "restored disconnected []")
        try await eventually("the agent has let go of it") { [bench] in bench.calls.contains("release") }
    }

    @Test func `an attempt to connect is restored`() async throws {
        let device = await sensor()
        try await leave(.connecting, device, isUp: false)
        let app = run()
        try await app.saw("state on")
        #expect(app.lines.first == "restored connecting []")
    }

    @Test func `a scan comes back, and goes on`() async throws {
        try bench.start()
        let first = run()
        try await first.saw("state on")
        first.act {
            $0.scanForPeripherals(
                withServices: [CBUUID(string: "180D")], options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        }
        try await daemon.call("StartDiscovery")
        try await eventually("the agent knows of it") { [bench] in bench.scan != nil }
        let (scan, address) = (bench.scan, await daemon.adapter.address)
        #expect(scan?.allowsDuplicates == true && scan?.adapter == address)
        // What the agent has on disk of a run that was killed.
        bench.stop()
        try bench.start()
        let app = run()
        try await app.saw("state on")
        #expect(
            app.lines.first
                == #"restored scan ["180D"] ["\#(CBCentralManagerScanOptionAllowDuplicatesKey)": "1"]"#)
        #expect(app.act { $0.isScanning })
        _ = await daemon.adapter.addDevice()
        try await app.saw("found Sensor -60")
        app.act { $0.stopScan() }
        try await eventually("the agent knows that it has ended") { [bench] in bench.scan == nil }
    }

    @Test func `a subscription to a removed characteristic is given up`() async throws {
        let device = await sensor()
        await device.comeUp()
        try await leave(.connected, device)
        await device.dropServices()
        let app = run()
        try await app.saw("state on")
        #expect(app.lines.first == "restored connected []")
        try await eventually("the end of the subscription") { [bench] in bench.calls.contains("unsubscribe") }
    }
}

extension FakeDevice {
    /// The link is down and up again, and its services are known only after a time.
    fileprivate func comeUpAnew(resolvedAfter time: Duration) {
        lose()
        resolutionTime = time
        comeUp()
    }

    fileprivate func dropServices() {
        for service in services { remove(service) }
    }
}
