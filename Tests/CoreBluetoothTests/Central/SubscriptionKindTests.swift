import Foundation
import MainLoop
import TestSupport
import Testing

@testable import CoreBluetooth

/// Notifications from sockets, and what happens where bluetoothd has none to give.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct SubscriptionKindTests {
    private let daemon: FakeBluetoothd

    init() async throws { daemon = try await .start() }

    private func listening(
        _ flags: [String], flood: Data? = nil, prepare: @Sendable @LoopActor (FakeBluetoothd) -> Void = { _ in }
    ) async throws -> (FakeCharacteristic, CentralApp) {
        let device = await daemon.adapter.addDevice()
        await device.addService("180D", [.init("2A37", flags)])
        let sender = try #require(await device.characteristic("2A37"))
        await sender.set(flood: flood)
        await prepare(daemon)
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connected(
            to: device, options: [CBConnectPeripheralOptionUseNotifySocketsKey: true])
        let rate = try await app.characteristic("2A37", of: peripheral)
        app.queue.sync { peripheral.setNotifyValue(true, for: rate) }
        try await app.saw("notifying 2A37 true")
        return (sender, app)
    }

    @Test func `values come from the socket`() async throws {
        let (characteristic, app) = try await listening(["notify"])
        await characteristic.notify(Data([0, 70]))
        try await app.saw("2A37 = 0046")
        #expect(await daemon.count(of: "StartNotify") == 0)
    }

    @Test func `the last values come before the end of the connection`() async throws {
        let (characteristic, app) = try await listening(["notify"])
        await characteristic.notify((1...9).map { Data([$0]) }, thenDisconnect: true)
        try await eventually("the end") { app.lines.contains { $0.hasPrefix("disconnected") } }
        let lines = app.lines.prefix { !$0.hasPrefix("disconnected") }
        #expect(lines.filter { $0.hasPrefix("2A37") } == (1...9).map { "2A37 = 0\($0)" })
    }

    @Test func `indications come over the bus`() async throws {
        let (characteristic, app) = try await listening(["indicate"])
        await characteristic.notify(Data([0, 71]))
        try await app.saw("2A37 = 0047")
        #expect(await daemon.count(of: "AcquireNotify") == 0)
    }

    @Test(arguments: [
        FakeReaction.refuse("NotPermitted", "Notify acquired"), .refuse("NotSupported", "Operation is not supported"),
    ])
    func `what has no socket comes over the bus`(refusal: FakeReaction) async throws {
        let (characteristic, app) = try await listening(["notify"]) {
            $0.react(to: "AcquireNotify", with: refusal)
        }
        await characteristic.notify(Data([0, 72]))
        try await app.saw("2A37 = 0048")
    }

    /// bluetoothd does not wait for the program, and does not say what it has dropped.
    @Test func `a socket that was full is reported`() async throws {
        let (characteristic, app) = try await listening(["notify"], flood: Data([1]))
        try await app.saw("lost 2A37 0 1")
        await characteristic.notify(Data([2]))
        try await app.saw("2A37 = 02")
        #expect(app.lines.count { $0 == "2A37 = 01" } > 100)
        #expect(app.lines.count { $0.hasPrefix("lost") } == 1)
    }
}
