import BluetoothLab
import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

/// What bluejay says when pairing fails.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct CentralPairingTests {
    private let daemon: FakeBluetoothd
    private let programs: Programs
    private static let device = "C0:00:00:00:00:01/random"
    private static let keyLoss =
        "it lost the keys of its pairing with this machine: run \"bluejay unpair \(device)\", and connect again"

    init() async throws {
        daemon = try await .start()
        programs = try Programs(on: daemon)
    }

    @LoopActor
    private func sensor(_ configure: @LoopActor (FakeDevice) -> Void) -> FakeDevice {
        let device = daemon.adapter.addDevice()
        device.addService(
            "180D", [.init("2A37", ["notify"]), .init("2A38", ["read", "write"], value: Data([1]))])
        configure(device)
        return device
    }

    /// A sensor of which a characteristic does not answer over the link that pairs.
    private func sensor(silentAtFirst uuid: String) async -> FakeDevice {
        await sensor { device in
            let silent = device.characteristic(uuid)
            silent?.needsPasskey = true
            daemon.react(
                to: "Disconnect", times: 1,
                with: .handler { call in
                    silent?.needsPasskey = false
                    call.resume()
                })
        }
    }

    @Test(arguments: [
        (["read", device, "2A38"], "cannot read body-sensor-location"),
        (["listen", device, "2A37"], "cannot listen to heart-rate-measurement"),
    ])
    func `a passkey is said to be wanted`(words: [String], attempt: String) async throws {
        _ = await sensor { device in
            for uuid in ["2A37", "2A38"] { device.characteristic(uuid)?.needsPasskey = true }
        }
        let central = try programs.run(["bluejay"] + words)
        // It waits for the answer over two links.
        #expect(try await central.exitStatus(within: .seconds(90)) == 6)
        #expect(
            central.lines == [
                "bluejay: \(attempt) of \(Self.device): ATT error 0x05: The device has not answered since pairing. "
                    + "It may require pairing with a passkey, which this program cannot enter; to enter a passkey, run \"bluejay unpair \(Self.device)\", then \"bluejay pair \(Self.device)\""
            ])
    }

    @Test(arguments: [
        (["read", device, "2A38"], "2A38", "chest"),
        (["write", device, "2A38", "u8:2", "--json"], "2A38", #""written":"02""#),
        (["listen", device, "2A37", "--count", "1", "--format", "hex"], "2A37", "0048"),
        (["info", device, "--values"], "2A38", "2A38 Body Sensor Location @0013 (read, write) = chest"),
    ])
    func `what was asked before the devices paired is asked again`(
        words: [String], asked: String, answer: String
    ) async throws {
        let device = await sensor(silentAtFirst: asked)
        let central = try programs.run(["bluejay"] + words)
        if words[0] == "listen" {
            let rate = try #require(await device.characteristic("2A37"))
            try await eventually("a subscription") { rate.isNotifying && !rate.needsPasskey }
            await rate.notify(Data([0, 72]))
        }
        #expect(try await central.exitStatus(within: .seconds(60)) == 0, "\(central.transcript)")
        #expect(central.standardOutput.contains { $0.contains(answer) }, "\(central.transcript)")
        let written = words[0] == "write" ? [Data([2])] : []
        #expect(await device.characteristic("2A38")?.written.map(\.value) == written)
        #expect(await daemon.count(of: "Connect") == 2)
    }

    @Test func `the end of the link while it pairs is said`() async throws {
        _ = await sensor { device in
            device.characteristic("2A38")?.needsPairing = true
            device.pairing = .refused
        }
        let read = try programs.run("bluejay", "read", Self.device, "2A38")
        #expect(try await read.exitStatus() == 6)
        let reason = "The device refused to pair, or the link was lost during pairing. Connect and try again"
        #expect(read.transcript.contains("ATT error 0x05: \(reason)"), "\(read.transcript)")
    }

    @Test(arguments: [["read", device, "2A38"], ["info", device], ["monitor", device]])
    func `lost keys are said to be lost`(words: [String]) async throws {
        _ = await sensor { device in
            device.set("Paired", .boolean(true))
            device.hasLostKeys = true
        }
        let central = try programs.run(["bluejay"] + words)
        #expect(try await central.exitStatus() == 5)
        #expect(central.lines == ["bluejay: cannot connect to \(Self.device): \(Self.keyLoss)"])
    }

    @Test func `a device that keeps forgotten keys is said to refuse`() async throws {
        _ = await sensor { device in
            device.resolutionTime = nil
            device.wantsEncryption = true
            device.pairing = .refused
        }
        let info = try programs.run("bluejay", "info", Self.device)
        #expect(try await info.exitStatus() == 5)
        #expect(info.transcript.contains("The device refused to pair. It may remember a pairing"))
    }

    @Test func `monitor says once that keys are lost and leaves pauses`() async throws {
        let device = await sensor { $0.set("Paired", .boolean(true)) }
        let monitor = try programs.run("bluejay", "monitor", Self.device)
        let rate = try #require(await device.characteristic("2A37"))
        try await eventually("a subscription") { rate.isNotifying }
        await loseKeys(device, true)
        await device.lose()
        // Two rounds of three attempts, with a pause between them.
        try await daemon.call("Connect", count: 7)
        let sentence = "no connection to Sensor: \(Self.keyLoss.replacing(Self.device, with: "Sensor")); trying again"
        #expect(monitor.lines.count { $0.contains(sentence) } == 1, "\(monitor.transcript)")
        await loseKeys(device, false)
        try await eventually("a subscription") { rate.isNotifying }
        await rate.notify(Data([0, 72]))
        try await monitor.line(containing: "72 bpm")
        #expect(try await monitor.interrupt() == 0)
    }

    @LoopActor
    private func loseKeys(_ device: FakeDevice, _ hasLostKeys: Bool) { device.hasLostKeys = hasLostKeys }

    @Test func `monitor says once that a passkey is wanted`() async throws {
        _ = await sensor { $0.characteristic("2A37")?.needsPasskey = true }
        let monitor = try programs.run("bluejay", "monitor", Self.device)
        try await monitor.line(
            containing: "cannot listen to the heart rates of Sensor: ATT error 0x05: ", within: .seconds(60))
        try await monitor.line(containing: "disconnected from Sensor")
        #expect(try await monitor.interrupt() == 0)
        #expect(monitor.lines.count { $0.contains("cannot listen") } == 1, "\(monitor.transcript)")
    }

    @Test(arguments: [false, true])
    func `a clone reads again what has made the devices pair and got no answer`(endsLink: Bool) async throws {
        if endsLink {
            let device = await sensor { _ in }
            await daemon.react(
                to: "ReadValue", times: 1,
                with: .handler { _ in
                    device.set("Paired", .boolean(true))
                    device.lose()
                })
        } else {
            _ = await sensor(silentAtFirst: "2A38")
        }
        let clone = try programs.run("bluejay", "clone", Self.device)
        #expect(try await clone.exitStatus() == 0, "\(clone.transcript)")
        #expect(
            clone.standardOutput.suffix(4) == [
                "      - uuid: body-sensor-location", "        properties: [read, write]", "        encrypted: [read]",
                "        value: hex:01",
            ], "\(clone.transcript)")
    }

    @Test func `a clone of a paired device does not take the services of a connection for advertised`() async throws {
        let device = await sensor { device in
            device.set("Paired", .boolean(true))
            device.comeUp()
            device.lose()
        }
        #expect(await device.isPaired)
        let clone = try programs.run("bluejay", "clone", Self.device)
        #expect(try await clone.exitStatus() == 0, "\(clone.transcript)")
        #expect(clone.standardOutput.contains("  - uuid: heart-rate"), "\(clone.transcript)")
        #expect(!clone.transcript.contains("advertised: true"), "\(clone.transcript)")
        #expect(clone.transcript.contains("not in the profile: which services it advertises: "), "\(clone.transcript)")
        #expect(!clone.transcript.contains("which is advertised but does not exist"), "\(clone.transcript)")
    }

    @Test func `a clone of a device that advertises Generic Attribute has its other services as advertised`()
        async throws
    {
        _ = await sensor { device in
            device.set("UUIDs", ["1801", "180D"].map(FakeService.fullUUID).busValue)
        }
        let clone = try programs.run("bluejay", "clone", Self.device)
        #expect(try await clone.exitStatus() == 0, "\(clone.transcript)")
        #expect(clone.standardOutput.contains("    advertised: true"), "\(clone.transcript)")
        #expect(!clone.transcript.contains("which services it advertises"), "\(clone.transcript)")
    }
}
