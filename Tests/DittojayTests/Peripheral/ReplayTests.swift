import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import Dittojay

/// How the recording of a profile is sent.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct ReplayTests {
    private static let rate = CharacteristicPath("heart-rate", "rate")
    private static let level = CharacteristicPath("battery", "level")

    /// Two characteristics, and what they have sent.
    private func profile(
        _ values: [(Double, CharacteristicPath, UInt8)], pace: Double = 1, repeats: Bool = false
    ) -> PeripheralProfile {
        PeripheralProfile(
            name: "test", localName: "Test",
            services: [
                .init(
                    name: "heart-rate", uuid: "180D",
                    characteristics: [.init(name: "rate", uuid: "2A37", properties: [.read, .notify])]),
                .init(
                    name: "battery", uuid: "180F",
                    characteristics: [.init(name: "level", uuid: "2A19", properties: [.notify])]),
            ],
            recording: Recording(
                values: values.map { .init(time: $0.0, characteristic: $0.1, bytes: [$0.2]) }, pace: pace,
                repeats: repeats))
    }

    private func run(_ profile: PeripheralProfile) async throws -> (Simulation, FakeDevice) {
        let peripheral = try await Simulation(profile)
        try await peripheral.run()
        let central = await peripheral.connect()
        try await peripheral.saw("connected 02")
        return (peripheral, central)
    }

    @Test func `it begins when everything is subscribed, keeps its order, and is read back`() async throws {
        let (peripheral, central) = try await run(
            profile([(0, Self.rate, 1), (0, Self.level, 2), (0.05, Self.rate, 3), (0.1, Self.level, 4)]))
        let rate = try await peripheral.subscribed("2A37", by: central)
        #expect(!peripheral.lines.contains("recording: began"))
        let level = try await peripheral.subscribed("2A19", by: central)
        peripheral.advance(by: 0.09)
        #expect(peripheral.lines.last == "recording: began")
        peripheral.advance(by: 0.02)
        #expect(peripheral.lines.last == "recording: ended")
        try await eventually("all values") {
            rate.notifications == [Data([1]), Data([3])] && level.notifications == [Data([2]), Data([4])]
        }
        #expect(try await rate.read(by: central) == Data([3]))
        #expect(peripheral.lines.filter { $0.hasPrefix("recording") } == ["recording: began", "recording: ended"])
    }

    @Test func `without a subscription to everything it begins later, and leaves values out`() async throws {
        let (peripheral, central) = try await run(profile([(0, Self.level, 2), (0, Self.rate, 1)]))
        let rate = try await peripheral.subscribed("2A37", by: central)
        peripheral.advance(by: Recording.startDelay - 0.01)
        #expect(!peripheral.lines.contains("recording: began"))
        peripheral.advance(by: 0.02)
        #expect(peripheral.lines.last == "recording: ended")
        try await eventually("the value") { rate.notifications == [Data([1])] }
        let level = try await peripheral.subscribed("2A19", by: central)
        #expect(await level.notifications.isEmpty)
    }

    @Test func `it begins again with the next subscription, whatever the host has subscribed to`() async throws {
        let (peripheral, central) = try await run(profile([(0, Self.rate, 1), (3600, Self.level, 2)]))
        _ = try await peripheral.subscribed("2A19", by: central)
        let rate = try await peripheral.subscribed("2A37", by: central)
        for count in 1...3 {
            peripheral.advance(by: 3599)
            try await eventually("the first value") { rate.notifications.count == count }
            try await rate.unsubscribe()
            try await peripheral.saw("unsubscribed rate by 02 (MTU 517)", count: count)
            try await peripheral.subscribe(rate, by: central)
        }
        peripheral.advance(by: 3599)
        #expect(peripheral.lines.count { $0 == "recording: began" } == 4)
        #expect(!peripheral.lines.contains("recording: ended"))
    }

    @Test func `a recording of a battery's level alone begins with it`() async throws {
        let (peripheral, central) = try await run(profile([(0, Self.level, 2)]))
        let level = try await peripheral.subscribed("2A19", by: central)
        peripheral.advance(by: Recording.startDelay)
        #expect(peripheral.lines.last == "recording: ended")
        try await eventually("the value") { level.notifications == [Data([2])] }
    }

    @Test func `a subscription to a battery's level has that sent, and another one begins everything`() async throws {
        let (peripheral, central) = try await run(
            profile([(0.1, Self.level, 2), (0.2, Self.rate, 1), (10, Self.level, 3), (20, Self.rate, 4)]))
        let level = try await peripheral.subscribed("2A19", by: central)
        peripheral.advance(by: Recording.startDelay + 15)
        try await eventually("the levels") { level.notifications == [Data([2]), Data([3])] }
        #expect(!peripheral.lines.contains("recording: began"))
        let rate = try await peripheral.subscribed("2A37", by: central)
        peripheral.advance(by: 15)
        try await eventually("the values") {
            rate.notifications == [Data([1])] && level.notifications == [2, 3, 2, 3].map { Data([$0]) }
        }
        #expect(peripheral.lines.last == "recording: began")
    }

    @Test func `ten minutes pass in a second at a thousand times the pace`() async throws {
        let values = (0..<600).map { number in
            (Double(number), number % 2 == 0 ? Self.rate : Self.level, UInt8(truncatingIfNeeded: number))
        }
        let (peripheral, central) = try await run(profile(values, pace: 1000))
        let rate = try await peripheral.subscribed("2A37", by: central)
        let level = try await peripheral.subscribed("2A19", by: central)
        peripheral.advance(by: 0.59)
        #expect(peripheral.lines.last == "recording: began")
        peripheral.advance(by: 0.01)
        try await peripheral.saw("recording: ended")
        try await eventually("all values") { rate.notifications.count == 300 && level.notifications.count == 300 }
        #expect(await rate.notifications == values.filter { $0.1 == Self.rate }.map { Data([$0.2]) })
    }

    @Test func `it is repeated until nobody listens`() async throws {
        let (peripheral, central) = try await run(profile([(0, Self.rate, 1), (0.02, Self.level, 2)], repeats: true))
        let rate = try await peripheral.subscribed("2A37", by: central)
        _ = try await peripheral.subscribed("2A19", by: central)
        peripheral.advance(by: 0.09)
        try await eventually("five rounds") { rate.notifications.count == 5 }
        try await rate.unsubscribe()
        try await peripheral.saw("unsubscribed rate by 02 (MTU 517)")
        peripheral.advance(by: 1)
        #expect(peripheral.lines.filter { $0.hasPrefix("recording") } == ["recording: began"])
        #expect(await rate.notifications.count == 5)
    }

    @Test func `a round without a length does not take all the time there is`() async throws {
        let (peripheral, central) = try await run(profile([(0, Self.rate, 1)], pace: 1000, repeats: true))
        _ = try await peripheral.subscribed("2A19", by: central)
        let rate = try await peripheral.subscribed("2A37", by: central)
        peripheral.advance(by: 9.5 * Recording.shortestRound)
        try await eventually("ten rounds") { rate.notifications.count == 10 }
    }

    @Test func `what the link does not take is late, and not lost`() async throws {
        let count = 3000
        let values = (0..<count).map { (0.0, Self.rate, UInt8(truncatingIfNeeded: $0)) }
        let (peripheral, central) = try await run(profile(values))
        _ = try await peripheral.subscribed("2A19", by: central)
        let rate = try await peripheral.subscribed("2A37", by: central, reads: false)
        peripheral.advance(by: 0)
        #expect(peripheral.lines.last == "recording: began")
        try await eventually("all values") {
            rate.readSocket()
            return rate.notifications.count == count
        }
        #expect(await rate.notifications == values.map { Data([$0.2]) })
        try await peripheral.saw("recording: ended")
    }

    @Test func `a service that is withdrawn takes its part with it`() async throws {
        let count = 3000
        let values = (0..<count).map { (0.0, Self.rate, UInt8(truncatingIfNeeded: $0)) }
        let (peripheral, central) = try await run(profile(values + [(0, Self.level, 2), (0, Self.rate, 3)]))
        let level = try await peripheral.subscribed("2A19", by: central)
        // The link does not take all of the first part, so that the rest is still to come.
        let rate = try await peripheral.subscribed("2A37", by: central, reads: false)
        peripheral.advance(by: 0)
        #expect(peripheral.lines.last == "recording: began")
        #expect(await peripheral.perform(.removeService("battery")).ok)
        #expect(!peripheral.lines.contains("recording: ended"))
        try await eventually("the rest") {
            rate.readSocket()
            return rate.notifications.count == count + 1
        }
        #expect(await rate.notifications.last == Data([3]))
        try await peripheral.saw("recording: ended")
        #expect(await level.notifications.isEmpty)
    }
}
