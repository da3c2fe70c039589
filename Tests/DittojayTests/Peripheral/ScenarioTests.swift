import Foundation
import GATTProfiles
import MainLoop
import TestSupport
import Testing

@testable import Dittojay

/// Scenarios as they are played, and services that come and go by command.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct ScenarioTests {
    private static let store = CharacteristicPath("lab", "store")
    private static let chirp = CharacteristicPath("chirp", "chirp")

    private func profile(_ steps: [ScenarioStep]) -> PeripheralProfile {
        var profile = PeripheralProfile.lab
        profile.scenario = steps
        return profile
    }

    @Test func `a scenario is played step by step`() async throws {
        let peripheral = try await Simulation(
            profile([
                .waitFor(.connected, on: nil), .set(Self.store, [7]), .waitFor(.read, on: Self.store),
                .waitFor(.written, on: Self.store), .waitFor(.subscribed, on: Self.chirp),
                .send(on: Self.chirp, values: [[1], [2]], interval: 0.01), .chirp([3]),
                .burst(count: 2, size: 4, rate: nil),
                .repeat(times: 2, [.chirp([4])]), .disconnect, .quit,
            ]))
        try await peripheral.run()
        let central = await peripheral.connect()
        let store = try await peripheral.characteristic(LabService.store)
        try await eventually("the value that was set") { peripheral.lines.contains("connected 02") }
        #expect(try await store.read(by: central) == Data([7]))
        try await store.write(Data([8]), by: central)
        let chirp = try await peripheral.characteristic(ChirpService.chirp)
        try await chirp.subscribe(by: central)
        try await peripheral.saw("sent chirp 01: to 1 subscriber")
        peripheral.advance(by: 0.02)
        try await peripheral.saw("ended")
        #expect(
            peripheral.lines.filter { $0.hasPrefix("sent") || $0.hasPrefix("chirped") } == [
                "sent chirp 01: to 1 subscriber", "sent chirp 02: to 1 subscriber", "chirped 03: to 1 subscriber",
                "chirped 04: to 1 subscriber", "chirped 04: to 1 subscriber",
            ])
        #expect(await !central.isConnected)
    }

    @Test func `a subscription over the link that was ended is not waited for as one over the next`() async throws {
        let peripheral = try await Simulation(
            profile([
                .waitFor(.subscribed, on: Self.chirp), .disconnect, .waitFor(.subscribed, on: Self.chirp), .chirp([9]),
            ]))
        try await peripheral.run()
        let central = await peripheral.connect()
        await central.setReportTime(.milliseconds(50))
        let chirp = try await peripheral.characteristic(ChirpService.chirp)
        try await chirp.subscribe(by: central)
        try await peripheral.saw("disconnected 02 (MTU 517)")
        #expect(!peripheral.lines.contains { $0.hasPrefix("chirped") })
        await central.comeUp()
        try await peripheral.saw("connected 02", count: 2)
        try await chirp.subscribe(by: central)
        try await peripheral.saw("chirped 09: to 1 subscriber")
    }

    @Test func `what is the case already is not waited for`() async throws {
        var profile = PeripheralProfile.lab
        profile.services[0].characteristics[1].writes?.reactions = [
            WriteReaction(
                .any, .play([.waitFor(.connected, on: nil), .waitFor(.subscribed, on: Self.chirp), .chirp([9])]))
        ]
        let peripheral = try await Simulation(profile)
        try await peripheral.run()
        let central = await peripheral.connect()
        try await peripheral.saw("connected 02")
        _ = try await peripheral.subscribed(ChirpService.chirp, by: central)
        try await peripheral.characteristic("2A38").write(Data([1]), by: central)
        try await peripheral.saw("chirped 09: to 1 subscriber")
    }

    @Test func `faults come and go by scenario`() async throws {
        let peripheral = try await Simulation(
            profile([
                .fault(Self.store, Fault(on: .read, .error(0x80))), .waitFor(.connected, on: nil),
                .waitFor(.written, on: Self.store), .clearFaults(Self.store),
                .resetCount(CharacteristicPath("lab", "sink")),
                .resetEnergy(CharacteristicPath("heart-rate", "heart-rate-measurement")),
            ]))
        try await peripheral.run()
        let central = await peripheral.connect()
        try await peripheral.saw("connected 02")
        let store = try await peripheral.characteristic(LabService.store)
        #expect(await attError { _ = try await store.read(by: central) } == 0x80)
        try await store.write(Data([1]), by: central)
        try await peripheral.saw("scenario: ended")
        #expect(try await store.read(by: central) == Data([1]))
    }

    @Test func `a step that fails is reported and the next is played`() async throws {
        let peripheral = try await Simulation(
            profile([.disconnect, .burst(count: 1, size: 4, rate: nil), .addService(nil), .wait(0.01)]))
        try await peripheral.run()
        try await peripheral.saw("failed: scenario: all services are already published")
        #expect(!peripheral.lines.contains("scenario: ended"))
        peripheral.advance(by: 0.02)
        #expect(peripheral.lines.last == "scenario: ended")
        #expect(
            peripheral.lines.filter { $0.hasPrefix("failed") } == [
                "failed: scenario: no central is connected", "failed: scenario: no central is subscribed to chirp",
                "failed: scenario: all services are already published",
            ])
    }

    @Test func `a value that is too long for the link is reported`() async throws {
        let peripheral = try await Simulation(
            profile([
                .waitFor(.subscribed, on: nil),
                .send(on: Self.chirp, values: [[UInt8](repeating: 1, count: 21)], interval: 0),
            ]))
        try await peripheral.run()
        let central = await peripheral.connect()
        _ = try await peripheral.subscribed(ChirpService.chirp, by: central, mtu: 23)
        try await peripheral.sawLine(beginning: "failed: scenario: a value of 21 bytes for chirp/chirp is truncated")
    }

    @Test func `a scenario ends with the peripheral`() async throws {
        let peripheral = try await Simulation(profile([.waitFor(.disconnected, on: nil), .chirp([1])]))
        try await peripheral.run()
        _ = await peripheral.connect()
        try await peripheral.saw("connected 02")
        // Which ends the link.
        try await peripheral.end()
        #expect(peripheral.lines.contains("disconnected 02"))
        #expect(!peripheral.lines.contains { $0.hasPrefix("chirped") })
    }

    // MARK: Services

    @Test func `services come and go`() async throws {
        let peripheral = try await Simulation()
        try await peripheral.run()
        let adapter = await peripheral.daemon.adapter
        #expect(await peripheral.perform(.removeService("chirp")).ok)
        try await peripheral.saw("service-removed chirp")
        try await eventually("three are left") { adapter.offeredServices.count == 3 }
        // What is advertised follows.
        try await peripheral.saw("advertising: \"Dittojay\" with heart-rate on hci0 00:AA:01:00:00:00")
        #expect(await peripheral.perform(.removeService("chirp")).error == "the service chirp is withdrawn")
        #expect(await peripheral.perform(.addService(ChirpService.uuid.lowercased())).ok)
        try await peripheral.saw("service-added chirp")
        #expect(await peripheral.perform(.addService("chirp")).error == "the service chirp is already published")
        #expect(
            await peripheral.perform(.addService("none")).error?.hasPrefix(
                "unknown service \"none\" in the profile lab; valid: ") == true)
        #expect(await peripheral.perform(.removeService(nil)).ok)
        try await eventually("none is left") { adapter.offeredServices.isEmpty }
        #expect(await peripheral.perform(.removeService(nil)).error == "no service is published")
        #expect(await peripheral.perform(.addService(nil)).ok)
        #expect(await adapter.offeredServices.count == 4)
    }

    @Test func `what was written outlives a registration`() async throws {
        let peripheral = try await Simulation()
        try await peripheral.run()
        let central = await peripheral.connect()
        try await peripheral.characteristic(LabService.store).write(Data([5]), by: central)
        #expect(await peripheral.perform(.removeService("lab")).ok)
        #expect(await peripheral.perform(.addService("lab")).ok)
        #expect(try await peripheral.characteristic(LabService.store).read(by: central) == Data([5]))
    }

    @Test func `a service that bluetoothd refuses is refused to the user`() async throws {
        let peripheral = try await Simulation()
        try await peripheral.run()
        #expect(await peripheral.perform(.removeService("chirp")).ok)
        await peripheral.daemon.react(to: "RegisterApplication", times: 1, with: .refuse("NotSupported"))
        let error = try #require(await peripheral.perform(.addService("chirp")).error)
        #expect(error.hasPrefix("cannot publish the service chirp: "))
        #expect(await peripheral.perform(.addService("chirp")).ok)
    }

    @Test @LoopActor func `a service that is withdrawn while it is published is answered`() async throws {
        let peripheral = try await Simulation()
        try await peripheral.run()
        let emptied = await peripheral.perform(.removeService(nil))
        #expect(emptied.ok)
        let daemon = peripheral.daemon
        daemon.react(to: "RegisterApplication", times: 1, with: .silent)
        async let added = peripheral.perform(.addService("chirp"))
        let call = try await daemon.call("RegisterApplication", count: 5)
        async let removed = peripheral.perform(.removeService(nil))
        let error = await added.error
        #expect(error == "the service chirp was withdrawn before it was published")
        call.resume()
        let answer = await removed
        #expect(answer.ok)
        try await daemon.call("UnregisterApplication", count: 5)
        try await eventually("none is left") { daemon.adapter.offeredServices.isEmpty }
    }

    @Test @LoopActor func `a service that is published when the power goes is answered`() async throws {
        let peripheral = try await Simulation()
        try await peripheral.run()
        let removed = await peripheral.perform(.removeService("chirp"))
        #expect(removed.ok)
        let daemon = peripheral.daemon
        daemon.react(to: "RegisterApplication", times: 1, with: .silent)
        async let added = peripheral.perform(.addService("chirp"))
        let call = try await daemon.call("RegisterApplication", count: 5)
        daemon.adapter.power(false)
        let error = await added.error
        #expect(error == "Bluetooth was switched off before chirp was published")
        call.resume()
        daemon.adapter.power(true)
        try await eventually("all are back") { daemon.adapter.offeredServices.count == 4 }
    }
}

extension FakeDevice {
    fileprivate func setReportTime(_ time: Duration) { reportTime = time }
}
