import Foundation
import TestSupport
import Testing

@testable import Dittojay

/// Standard services in a peripheral: what follows from requests, and what a user cannot change.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct StandardServiceTests {
    private func run(_ name: String) async throws -> (Simulation, FakeDevice) {
        let peripheral = try await Simulation(try #require(PeripheralProfile.builtIn(named: name)))
        try await peripheral.run()
        let central = await peripheral.connect()
        try await peripheral.saw("connected 02")
        return (peripheral, central)
    }

    @Test func `what follows from a request is sent after its answer, value by value`() async throws {
        let (peripheral, central) = try await run("glucose")
        let measurement = try await peripheral.characteristic(Glucose.measurement)
        try await measurement.subscribe(by: central, mtu: 517, reads: true)
        let control = try await peripheral.characteristic(Glucose.recordAccess)
        try await control.subscribe(by: central, mtu: 517, reads: true)
        try await peripheral.sawLine(beginning: "subscribed record-access-control-point")
        try await control.write(Data([1, 1]), by: central)
        peripheral.advance(by: 10)
        try await eventually("the response") { control.notifications == [Data([6, 0, 1, 1])] }
        try await eventually("all records") { measurement.notifications.count == 12 }
        let lines = peripheral.lines.filter { !$0.hasPrefix("subscribed") && !$0.hasPrefix("read") }
        let written = try #require(lines.firstIndex { $0.hasPrefix("written record-access-control-point 0101") })
        #expect(lines[(written + 1)...].allSatisfy { $0.hasPrefix("sent ") }, "\(lines)")
        #expect(lines.last == "sent record-access-control-point 06000101: to 1 subscriber")
    }

    @Test func `nothing more follows once nobody is subscribed`() async throws {
        let (peripheral, central) = try await run("glucose")
        for uuid in [Glucose.measurement, Glucose.recordAccess] {
            try await peripheral.characteristic(uuid).subscribe(by: central, mtu: 517, reads: true)
        }
        try await peripheral.sawLine(beginning: "subscribed record-access-control-point")
        let control = try await peripheral.characteristic(Glucose.recordAccess)
        try await control.write(Data([1, 1]), by: central)
        peripheral.advance(by: 0.03)
        #expect(peripheral.lines.last?.hasPrefix("sent glucose-measurement") == true)
        try await control.unsubscribe()
        try await peripheral.sawLine(beginning: "unsubscribed record-access-control-point")
        let count = peripheral.lines.count { $0.hasPrefix("sent ") }
        // The value that was under way, and no others: nobody gets a response either.
        try await control.subscribe(by: central, mtu: 517, reads: true)
        try await control.write(Data([4, 1]), by: central)
        peripheral.advance(by: 10)
        try await eventually("the number") { control.notifications.last == Data([5, 0, 12, 0]) }
        #expect(peripheral.lines.count { $0.hasPrefix("sent ") } <= count + 2)
    }

    @Test func `a simulated value cannot be set`() async throws {
        let (peripheral, _) = try await run("cycling-power")
        let reply = await peripheral.perform(.set(characteristic: "sensor-location", value: [1]))
        #expect(reply.error == "cycling-power/sensor-location is simulated: its value cannot be set")
    }
}
