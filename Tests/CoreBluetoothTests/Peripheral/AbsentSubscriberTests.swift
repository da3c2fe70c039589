import DBus
import Foundation
import MainLoop
import Synchronization
import TestSupport
import Testing

@testable import BlueZ
@testable import CoreBluetooth

/// Subscriptions of bonded centrals, which bluetoothd keeps while they are away, though it ends the socket.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
@LoopActor
struct AbsentSubscriberTests {
    private let daemon: FakeBluetoothd
    private let app: Sensor
    private let central: FakeDevice
    private let characteristic: FakeLocalCharacteristic
    /// What goes out as signals.
    private let signals: Signals

    /// A bonded central is subscribed by a socket.
    init() async throws {
        daemon = try await .start()
        let (daemon, app) = (daemon, Sensor(on: daemon))
        self.app = app
        try await eventually("the service") { daemon.adapter.applications.first?.characteristic("2A37") != nil }
        characteristic = try #require(daemon.adapter.applications.first?.characteristic("2A37"))
        signals = Signals(of: characteristic.path, on: daemon)
        central = daemon.adapter.connectCentral()
        central.set("Paired", .boolean(true))
        try await characteristic.subscribe(by: central)
        try await eventually("the subscription") { app.lines == ["subscribed"] }
    }

    @Test(arguments: [true, false])
    func `a bonded central that comes back is notified though its socket has ended`(socketFirst: Bool) async throws {
        try await leave(socketFirst: socketFirst)
        central.set("Connected", .boolean(true))
        try await eventually("the second subscription") { [app] in app.lines.last == "subscribed" }
        app.update(Data([0, 72]))
        try await eventually("the value") { [signals] in signals.values == [Data([0, 72])] }
        #expect(app.lines == ["subscribed", "unsubscribed", "subscribed"])
    }

    @Test func `a central that is not bonded has to subscribe again`() async throws {
        central.set("Paired", .boolean(false))
        try await leave(socketFirst: false)
        central.set("Connected", .boolean(true))
        try await settle()
        #expect(app.lines == ["subscribed", "unsubscribed"])
    }

    @Test func `a central whose keys are forgotten meanwhile has to subscribe again`() async throws {
        try await leave(socketFirst: true)
        central.set("Paired", .boolean(false))
        central.set("Connected", .boolean(true))
        try await settle()
        #expect(app.lines == ["subscribed", "unsubscribed"])
    }

    @Test func `a subscription that ended long before the link is the central's own doing`() {
        let ended = EndedSubscription(mtu: 23, time: .now)
        let spread = BlueZSession.Timing().socketEnd
        #expect(ended.isRecent(at: ended.time + spread - .milliseconds(1), within: spread))
        #expect(!ended.isRecent(at: ended.time + spread, within: spread))
    }

    /// The central disconnects, and bluetoothd ends its socket.
    private func leave(socketFirst: Bool) async throws {
        if socketFirst {
            try await characteristic.unsubscribe()
            try await eventually("the end of the socket") { [app] in app.lines.last == "unsubscribed" }
        }
        central.set("Connected", .boolean(false))
        if !socketFirst { try await characteristic.unsubscribe() }
        try await eventually("the end") { [app] in app.lines.last == "unsubscribed" }
        try await settle()
    }

    /// Returns when the app has heard of all that the daemon has sent.
    private func settle() async throws {
        for _ in 0..<3 {
            try await daemon.connection.fence()
            try await app.session.connection?.fence()
        }
        app.queue.sync {}
    }
}

/// The values that a characteristic sends as signals.
@LoopActor
private final class Signals {
    private(set) var values: [Data] = []
    private var registration: Registration?

    init(of path: ObjectPath, on daemon: FakeBluetoothd) {
        let rule = MatchRule(
            path: path, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged")
        registration = daemon.connection.onSignal(rule) { [weak self] signal in
            guard signal.arguments.count > 1, let changed = [String: BusValue](busValue: signal.arguments[1]),
                let value = changed["Value"].flatMap(Data.init(busValue:))
            else { return }
            self?.values.append(value)
        }
    }
}

/// A program with one characteristic that notifies.
private final class Sensor: NSObject, CBPeripheralManagerDelegate, Sendable {
    let queue = DispatchQueue(label: "sensor")
    let session: BlueZSession
    private let manager: CBPeripheralManager
    private let rate = CBMutableCharacteristic(
        type: CBUUID(string: "2A37"), properties: .notify, value: nil, permissions: [])
    private let journal = Mutex<[String]>([])

    init(on daemon: FakeBluetoothd) {
        var timing = BlueZSession.Timing()
        // As long as a busy machine takes to run these tests.
        timing.socketEnd = .seconds(60)
        session = BlueZSession(timing: timing, handleFolder: "/dev/null") {
            [bus = daemon.bus] () throws(BusError) in try bus.connect()
        }
        // The first state is for the delegate.
        queue.suspend()
        manager = CBPeripheralManager(delegate: nil, queue: queue, session: session)
        super.init()
        manager.delegate = self
        queue.resume()
    }

    var lines: [String] { journal.withLock { $0 } }

    func update(_ value: Data) {
        queue.sync { _ = manager.updateValue(value, for: rate, onSubscribedCentrals: nil) }
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
        service.characteristics = [rate]
        peripheral.add(service)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        journal.withLock { $0.append("subscribed") }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        journal.withLock { $0.append("unsubscribed") }
    }
}
