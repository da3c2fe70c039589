import DBus
import Foundation
import RestorationAgent
import TestSupport
import Testing

@testable import CoreBluetooth

/// What a program gets back of an earlier run: of the agent's record, and of what bluetoothd has now.
@Suite(.timeLimit(.minutes(1)))
struct RestoredStateTests {
    private let daemon: FakeBluetoothd
    private let bench: AgentBench

    init() async throws {
        daemon = try await .start()
        bench = try AgentBench()
        try bench.start()
    }

    @BusActor
    private func sensor() -> FakeDevice {
        let device = daemon.adapter.addDevice()
        device.addService("180D", [.init("2A37", ["notify"]), .init("2A38", ["read"], value: Data([1]))])
        return device
    }

    private var agent: AgentAccess { AgentAccess(location: bench.location) { _ in } }

    /// The run of the program that is to be restored.
    private func run() -> CentralApp {
        CentralApp(on: daemon, options: [CBCentralManagerOptionRestoreIdentifierKey: "test"], agent: agent)
    }

    /// An earlier run, as far as the agent knows it. It does not say goodbye; the agent lets the next one of the same program in.
    @BusActor
    private func earlierRun() async -> RestorationClient {
        let client = RestorationClient(
            AppRegistration(identifier: "test", command: nil), at: agent,
            inbox: RestorationInbox(mailbox: EventMailbox(queue: DispatchQueue(label: "earlier"))))
        await withCheckedContinuation { continuation in client.open { _ in continuation.resume() } }
        return client
    }

    @BusActor
    private func request(_ device: FakeDevice) throws -> PeripheralRequest {
        let identifier = try #require(PeerIdentifier(addressText: device.address, isRandom: true)).uuid
        return PeripheralRequest(peripheral: identifier, adapter: daemon.adapter.address, reconnects: false)
    }

    @BusActor
    private func key(_ device: FakeDevice) throws -> CharacteristicKey {
        let characteristic = try #require(device.characteristic("2A37"))
        return CharacteristicKey(
            service: characteristic.service.uuid, characteristic: characteristic.uuid,
            path: CharacteristicKey.relative(characteristic.path.string))
    }

    /// An earlier run that was connected and subscribed to the heart rates.
    @BusActor
    private func earlierRun(subscribedTo device: FakeDevice) async throws -> RestorationClient {
        let client = await earlierRun()
        let request = try request(device)
        client.connected(request)
        let service = CBService(
            uuid: CBUUID(string: "180D"), isPrimary: true,
            peripheral: CBPeripheral(identifier: request.peripheral, manager: nil))
        let subscription = AgentSubscription(
            CBCharacteristic(uuid: CBUUID(string: "2A37"), properties: .notify, service: service), try key(device),
            of: request.peripheral, usesSocket: nil, client: client)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            subscription.start { continuation.resume(with: $0) }
        }
        return client
    }

    @Test func aConnectionComesBackWithItsSubscriptionAndItsValues() async throws {
        let device = await sensor()
        await device.comeUp()
        let earlier = try await earlierRun(subscribedTo: device)
        let app = run()
        try await app.saw("state on")
        #expect(app.lines.first == #"restored connected ["2A37"]"#)
        bench.notify("H", from: try await request(device).peripheral, try await key(device))
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
        await earlier.close()
    }

    @Test func theServicesOfALinkThatIsUpAreWaitedFor() async throws {
        let device = await sensor()
        await device.comeUp()
        let earlier = try await earlierRun(subscribedTo: device)
        await device.comeUpAnew(resolvedAfter: .milliseconds(200))
        let app = run()
        try await app.saw("state on")
        #expect(app.lines.first == #"restored connected ["2A37"]"#)
        await earlier.close()
    }

    @Test func aConnectionThatIsGoneIsRestoredAsGone() async throws {
        let device = await sensor()
        await device.comeUp()
        let earlier = try await earlierRun(subscribedTo: device)
        await device.lose()
        let app = run()
        try await app.saw("state on")
        #expect(app.lines.first == "restored disconnected []")
        try await eventually("the agent has let go of it") { [bench] in bench.calls.contains("release") }
        await earlier.close()
    }

    @Test func anAttemptToConnectIsRestored() async throws {
        let device = await sensor()
        let earlier = await earlierRun()
        await earlier.connecting(try request(device))
        let app = run()
        try await app.saw("state on")
        #expect(app.lines.first == "restored connecting []")
        await earlier.close()
    }

    @Test func aSubscriptionToWhatIsGoneIsGivenUp() async throws {
        let device = await sensor()
        await device.comeUp()
        let earlier = try await earlierRun(subscribedTo: device)
        await device.dropServices()
        let app = run()
        try await app.saw("state on")
        #expect(app.lines.first == "restored connected []")
        try await eventually("the end of the subscription") { [bench] in bench.calls.contains("unsubscribe") }
        await earlier.close()
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
