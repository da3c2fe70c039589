import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

@testable import BlueZ
@testable import CoreBluetooth

/// What is sent where bluetoothd acquires a socket for each central that subscribes (5.82), and not one for all.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct SubscriberSocketTests {
    private let daemon: FakeBluetoothd
    private let app: PeripheralApp
    private let rate: CBMutableCharacteristic
    private let central: FakeDevice
    private let second: FakeDevice
    private let published: FakeLocalCharacteristic

    init() async throws {
        daemon = try await .start()
        await daemon.adapter.set("Modalias", .string("usb:v1D6Bp0246d0552"))
        // The end of a socket counts with the end of its link only if that was reported first.
        var timing = BlueZSession.Timing.short()
        timing.socketEnd = .zero
        app = PeripheralApp(on: daemon.bus, timing: timing)
        rate = CBMutableCharacteristic("2A37", .notify)
        try await app.publish("180D", [rate])
        central = await daemon.adapter.connectCentral()
        second = await daemon.adapter.connectCentral("C0:00:00:00:00:03")
        published = try #require(await daemon.adapter.characteristic("2A37"))
        await published.set(hasSocketForEach: true)
    }

    private func send(_ value: Data) -> Bool { app.send(value, rate) }

    private var subscribers: Int { app.act { [rate] _ in (rate.subscribedCentrals ?? []).count } }

    @Test func `each central has a socket of its own, and loses nothing when another comes or goes`() async throws {
        try await published.subscribe(by: central)
        try await app.saw("subscribed 02 2A37")
        #expect(send(Data([1])))
        try await published.subscribe(by: second)
        try await app.saw("subscribed 03 2A37")
        #expect(subscribers == 2)
        #expect(send(Data([2])) && send(Data()) && send(Data([3])))
        try await eventually("all values") {
            published.notifications(to: central) == [Data([1]), Data([2]), Data(), Data([3])]
                && published.notifications(to: second) == [Data([2]), Data(), Data([3])]
        }
        try await published.unsubscribe(by: central)
        try await app.saw("unsubscribed 02 2A37")
        #expect(subscribers == 1 && send(Data([4])))
        try await published.subscribe(by: central)
        try await app.saw("subscribed 02 2A37", count: 2)
        #expect(send(Data([5])))
        try await eventually("the values to the first") { published.notifications(to: central).last == Data([5]) }
        try await eventually("the values to the second") {
            published.notifications(to: second) == [Data([2]), Data(), Data([3]), Data([4]), Data([5])]
        }
        try await published.unsubscribe(by: second)
        try await published.unsubscribe(by: central)
        try await app.saw("unsubscribed 02 2A37", count: 2)
        try await app.saw("unsubscribed 03 2A37")
        #expect(subscribers == 0)
    }

    /// The one that is slow holds up the others, so that all get the same.
    @Test func `what one of several sockets has no room for reaches each central once`() async throws {
        try await published.subscribe(by: central)
        try await published.subscribe(by: second, reads: false)
        try await app.saw("subscribed 03 2A37")
        var sent: [Data] = []
        while sent.count < 10_000, send(Data([UInt8(sent.count % 256), UInt8(sent.count / 256)])) {
            sent.append(Data([UInt8(sent.count % 256), UInt8(sent.count / 256)]))
        }
        #expect(sent.count < 10_000)
        try await eventually("all values") {
            published.readSocket(of: second)
            return published.notifications(to: central) == sent && published.notifications(to: second) == sent
        }
    }

    // MARK: Other centrals, with which bluetoothd closes the first socket

    @Test(arguments: [true, false])
    func `a central that leaves does not silence the one that subscribed before it`(isReported: Bool) async throws {
        try await subscribe([central, second])
        await leave(second, beforeSocketsEnd: isReported)
        try await app.saw("unsubscribed 03 2A37")
        #expect(send(Data([1])) && send(Data()) && send(Data([2])))
        try await expect([Data([1]), Data(), Data([2])], at: central)
        #expect(subscribers == 1 && !app.lines.contains("unsubscribed 02 2A37"))
        try await published.unsubscribe(by: central)
        try await app.saw("unsubscribed 02 2A37")
        try await published.subscribe(by: second)
        try await app.saw("subscribed 03 2A37", count: 2)
        #expect(await published.hasSocket(for: second))
    }

    @Test(arguments: [true, false])
    func `nor those that keep their sockets`(isReported: Bool) async throws {
        let third = await daemon.adapter.connectCentral("C0:00:00:00:00:04")
        try await subscribe([central, second, third])
        await leave(second, beforeSocketsEnd: isReported)
        try await app.saw("unsubscribed 03 2A37")
        #expect(send(Data([1])) && subscribers == 2)
        for left in [central, third] { try await expect([Data([1])], at: left) }
        await leave(central, beforeSocketsEnd: isReported)
        try await app.saw("unsubscribed 02 2A37")
        #expect(send(Data([2])) && subscribers == 1)
        try await expect([Data([1]), Data([2])], at: third)
    }

    @Test func `a central that leaves takes no other with it when its socket is the first`() async throws {
        try await subscribe([central, second])
        try await published.unsubscribe(by: central)
        try await app.saw("unsubscribed 02 2A37")
        try await subscribe([central])
        await leave(second, beforeSocketsEnd: true)
        try await app.saw("unsubscribed 03 2A37")
        #expect(subscribers == 1)
        await leave(central, beforeSocketsEnd: false)
        try await app.saw("unsubscribed 02 2A37", count: 2)
        #expect(subscribers == 0)
    }

    private func subscribe(_ centrals: [FakeDevice]) async throws {
        for central in centrals { try await published.subscribe(by: central) }
        try await eventually("the subscriptions") { app.lines.last?.hasPrefix("subscribed") == true }
        try await app.settle(with: daemon)
    }

    /// - Parameter beforeSocketsEnd: whether the end of its link is reported before bluetoothd closes sockets.
    @LoopActor private func leave(_ central: FakeDevice, beforeSocketsEnd isReported: Bool) {
        if !isReported { published.lost(central) }
        central.lose()
    }

    // MARK: Bonded centrals, of which bluetoothd keeps the subscriptions but not the sockets

    @Test(arguments: ["usb:v1D6Bp0246d0552", "usb:v1D6Bp0246d0557", "bluetooth:v05F1p1234d0001"])
    func `a bonded central that comes back is notified though another one has a socket`(modalias: String) async throws {
        await daemon.adapter.set("Modalias", .string(modalias))
        try await subscribeBoth()
        try await loseBonded()
        #expect(send(Data([1])))
        try await returnBonded()
        for value in [Data([2]), Data(), Data([3])] { #expect(send(value)) }
        try await expect([Data([2]), Data(), Data([3])], at: central)
        try await expect([Data([1]), Data([2]), Data(), Data([3])], at: second)
        // Who subscribes now is told to do without a socket, so that nothing reaches anybody twice.
        let third = await daemon.adapter.connectCentral("C0:00:00:00:00:04")
        try await published.subscribe(by: third)
        try await app.saw("subscribed 04 2A37")
        #expect(subscribers == 3 && send(Data([4])))
        try await expect([Data([4])], at: third)
        try await expect([Data([2]), Data(), Data([3]), Data([4])], at: central)
        try await expect([Data([1]), Data([2]), Data(), Data([3]), Data([4])], at: second)
    }

    @Test func `signals end with the last central that needs them`() async throws {
        try await subscribeBoth()
        try await loseBonded()
        try await returnBonded()
        await second.lose()
        try await app.saw("unsubscribed 03 2A37")
        #expect(send(Data([1])))
        try await expect([Data([1])], at: central)
        try await loseBonded(count: 2)
        await second.comeUp()
        try await published.subscribe(by: second)
        try await app.saw("subscribed 03 2A37", count: 2)
        #expect(await published.hasSocket(for: second) && subscribers == 1 && send(Data([2])))
        try await expect([Data([2])], at: second)
    }

    @Test func `what waits in the sockets comes before the signals`() async throws {
        try await subscribeBoth(secondReads: false)
        try await loseBonded()
        #expect(send(Data([1])) && send(Data([2])))
        try await returnBonded()
        #expect(send(Data([3])))
        try await app.settle(with: daemon)
        #expect(await published.notifications(to: central) == [])
        await published.readSocket(of: second)
        try await expect([Data([3])], at: central)
        try await expect([Data([1]), Data([2]), Data([3])], at: second)
    }

    @Test func `sockets stay when a bonded central leaves before they are empty`() async throws {
        try await subscribeBoth(secondReads: false)
        try await loseBonded()
        #expect(send(Data([1])))
        try await returnBonded()
        #expect(send(Data([2])))
        try await loseBonded(count: 2)
        await published.readSocket(of: second)
        try await eventually("all values") {
            published.readSocket(of: second)
            return published.notifications(to: second) == [Data([1]), Data([2])]
        }
        #expect(await published.hasSocket(for: second))
    }

    @Test func `a bonded central is notified after the last of the others has unsubscribed`() async throws {
        try await subscribeBoth()
        try await loseBonded()
        try await published.unsubscribe(by: second)
        try await app.saw("unsubscribed 03 2A37")
        try await returnBonded()
        #expect(send(Data([1])))
        try await expect([Data([1])], at: central)
    }

    /// The first one is bonded.
    private func subscribeBoth(secondReads: Bool = true) async throws {
        await central.set("Paired", .boolean(true))
        try await published.subscribe(by: second, reads: secondReads)
        try await published.subscribe(by: central)
        try await app.saw("subscribed 02 2A37")
    }

    private func loseBonded(count: Int = 1) async throws {
        await central.set("Connected", .boolean(false))
        try await app.saw("unsubscribed 02 2A37", count: count)
        await published.closeSocket(of: central)
    }

    /// It subscribes, which changes nothing for bluetoothd.
    private func returnBonded() async throws {
        await central.set("Connected", .boolean(true))
        try await app.saw("subscribed 02 2A37", count: 2)
    }

    private func expect(_ values: [Data], at central: FakeDevice) async throws {
        try await eventually("\(values.count) values") { published.notifications(to: central).count >= values.count }
        #expect(await published.notifications(to: central) == values)
    }
}
