import BlueZ
import DBus
import Foundation
import GATTProfiles
import MainLoop
import TestSupport
import Testing

@testable import Dittojay

/// Who is connected: what `status` shows, and the commands that end links.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct CentralsTests {
    private let peripheral: Simulation

    init() async throws {
        peripheral = try await Simulation()
        try await peripheral.run()
    }

    @Test func `a central is shown from its connection to its end`() async throws {
        let central = await peripheral.connect()
        try await peripheral.saw("connected 02")
        #expect(peripheral.status.centrals == [.init(address: "C0:00:00:00:00:02", mtu: nil, subscriptions: [])])
        let store = try await peripheral.characteristic(LabService.store)
        try await store.write(Data([1]), by: central, mtu: 100)
        _ = try await peripheral.subscribed(ChirpService.chirp, by: central, mtu: 100)
        #expect(
            peripheral.status.centrals == [.init(address: "C0:00:00:00:00:02", mtu: 100, subscriptions: ["chirp"])])
        await central.lose()
        try await peripheral.saw("disconnected 02 (MTU 100)")
        let ends = ["unsubscribed chirp by 02 (MTU 100)", "disconnected 02 (MTU 100)"]
        #expect(peripheral.lines.filter(ends.contains) == ends, "in this order, whichever bluetoothd reports first")
        #expect(peripheral.centrals == [])
    }

    @Test func `what happens while dittojay is held up is reported in order`() async throws {
        let chirp = try await peripheral.characteristic(ChirpService.chirp)
        try await subscribeWhileHeldUp(to: chirp) { $0.connectCentral() }
        try await subscribeWhileHeldUp(to: chirp) { adapter in
            adapter.connectCentral().lose()
            return adapter.connectCentral()
        }
        let begin = ["connected 02", "subscribed chirp by 02 (MTU 517)"]
        let end = ["unsubscribed chirp by 02 (MTU 517)", "disconnected 02 (MTU 517)"]
        #expect(peripheral.lines.suffix(6) == begin + end + begin)
    }

    /// A central connects and subscribes, and dittojay gets to know of both at once.
    @LoopActor
    private func subscribeWhileHeldUp(
        to characteristic: FakeLocalCharacteristic, _ connect: @LoopActor (FakeAdapter) -> FakeDevice
    ) async throws {
        let central = connect(peripheral.daemon.adapter)
        let subscription = Task { try await peripheral.subscribe(characteristic, by: central) }
        // Behind the subscription: what the bus passes on in this time is read at once.
        MainLoop.shared.async { Thread.sleep(forTimeInterval: 0.05) }
        try await subscription.value
    }

    // MARK: Requests that are older, or newer, than what bluetoothd reports of their link

    @Test func `a write that arrives after the end of its link does not bring the central back`() async throws {
        let central = await peripheral.connect()
        try await peripheral.saw("connected 02")
        let store = try await peripheral.characteristic(LabService.store)
        await central.lose()
        try await store.write(Data([1]), by: central)
        try await peripheral.saw("written store 01 by 02 (MTU 517)")
        try await isSettled()
        #expect(peripheral.centrals == [])
    }

    @Test func `a read that arrives after the end of its link does not bring the central back`() async throws {
        let central = await peripheral.connect()
        try await peripheral.saw("connected 02")
        let store = try await peripheral.characteristic(LabService.store)
        await central.lose()
        _ = try await store.read(by: central)
        try await peripheral.saw("read store (empty) by 02 (MTU 517)")
        try await isSettled()
        #expect(peripheral.centrals == [])
    }

    @Test func `a subscription that arrives after the end of its link does not bring the central back`() async throws {
        let central = await peripheral.connect()
        try await peripheral.saw("connected 02")
        let chirp = try await peripheral.characteristic(ChirpService.chirp)
        await central.lose()
        try await chirp.subscribe(by: central)
        try await peripheral.saw("unsubscribed chirp by 02 (MTU 517)")
        try await isSettled()
        #expect(peripheral.centrals == [])
        #expect(await peripheral.perform(.chirp([1])).subscribers == 0)
    }

    @Test func `a request without an answer does not outlive its link`() async throws {
        let central = await peripheral.connect()
        try await peripheral.saw("connected 02")
        await peripheral.perform(.addFault(characteristic: "store", Fault(on: .write, .noAnswer)))
        let store = try await peripheral.characteristic(LabService.store)
        await central.lose()
        #expect(await attError { try await store.write(Data([1]), by: central) } == 0x0E)
    }

    @Test func `a central whose connection is not reported is shown once it asks`() async throws {
        let adapter = await peripheral.daemon.adapter
        let central = await adapter.add(FakeDevice("C0:00:00:00:00:05", name: nil, advertising: [], on: adapter))
        await central.show()
        await central.set("Connected", .boolean(true), silently: true)
        let store = try await peripheral.characteristic(LabService.store)
        try await store.write(Data([1]), by: central, mtu: 77)
        try await peripheral.saw("connected 05")
        try await eventually("its MTU") { self.peripheral.status.centrals.first?.mtu == 77 }
        await central.lose()
        try await peripheral.hasCentrals([])
    }

    @Test func `a central that was there before is shown once it asks`() async throws {
        let daemon = try await FakeBluetoothd.start()
        let early = await daemon.adapter.connectCentral("C0:00:00:00:00:06")
        let peripheral = try await Simulation(on: daemon)
        try await peripheral.run()
        #expect(peripheral.centrals == [])
        try await peripheral.characteristic(LabService.store).write(Data([1]), by: early)
        try await peripheral.hasCentrals(["06"])
        await early.lose()
        try await peripheral.hasCentrals([])
        #expect(peripheral.lines.contains("disconnected 06 (MTU 517)"))
    }

    @Test func `a central that pairs is still the same`() async throws {
        let central = await peripheral.connect()
        try await peripheral.saw("connected 02")
        // Its private address is replaced by its own.
        await central.set("Address", .string("C0:00:00:00:00:99"))
        await central.lose()
        try await peripheral.hasCentrals([])
        #expect(peripheral.lines.suffix(2) == ["connected 02", "disconnected 02"])
    }

    /// Returns when bluetoothd has been asked all that follows from what was sent to it and answered.
    private func isSettled() async throws {
        for _ in 0..<3 {
            try await peripheral.daemon.connection.fence()
            // The queue and the loop hand things to each other.
            await withCheckedContinuation { continuation in peripheral.queue.async { continuation.resume() } }
        }
    }

    // MARK: Pairing

    @Test func `a central whose pairing fails is named`() async throws {
        let central = await peripheral.connect()
        try await peripheral.saw("connected 02")
        await ask("RequestAuthorization", about: central)
        await central.lose()
        try await peripheral.saw("pairing-failed 02: pairing with it failed")
        let other = await peripheral.connect("03")
        try await peripheral.saw("connected 03")
        await ask("RequestPasskey", about: other)
        try await peripheral.saw("pairing-failed 03: it wants a passkey to pair, and dittojay refused")
    }

    @LoopActor
    private func ask(_ question: String, about central: FakeDevice) async {
        await withCheckedContinuation { continuation in
            peripheral.daemon.agents.ask(question, [central.path.busValue]) { _ in continuation.resume() }
        }
    }

    @Test func `a central that has lost its keys is named`() async throws {
        let central = await peripheral.connect()
        await central.set("Paired", .boolean(true))
        for round in 1...2 {
            await central.lose()
            try await peripheral.saw("disconnected 02", count: round)
            _ = await peripheral.connect()
            try await peripheral.saw("connected 02", count: round + 1)
        }
        let line = try await peripheral.sawLine(beginning: "pairing-failed 02: its connections end at once")
        #expect(line.hasSuffix("run \"dittojay unpair 02\", and pair again"))
    }

    @Test(arguments: [KernelLinks.Link.unencrypted, .absent, .encrypted, nil], [false, true])
    private func `what comes over a link without encryption is no sign of keys`(
        link: KernelLinks.Link?, isRequest: Bool
    ) async throws {
        await peripheral.kernelLinks(link)
        let central = await peripheral.connect()
        await central.set("Paired", .boolean(true))
        for _ in 1...2 {
            try await peripheral.hasCentrals(["02"])
            if isRequest {
                try await peripheral.characteristic(LabService.store).write(Data([1]), by: central)
            } else {
                await central.set("ServicesResolved", .boolean(true))
            }
            try await isSettled()
            await central.lose()
            try await peripheral.hasCentrals([])
            _ = await peripheral.connect()
        }
        try await peripheral.hasCentrals(["02"])
        let isNamed = peripheral.lines.contains { $0.hasPrefix("pairing-failed 02: its connections end at once") }
        // Services can be reported after the end of the link; what is written has come over one that was up.
        #expect(isNamed == (link == .unencrypted || link == .absent && !isRequest), "\(peripheral.lines)")
    }

    // MARK: Ending links

    @Test func `links are ended by command`() async throws {
        _ = await (peripheral.connect(), peripheral.connect("03"))
        try await peripheral.hasCentrals(["02", "03"])
        #expect(
            await peripheral.perform(.disconnect(central: "c0:00:00:00:00:03")).disconnected == ["C0:00:00:00:00:03"])
        try await peripheral.hasCentrals(["02"])
        #expect(
            await peripheral.perform(.disconnect(central: "C0:00:00:00:00:03")).error
                == "C0:00:00:00:00:03 is not connected")
        #expect(await peripheral.perform(.disconnect(central: nil)).disconnected == ["C0:00:00:00:00:02"])
        #expect(await peripheral.perform(.disconnect(central: nil)).error == "no central is connected")
    }

    @Test func `the kernel ends links at once where it may be asked to`() async throws {
        let central = await peripheral.connect()
        try await peripheral.saw("connected 02")
        await peripheral.endLinks { peer in
            #expect(peer.prefix(6) == [0x02, 0, 0, 0, 0, 0xC0])
            central.lose()
        }
        #expect(await peripheral.perform(.disconnect(central: nil)).disconnected == ["C0:00:00:00:00:02"])
        #expect(await peripheral.daemon.count(of: "Disconnect") == 0)
    }

    @Test(arguments: [Fault.Action.noAnswer, .delay(3600)])
    func `what is open is answered before the kernel ends the link`(fault: Fault.Action) async throws {
        try await isAnsweredBeforeTheEnd {
            await peripheral.perform(.addFault(characteristic: "store", Fault(on: .write, fault)))
        } once: {
            try await peripheral.sawLine(beginning: "fault store")
        }
    }

    @Test func `what waits for the end of a silence is answered before the kernel ends the link`() async throws {
        try await isAnsweredBeforeTheEnd {
            await peripheral.perform(.silence(3600))
        } once: {
            // It has come by then.
            try await peripheral.hasCentrals(["02"])
            try await eventually("its MTU") { peripheral.status.centrals.first?.mtu != nil }
        }
    }

    private func isAnsweredBeforeTheEnd(
        when cause: () async throws -> Void, once hasCome: () async throws -> Void
    ) async throws {
        let central = await peripheral.connect()
        try await peripheral.saw("connected 02")
        try await cause()
        let store = try await peripheral.characteristic(LabService.store)
        let answer = FirstOutcome<UInt8?>()
        await peripheral.endLinks { _ in
            #expect(await answer.value(within: .seconds(30), otherwise: nil) == 0x0E)
            central.lose()
        }
        Task { answer.report(await attError { try await store.write(Data([1]), by: central) }) }
        try await hasCome()
        #expect(await peripheral.perform(.disconnect(central: nil)).disconnected?.count == 1)
    }

    @Test func `a central that is back before its link's end was answered is dropped again`() async throws {
        let central = await peripheral.connect()
        try await peripheral.saw("connected 02")
        let count = { @Sendable [peripheral] (event: String) in peripheral.lines.count { $0.hasPrefix(event + " 02") } }
        await peripheral.endLinks { [peripheral] _ in
            let links = count("connected")
            central.lose()
            _ = peripheral.connect()
            try? await eventually("its return") { count("connected") > links }
        }
        _ = await peripheral.perform(.addFault(characteristic: "store", Fault(on: .write, .disconnect)))
        for round in 1...2 {
            let store = try await peripheral.characteristic(LabService.store)
            Task { _ = await attError { try await store.write(Data([1]), by: central) } }
            try await eventually("the end of link \(round)") { count("disconnected") == round }
            try await eventually("its return") { count("connected") == round + 1 }
        }
    }

    @Test func `a central that is back before bluetoothd reports its end is served again`() async throws {
        let central = await peripheral.connect()
        try await peripheral.saw("connected 02")
        await peripheral.endLinks { _ in
            central.lose(silently: true)
            central.comeUp()
        }
        #expect(await peripheral.perform(.disconnect(central: nil)).disconnected == ["C0:00:00:00:00:02"])
        #expect(peripheral.lines.suffix(2) == ["disconnected 02", "connected 02"])
        let store = try await peripheral.characteristic(LabService.store)
        _ = await peripheral.perform(.addFault(characteristic: "store", Fault(on: .write, .delay(0.01))))
        async let error = attError { try await store.write(Data([1]), by: central) }
        try await peripheral.sawLine(beginning: "fault store")
        peripheral.advance(by: 0.02)
        #expect(await error == nil)
    }

    @Test func `a link that bluetoothd does not end is reported`() async throws {
        _ = await peripheral.connect()
        try await peripheral.saw("connected 02")
        await peripheral.daemon.react(to: "Disconnect", with: .refuse("Failed"))
        #expect(await peripheral.perform(.disconnect(central: nil)).error == "no central is connected")
        #expect(peripheral.lines.last?.hasPrefix("failed: cannot disconnect 02: ") == true)
    }

    @Test func `links end when no other central can connect any longer`() async throws {
        let central = await peripheral.connect()
        try await peripheral.saw("connected 02")
        let order = Journal()
        await peripheral.daemon.react(
            to: "UnregisterAdvertisement",
            with: .handler { call in
                Later.run(after: .milliseconds(50)) {
                    order.note("it has stopped advertising")
                    call.resume()
                }
            })
        await peripheral.endLinks { _ in
            order.note("the link ends")
            central.lose()
        }
        try await peripheral.end()
        #expect(order.lines == ["it has stopped advertising", "the link ends"])
    }

    @Test func `stopping ends the links`() async throws {
        let central = await peripheral.connect()
        try await peripheral.saw("connected 02")
        try await peripheral.end()
        #expect(await !central.isConnected)
    }
}
