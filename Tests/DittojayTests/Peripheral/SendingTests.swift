import CoreBluetooth
import Foundation
import GATTProfiles
import TestSupport
import Testing

@testable import Dittojay

/// What a peripheral sends: chirps, bursts, generated values, and what goes wrong with them.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct SendingTests {
    private func run(_ profile: PeripheralProfile = .lab) async throws -> (Simulation, FakeDevice) {
        let peripheral = try await Simulation(profile)
        try await peripheral.run()
        let central = await peripheral.connect()
        try await peripheral.saw("connected 02")
        return (peripheral, central)
    }

    /// The chirp of the built-in profile, changed.
    private func profile(_ change: (inout CharacteristicProfile) -> Void) -> PeripheralProfile {
        var profile = PeripheralProfile(name: "test", localName: "Test", services: [.chirp])
        change(&profile.services[0].characteristics[0])
        return profile
    }

    // MARK: At the user's wish

    @Test func `a chirp reaches its subscribers`() async throws {
        let (peripheral, central) = try await run()
        #expect(await peripheral.perform(.chirp([1])).subscribers == 0)
        let chirp = try await peripheral.subscribed(ChirpService.chirp, by: central, mtu: 23)
        #expect(await peripheral.perform(.chirp([2])).subscribers == 1)
        #expect(await peripheral.perform(.chirp([])).subscribers == 1)
        #expect(
            await peripheral.perform(.chirp([UInt8](repeating: 0, count: 21))).error
                == "chirp too long: 21 bytes (limit 20 in a notification at the subscriber's MTU)")
        try await eventually("the chirps") { chirp.notifications == [Data([2]), Data()] }
        #expect(peripheral.lines.suffix(2) == ["chirped 02: to 1 subscriber", "chirped (empty): to 1 subscriber"])
        #expect(peripheral.status.notifications == 2)
    }

    @Test func `a chirp that cannot be sent is refused`() async throws {
        let (peripheral, central) = try await run()
        let chirp = try await peripheral.subscribed(ChirpService.chirp, by: central, reads: false)
        var count = 0
        while await peripheral.perform(.chirp([UInt8](repeating: 0, count: 500))).ok { count += 1 }
        #expect(
            await peripheral.perform(.chirp([1])).error == "too many chirps are queued for the link")
        try await eventually("all that were taken") {
            chirp.readSocket()
            return chirp.notifications.count == count
        }
        #expect(await peripheral.perform(.removeService("chirp")).ok)
        #expect(await peripheral.perform(.chirp([1])).error == "the service chirp is withdrawn")
        let (mute, _) = try await run(PeripheralProfile(name: "mute", localName: "Mute", services: [.pairing]))
        #expect(await mute.perform(.chirp([1])).error == "the profile mute has no characteristic that chirps")
        let (loud, _) = try await run(PeripheralProfile(name: "loud", localName: "Loud", services: [.heartRate]))
        #expect(
            await loud.perform(.chirp([1])).error
                == "the profile loud has no characteristic that chirps: use \"send CHARACTERISTIC VALUE\", with one of "
                + "heart-rate/heart-rate-measurement")
        #expect(
            await mute.perform(.burst(count: 1, size: 4, rate: nil)).error
                == "the profile mute has no characteristic that chirps")
    }

    @Test func `a value is sent and set by hand`() async throws {
        let (peripheral, central) = try await run(PeripheralProfile(name: "test", localName: "Test", services: [.lab]))
        #expect(await peripheral.perform(.send(characteristic: "echo", value: [1])).subscribers == 0)
        let echo = try await peripheral.subscribed(LabService.echo, by: central, mtu: 23)
        #expect(await peripheral.perform(.send(characteristic: "lab/echo", value: [2])).subscribers == 1)
        #expect(
            await peripheral.perform(.send(characteristic: "echo", value: [UInt8](repeating: 0, count: 21))).error
                == "value too long: 21 bytes (limit 20 in a notification at the subscriber's MTU)")
        try await eventually("the value") { echo.notifications == [Data([2])] }
        #expect(peripheral.lines.last == "sent echo 02: to 1 subscriber")

        #expect(await peripheral.perform(.set(characteristic: "store", value: [7, 8])).ok)
        #expect(peripheral.lines.last == "set store 0708")
        let store = try await peripheral.characteristic(LabService.store)
        #expect(try await store.read(by: central) == Data([7, 8]))
    }

    @Test func `a value that cannot be sent or set is refused`() async throws {
        let (peripheral, _) = try await run()
        for (request, error) in [
            (
                ControlRequest.send(characteristic: "store", value: [1]),
                "has neither the notify nor the indicate property"
            ),
            (.set(characteristic: "echo", value: [1]), "does not have the read property"),
            (.set(characteristic: "sink-count", value: [1]), "is a write counter: its value cannot be set"),
            (.set(characteristic: "nothing", value: [1]), "unknown characteristic \"nothing\""),
        ] {
            #expect(await peripheral.perform(request).error?.contains(error) == true, "\(request)")
        }
        #expect(await peripheral.perform(.removeService("lab")).ok)
        #expect(
            await peripheral.perform(.send(characteristic: "echo", value: [1])).error == "the service lab is withdrawn")
    }

    @Test(arguments: [nil, 20_000.0])
    func `a burst arrives whole and in order`(rate: Double?) async throws {
        let (peripheral, central) = try await run()
        let chirp = try await peripheral.subscribed(ChirpService.chirp, by: central)
        let answer = await peripheral.perform(.burst(count: 1000, size: 20, rate: rate), advancing: 0.06)
        #expect(answer.sent == 1000)
        try await eventually("all values") { chirp.notifications.count == 1000 }
        let numbers = await chirp.notifications.map { ChirpService.Burst.number(in: $0) ?? .max }
        #expect(numbers == Array(0..<1000))
    }

    @Test func `a burst that cannot be is refused`() async throws {
        let (peripheral, central) = try await run()
        #expect(
            await peripheral.perform(.burst(count: 1, size: 4, rate: nil)).error == "no central is subscribed to chirp")
        _ = try await peripheral.subscribed(ChirpService.chirp, by: central, mtu: 23)
        #expect(
            await peripheral.perform(.burst(count: 1, size: 21, rate: nil)).error
                == "size too large: 21 bytes (limit 20 in a notification at the subscriber's MTU)")
        async let first = peripheral.perform(.burst(count: 1000, size: 4, rate: 1))
        try await eventually("the burst has begun") { peripheral.status.notifications > 0 }
        #expect(
            await peripheral.perform(.burst(count: 1, size: 4, rate: nil)).error == "a burst is already in progress")
        await central.lose()
        #expect(await first.error == "the last subscriber left after 1 of 1000 notifications")
    }

    @Test func `a burst ends with the power`() async throws {
        let (peripheral, central) = try await run()
        _ = try await peripheral.subscribed(ChirpService.chirp, by: central)
        async let burst = peripheral.perform(.burst(count: 1000, size: 4, rate: 1))
        try await eventually("the burst has begun") { peripheral.status.notifications > 0 }
        await peripheral.daemon.adapter.power(false)
        // The link ends first, or the power is seen first.
        let error = try #require(await burst.error)
        #expect(error.hasSuffix(" after 1 of 1000 notifications"))
    }

    @Test func `a burst ends with the peripheral`() async throws {
        let (peripheral, central) = try await run()
        _ = try await peripheral.subscribed(ChirpService.chirp, by: central)
        async let burst = peripheral.perform(.burst(count: 1000, size: 4, rate: 1))
        try await eventually("the burst has begun") { peripheral.status.notifications > 0 }
        #expect(await peripheral.perform(.quit).ok)
        #expect(await burst.error == "dittojay was stopped after 1 of 1000 notifications")
        try await peripheral.saw("ended")
    }

    // MARK: By itself

    @Test func `a heart is measured while somebody listens`() async throws {
        var profile = PeripheralProfile.default
        profile.changeHeartRates { $0.interval = 0.02 }
        let (peripheral, central) = try await run(profile)
        let rate = try await peripheral.subscribed("2A37", by: central)
        peripheral.advance(by: 0.07)
        try await eventually("three measurements") { rate.notifications.count == 3 }
        #expect(peripheral.status.heartRate != nil)
        try await rate.unsubscribe()
        try await peripheral.saw("unsubscribed heart-rate-measurement by 02 (MTU 517)")
    }

    @Test func `generated values are read back`() async throws {
        let (peripheral, central) = try await run(
            profile {
                $0.properties = [.read, .notify]
                $0.notifications = NotificationPlan(interval: 0.02, source: .list([[1], [2]], repeats: false))
            })
        let chirp = try await peripheral.subscribed(ChirpService.chirp, by: central)
        peripheral.advance(by: 1)
        try await eventually("both") { chirp.notifications == [Data([1]), Data([2])] }
        #expect(try await chirp.read(by: central) == Data([2]))
    }

    @Test func `values are split as the profile says`() async throws {
        let (peripheral, central) = try await run(profile { $0.pieceSizes = 1...3 })
        let chirp = try await peripheral.subscribed(ChirpService.chirp, by: central)
        let value = [UInt8](0..<20)
        #expect(await peripheral.perform(.chirp(value)).ok)
        try await eventually("all pieces") { chirp.notifications.joined().elementsEqual(value) }
        #expect(await chirp.notifications.allSatisfy { (1...3).contains($0.count) })
    }

    // MARK: Wrong on purpose

    @Test func `a flood comes with the subscription`() async throws {
        let (peripheral, central) = try await run(
            profile { $0.faults = [Fault(on: .subscribe, .flood(count: 600, value: nil))] })
        let chirp = try await peripheral.subscribed(ChirpService.chirp, by: central)
        try await eventually("the flood") { chirp.notifications.count == 600 }
        try await peripheral.saw("fault chirp: a flood of 600 values")
    }

    @Test func `a value is lost`() async throws {
        let (peripheral, central) = try await run(
            profile { $0.faults = [Fault(on: .notify, .drop, skip: 1, times: 1)] })
        let chirp = try await peripheral.subscribed(ChirpService.chirp, by: central)
        for number: UInt8 in 1...3 { #expect(await peripheral.perform(.chirp([number])).ok) }
        try await eventually("the others") { chirp.notifications == [Data([1]), Data([3])] }
        #expect(peripheral.lines.contains("fault chirp: the value is lost"))
    }

    @Test func `the link ends instead of a value`() async throws {
        let (peripheral, central) = try await run(
            profile { $0.faults = [Fault(on: .notify, .disconnect, skip: 1, times: 1)] })
        let chirp = try await peripheral.subscribed(ChirpService.chirp, by: central)
        await peripheral.daemon.react(to: "Disconnect", with: .late(.milliseconds(50)))
        for number: UInt8 in 1...3 { #expect(await peripheral.perform(.chirp([number])).ok) }
        try await peripheral.hasCentrals([])
        #expect(await chirp.notifications == [Data([1])])
        #expect(await !central.isConnected)
        #expect(await peripheral.daemon.count(of: "Disconnect") == 1)
    }

    // MARK: What goes wrong

    @Test func `a value is doubled, cut, filled up, late or lost`() async throws {
        let (peripheral, central) = try await run()
        let chirp = try await peripheral.subscribed(ChirpService.chirp, by: central)
        func add(_ action: Fault.Action) async {
            let fault = Fault(on: .notify, action, times: 1)
            #expect(await peripheral.perform(.addFault(characteristic: "chirp/chirp", fault)).ok)
        }
        for (number, action) in ([.duplicate, .resize(1), .resize(4), .drop, .delay(0.2)] as [Fault.Action])
            .enumerated()
        {
            await add(action)
            let value = UInt8(truncatingIfNeeded: number)
            #expect(await peripheral.perform(.chirp([value, 9])).ok)
        }
        #expect(await peripheral.perform(.chirp([7])).ok)
        let expected: [[UInt8]] = [[0, 9], [0, 9], [1], [2, 9, 0, 0], [7], [4, 9]]
        try await eventually("all but the late one") { chirp.notifications == expected.dropLast().map { Data($0) } }
        peripheral.advance(by: 0.21)
        try await eventually("the late one") { chirp.notifications == expected.map { Data($0) } }
        #expect(
            peripheral.lines.filter { $0.hasPrefix("fault") } == [
                "fault chirp: the value is sent twice", "fault chirp: a value of 1 byte",
                "fault chirp: a value of 4 bytes", "fault chirp: the value is lost", "fault chirp: a delay of 200 ms",
            ])
    }

    @Test func `a doubled value is sent twice when there is room again`() async throws {
        let (peripheral, central) = try await run()
        let chirp = try await peripheral.subscribed(ChirpService.chirp, by: central, reads: false)
        let fault = Fault(on: .notify, .duplicate)
        #expect(await peripheral.perform(.addFault(characteristic: "chirp/chirp", fault)).ok)
        var count = 0
        while await peripheral.perform(.chirp([UInt8](repeating: UInt8(truncatingIfNeeded: count), count: 500))).ok {
            count += 1
        }
        try await eventually("all that were taken, twice") {
            chirp.readSocket()
            return chirp.notifications.count == 2 * count
        }
        #expect(
            await chirp.notifications.map(\.first)
                == (0..<count).flatMap { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: 2) })
    }

    @Test func `while it is silent nothing is sent, and requests wait`() async throws {
        let (peripheral, central) = try await run()
        let chirp = try await peripheral.subscribed(ChirpService.chirp, by: central)
        let store = try await peripheral.characteristic(LabService.store)
        #expect(await peripheral.perform(.silence(0.3)).ok)
        #expect(await peripheral.perform(.silence(0.1)).ok)
        #expect(await peripheral.perform(.chirp([1])).ok)
        async let write: Void = store.write(Data([5]), by: central)
        try await eventually("the write") { peripheral.queue.sync { peripheral.peripheral.requests.held.count == 1 } }
        peripheral.advance(by: 0.29)
        #expect(peripheral.status.writes == 0)
        peripheral.advance(by: 0.02)
        try await write
        #expect(try await store.read(by: central) == Data([5]))
        #expect(await peripheral.perform(.chirp([2])).ok)
        try await eventually("the chirp after it") { chirp.notifications == [Data([2])] }
        #expect(peripheral.lines.contains("fault: silence for 300 ms"))
        let chirps = peripheral.lines.filter { $0.hasPrefix("chirped") }
        #expect(chirps == ["chirped 01: kept back: silence", "chirped 02: to 1 subscriber"])
    }

    @Test func `a read gives another length`() async throws {
        let (peripheral, central) = try await run()
        let store = try await peripheral.characteristic(LabService.store)
        try await store.write(Data([1, 2, 3]), by: central)
        for (size, value) in [(2, [1, 2]), (5, [1, 2, 3, 0, 0]), (0, [])] as [(Int, [UInt8])] {
            let fault = Fault(on: .read, .resize(size), times: 1)
            #expect(await peripheral.perform(.addFault(characteristic: "lab/store", fault)).ok)
            #expect(try await store.read(by: central) == Data(value))
        }
        #expect(try await store.read(by: central) == Data([1, 2, 3]))
    }
}
