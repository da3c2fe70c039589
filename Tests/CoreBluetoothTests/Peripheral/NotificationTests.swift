import BlueZ
import DBus
import Foundation
import TestSupport
import Testing

@testable import BlueZ
@testable import CoreBluetooth

/// Subscriptions and what is sent to them, over sockets and over the bus.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct NotificationTests {
    private let daemon: FakeBluetoothd
    private let app: PeripheralApp
    private let rate: CBMutableCharacteristic
    private let central: FakeDevice
    private let published: FakeLocalCharacteristic

    init() async throws {
        daemon = try await .start()
        app = PeripheralApp(on: daemon.bus)
        rate = CBMutableCharacteristic("2A37", .notify)
        try await app.publish("180D", [rate, CBMutableCharacteristic("2A38")])
        central = await daemon.adapter.connectCentral()
        published = try #require(await daemon.adapter.characteristic("2A37"))
    }

    private func send(_ value: Data, to centrals: [CBCentral]? = nil) -> Bool {
        app.send(value, rate, to: centrals)
    }

    private var centrals: [CBCentral] { app.act { [rate] _ in rate.subscribedCentrals ?? [] } }
    private var subscribers: Int { centrals.count }

    @Test(arguments: [true, false])
    func `values reach the central from its subscription to its end`(usingSocket: Bool) async throws {
        #expect(send(Data([0])), "without a receiver a value is dropped")
        try await published.subscribe(by: central, usingSocket: usingSocket)
        try await app.saw("subscribed 02 2A37")
        #expect(subscribers == 1)
        for number: UInt8 in 1...3 { #expect(send(Data([number]))) }
        try await eventually("all values") { published.notifications == [Data([1]), Data([2]), Data([3])] }
        try await published.unsubscribe()
        try await app.saw("unsubscribed 02 2A37")
        #expect(subscribers == 0 && send(Data([4])))
        try await published.subscribe(by: central, usingSocket: usingSocket)
        try await app.saw("subscribed 02 2A37", count: 2)
        #expect(send(Data([5])))
        try await eventually("the next value") { published.notifications.last == Data([5]) }
        #expect(await published.notifications.count == 4)
    }

    /// bluetoothd gathers notifications for 10 ms, and sends an indication at once.
    @Test func `an indication does not overtake the notification before it`() async throws {
        let control = CBMutableCharacteristic("2A52", .indicate)
        try await app.publish("1808", [control])
        let indicated = try #require(await daemon.adapter.characteristic("2A52"))
        try await published.subscribe(by: central)
        try await indicated.subscribe(by: central)
        try await app.saw("subscribed 02 2A52")
        #expect(send(Data([1])))
        #expect(app.send(Data([2]), control))
        try await eventually("the indication") { indicated.notifications == [Data([2])] }
        let times = await (published.lastNotification, indicated.lastNotification)
        let (notified, followed) = try (#require(times.0), #require(times.1))
        #expect(followed - notified > .milliseconds(10))
        // Without one before, it does not wait.
        #expect(app.send(Data([3]), control))
        try await eventually("the next indication") { indicated.notifications == [Data([2]), Data([3])] }
    }

    /// The socket that a central leaves behind would keep the next one's subscription from being reported.
    @Test func `a service is published anew when bluetoothd keeps a disconnected central's socket`() async throws {
        try await published.subscribe(by: central)
        try await app.saw("subscribed 02 2A37")
        await published.missUnsubscription()
        await central.lose()
        try await app.saw("unsubscribed 02 2A37")
        try await eventually("the service again") {
            daemon.adapter.characteristic("2A37").map { $0 !== published } == true
        }
        let next = await daemon.adapter.connectCentral()
        let anew = try #require(await daemon.adapter.characteristic("2A37"))
        try await anew.subscribe(by: next)
        try await app.saw("subscribed 02 2A37", count: 2)
        #expect(send(Data([6])))
        try await eventually("the value") { anew.notifications == [Data([6])] }
    }

    @Test func `a service stays when bluetoothd ends the socket of a central that has disconnected`() async throws {
        try await published.subscribe(by: central)
        try await app.saw("subscribed 02 2A37")
        await central.lose()
        try await app.saw("unsubscribed 02 2A37")
        // By a timer of the same loop, which is due later, and the answers to what was asked by then.
        try await pass(PeripheralCore.socketEndTime * 2)
        try await app.session.connection?.fence()
        try await daemon.connection.fence()
        #expect(await daemon.count(of: "UnregisterApplication") == 0)
    }

    @Test(arguments: [true, false])
    func `more than there is room for waits and nothing is lost`(usingSocket: Bool) async throws {
        try await published.subscribe(by: central, usingSocket: usingSocket, reads: false)
        try await app.saw("subscribed 02 2A37")
        let total = 3000
        var sent = 0
        var refusals = 0
        while sent < total {
            if send(Data([UInt8(sent & 255), UInt8(sent >> 8)])) {
                sent += 1
                continue
            }
            refusals += 1
            if usingSocket { await published.readSocket() }
            try await app.saw("ready", count: refusals)
        }
        try await eventually("all values") {
            published.readSocket()
            return published.notifications.count == total
        }
        let numbers = await published.notifications.map { Int($0[0]) | Int($0[1]) << 8 }
        #expect(numbers == Array(0..<total) && refusals > 0)
    }

    @Test func `values of several characteristics keep their order, in whatever order bluetoothd reads`() async throws {
        let level = CBMutableCharacteristic("2A19", .notify)
        try await app.publish("180F", [level])
        let other = try #require(await daemon.adapter.characteristic("2A19"))
        for (characteristic, uuid) in [(published, "2A37"), (other, "2A19")] {
            try await characteristic.subscribe(by: central, reads: false)
            try await app.saw("subscribed 02 \(uuid)")
        }
        let numbers = [UInt8](0..<20)
        for number in numbers {
            // The odd ones are of the characteristic that is read first.
            let target = number % 2 == 1 ? level : rate
            #expect(app.send(Data([number]), target))
        }
        let arrivals = Journal()
        try await eventually("all of them") { [published] in
            for characteristic in [other, published] {
                let known = characteristic.notifications.count
                characteristic.readSocket()
                for value in characteristic.notifications.dropFirst(known) { arrivals.note("\(value.first ?? 0)") }
            }
            return arrivals.lines.count == numbers.count
        }
        #expect(arrivals.lines == numbers.map { "\($0)" })
    }

    @Test func `an empty value keeps its place among the others`() async throws {
        try await published.subscribe(by: central)
        try await app.saw("subscribed 02 2A37")
        for value in [Data([1]), Data(), Data([2]), Data(), Data(), Data([3])] { #expect(send(value)) }
        try await eventually("all values") { published.notifications.count == 6 }
        #expect(await published.notifications.map(\.count) == [1, 0, 1, 0, 0, 1])
    }

    @Test func `a value is cut off at the longest that there can be`() async throws {
        try await published.subscribe(by: central)
        try await app.saw("subscribed 02 2A37")
        #expect(send(Data(count: 600)))
        try await eventually("the value") { published.notifications.map(\.count) == [512] }
    }

    @Test func `a value for somebody else is not sent`() async throws {
        try await published.subscribe(by: central)
        try await app.saw("subscribed 02 2A37")
        let subscriber = try required(centrals.first)
        #expect(send(Data([1]), to: [CBCentral(identifier: UUID())]) && send(Data([2]), to: [subscriber]))
        try await eventually("one value") { published.notifications == [Data([2])] }
    }

    @Test func `what is queued when the service is withdrawn is dropped`() async throws {
        try await published.subscribe(by: central, reads: false)
        try await app.saw("subscribed 02 2A37")
        while send(Data(count: 100)) {}
        app.act { $0.removeAllServices() }
        try await app.saw("unsubscribed 02 2A37")
        try await app.saw("ready")
        #expect(send(Data([1])), "nobody is there to receive it")
    }

    @Test func `what cannot notify has no socket`() async throws {
        let location = try #require(await daemon.adapter.characteristic("2A38"))
        #expect(await attError { try await location.call("AcquireNotify", [[String: BusValue]().busValue]) } == 0x06)
    }

    // MARK: Who is subscribed

    @Test func `a central that leaves is succeeded by one that stays`() async throws {
        let second = await daemon.adapter.connectCentral("C0:00:00:00:00:03")
        try await published.subscribe(by: central)
        try await app.saw("subscribed 02 2A37")
        // bluetoothd does not report the second one, as it has a socket.
        try await published.subscribe(by: second)
        await central.lose()
        try await app.saw("unsubscribed 02 2A37")
        #expect(send(Data([1])))
        try await app.saw("subscribed 03 2A37")
        #expect(send(Data([2])))
        try await eventually("no value is lost") { published.notifications == [Data([1]), Data([2])] }
        await second.lose()
        try await app.saw("unsubscribed 03 2A37")
        #expect(subscribers == 0)
    }

    @Test func `a central that is not subscribed does not succeed`() async throws {
        let second = await daemon.adapter.connectCentral("C0:00:00:00:00:03")
        try await published.subscribe(by: central)
        try await app.saw("subscribed 02 2A37")
        await central.lose()
        try await app.saw("unsubscribed 02 2A37")
        // The next subscription is that of another period: nobody was reported in between.
        try await published.subscribe(by: second)
        try await app.saw("subscribed 03 2A37")
        #expect(send(Data([1])))
        try await eventually("the value") { published.notifications == [Data([1])] }
        #expect(app.lines.count { $0.hasPrefix("subscribed") } == 2 && subscribers == 1)
    }

    @Test func `a bonded central is subscribed again when it returns`() async throws {
        await central.set("Paired", .boolean(true))
        try await published.subscribe(by: central, mtu: 100)
        try await app.saw("subscribed 02 2A37")
        await central.lose()
        try await app.saw("unsubscribed 02 2A37")
        await daemon.adapter.connectCentral()
        try await app.saw("subscribed 02 2A37", count: 2)
        #expect(centrals.map(\.maximumUpdateValueLength) == [97])
        #expect(send(Data([1])))
        try await eventually("the value") { published.notifications == [Data([1])] }
    }

    @Test func `a device that bluetoothd forgets is no subscriber`() async throws {
        try await published.subscribe(by: central)
        try await app.saw("subscribed 02 2A37")
        await central.hide()
        try await app.saw("unsubscribed 02 2A37")
    }

    @Test func `a bluetoothd that does not name the subscriber means the central that is connected`() async throws {
        try await published.call("StartNotify")
        try await app.saw("subscribed 02 2A37")
        try await published.call("StartNotify")
        try await published.call("StopNotify")
        try await app.saw("unsubscribed 02 2A37")
        #expect(app.lines.count { $0.hasPrefix("subscribed") } == 1)
    }

    @Test func `another socket takes the place of one whose end is on its way`() async throws {
        try await published.subscribe(by: central)
        try await app.saw("subscribed 02 2A37")
        let options: [String: BusValue] = ["device": .objectPath(central.path), "mtu": .uint16(23)]
        try await published.call("AcquireNotify", [options.busValue])
        try await app.saw("subscribed 02 2A37", count: 2)
        // What follows is the end of the other socket, which nobody keeps.
        let subscriptions = app.lines.filter { $0.hasSuffix("subscribed 02 2A37") }.prefix(3)
        #expect(subscriptions == ["subscribed 02 2A37", "unsubscribed 02 2A37", "subscribed 02 2A37"])
    }

    @Test func `an indication may be confirmed`() async throws {
        try await published.subscribe(by: central)
        try await published.confirm()
        #expect(send(Data([1])))
        try await eventually("the value") { published.notifications == [Data([1])] }
    }

    // MARK: What arrives after its link has ended

    @Test func `a subscription that is older than the end of its link does not last`() async throws {
        await central.lose()
        try await published.subscribe(by: central)
        try await app.saw("unsubscribed 02 2A37")
        #expect(app.lines.suffix(2) == ["subscribed 02 2A37", "unsubscribed 02 2A37"] && subscribers == 0)
    }

    @Test func `a subscription that is older than the report of its link lasts`() async throws {
        // bluetoothd 5.66 sometimes does not report a connection.
        let silent = await daemon.adapter.add(
            FakeDevice("C0:00:00:00:00:04", name: nil, advertising: [], on: daemon.adapter))
        await silent.show()
        await silent.set("Connected", .boolean(true), silently: true)
        try await published.subscribe(by: silent)
        try await app.saw("subscribed 04 2A37")
        try await daemon.connection.fence()
        try await app.session.fence()
        #expect(subscribers == 1)
        await silent.lose()
        try await app.saw("unsubscribed 04 2A37")
    }
}

extension BlueZSession {
    /// Returns when all that bluetoothd has sent before is handled.
    fileprivate func fence() async throws { try await connection?.fence() }
}
