import DBus
import Foundation
import TestSupport
import Testing

@testable import BlueZ
@testable import CoreBluetooth

/// Subscriptions of bonded centrals, which bluetoothd keeps while they are away, though it ends the socket.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct AbsentSubscriberTests {
    private let daemon: FakeBluetoothd
    private let app: PeripheralApp
    private let rate: CBMutableCharacteristic
    private let central: FakeDevice
    private let published: FakeLocalCharacteristic

    /// A bonded central is subscribed by a socket.
    init() async throws {
        daemon = try await .start()
        var timing = BlueZSession.Timing.short()
        // As long as a busy machine takes to run these tests.
        timing.socketEnd = .seconds(60)
        app = PeripheralApp(on: daemon.bus, timing: timing)
        rate = CBMutableCharacteristic("2A37", .notify)
        try await app.publish("180D", [rate])
        published = try #require(await daemon.adapter.characteristic("2A37"))
        central = await daemon.adapter.connectCentral()
        await central.set("Paired", .boolean(true))
        try await published.subscribe(by: central)
        try await app.saw("subscribed 02 2A37")
    }

    @Test(arguments: [true, false])
    func `a bonded central that comes back is notified though its socket has ended`(socketFirst: Bool) async throws {
        try await leave(socketFirst: socketFirst)
        await central.set("Connected", .boolean(true))
        try await app.saw("subscribed 02 2A37", count: 2)
        #expect(app.send(Data([0, 72]), rate))
        try await eventually("the value") { published.notifications == [Data([0, 72])] }
        #expect(subscriptions == ["subscribed 02 2A37", "unsubscribed 02 2A37", "subscribed 02 2A37"])
    }

    @Test func `a central that is not bonded has to subscribe again`() async throws {
        await central.set("Paired", .boolean(false))
        try await leave(socketFirst: false)
        await central.set("Connected", .boolean(true))
        try await app.settle(with: daemon)
        #expect(subscriptions == ["subscribed 02 2A37", "unsubscribed 02 2A37"])
    }

    @Test func `a central whose keys are forgotten meanwhile has to subscribe again`() async throws {
        try await leave(socketFirst: true)
        await central.set("Paired", .boolean(false))
        await central.set("Connected", .boolean(true))
        try await app.settle(with: daemon)
        #expect(subscriptions == ["subscribed 02 2A37", "unsubscribed 02 2A37"])
    }

    @Test func `a subscription that ended long before the link is the central's own doing`() {
        let ended = EndedSubscription(mtu: 23, time: .now)
        let spread = BlueZSession.Timing().socketEnd
        #expect(ended.isRecent(at: ended.time + spread - .milliseconds(1), within: spread))
        #expect(!ended.isRecent(at: ended.time + spread, within: spread))
    }

    /// What the program was told about subscriptions.
    private var subscriptions: [String] { app.lines.filter { $0.contains("subscribed") } }

    /// The central disconnects, and bluetoothd ends its socket, not its subscription.
    private func leave(socketFirst: Bool) async throws {
        if socketFirst {
            await published.closeSocket(of: central)
            try await app.saw("unsubscribed 02 2A37")
        }
        await central.set("Connected", .boolean(false))
        if !socketFirst { await published.closeSocket(of: central) }
        try await app.saw("unsubscribed 02 2A37")
        try await app.settle(with: daemon)
    }
}
