import BluetoothLab
import Foundation
import MainLoop
import TestSupport
import Testing

/// bluejay record: what is in its file, and how it ends.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct CentralRecordingTests {
    private let daemon: FakeBluetoothd
    private let programs: Programs
    private let file: String
    private static let device = "C0:00:00:00:00:01/random"

    init() async throws {
        daemon = try await .start()
        programs = try Programs(on: daemon)
        file = programs.folder.path + "/record.yaml"
    }

    @LoopActor @discardableResult
    private func sensor() -> FakeDevice {
        let device = daemon.adapter.addDevice(name: "Sensor")
        device.addService("180D", [.init("2A37", ["notify"]), .init("2A38", ["read"], value: Data([1]))])
        device.addService("180F", [.init("2A19", ["read", "notify"], value: Data([90]))])
        return device
    }

    @LoopActor
    private func subscribed(_ uuid: String) async throws -> FakeCharacteristic {
        let characteristic = try #require(daemon.adapter.air.first?.characteristic(uuid))
        try await eventually("a subscription to \(uuid)") { !characteristic.subscribers.isEmpty }
        return characteristic
    }

    private func record(_ words: String...) throws -> ChildProcess {
        try programs.run(["bluejay", "record", Self.device, "--output", file] + words)
    }

    private func recorded() throws -> [String] {
        try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").filter { $0.contains(" s ") }
            .map { line in line.split(separator: " ").dropFirst(3).joined(separator: " ") }
    }

    @Test func `values of all characteristics are in the file in their order`() async throws {
        await sensor()
        let central = try record("--count", "3", "--json")
        let (rate, level) = (try await subscribed("2A37"), try await subscribed("2A19"))
        try await central.line(containing: #""event":"recording""#)
        await rate.notify(Data([0, 72]))
        await level.notify(Data())
        await rate.notify(Data([0, 73]))
        #expect(try await central.exitStatus() == 0, "\(central.transcript)")
        #expect(
            try recorded() == [
                "heart-rate-measurement hex:0048", "battery-level empty", "heart-rate-measurement hex:0049",
            ])
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("uuid: body-sensor-location\n        properties: [read]\n        value: hex:01\n"))
        #expect(central.transcript.contains(#""event":"recording","file":"\#(file)","characteristics":["heart"#))
        #expect(
            central.lines.last?.contains(#""services":2,"characteristics":3,"notInProfile":[],"values":3,"#) == true)
    }

    @Test func `a read that is not answered becomes a fault, and everything else is read and recorded`() async throws {
        let device = await sensor()
        let path = try #require(await device.characteristic("2A38")?.path)
        await daemon.react(to: "ReadValue", at: path, with: .silent)
        let clone = try programs.run("bluejay", "clone", Self.device, "--output", file, "--answer-timeout", "0.5")
        #expect(try await clone.exitStatus() == 0, "\(clone.transcript)")
        #expect(await daemon.count(of: "Connect") == 2)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("properties: [read]\n        faults: [{on: read, no-answer: true}]\n"), "\(text)")
        #expect(text.contains("uuid: battery-level\n        properties: [read, notify]\n        value: hex:5a\n"))
        let central = try record("--count", "1", "--json", "--force", "--answer-timeout", "0.5")
        let rate = try await subscribed("2A37")
        try await central.line(containing: #""event":"recording""#)
        await rate.notify(Data([0, 72]))
        #expect(try await central.exitStatus() == 0, "\(central.transcript)")
        #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix(text))
        #expect(try recorded() == ["heart-rate-measurement hex:0048"])
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal ends it, and what has come is in the file`(signal: Int32) async throws {
        await sensor()
        let central = try record()
        await (try await subscribed("2A37")).notify(Data([0, 72]))
        _ = try await subscribed("2A19")
        try await central.line(containing: "recording 2 characteristics to \(file)")
        try await eventually("the value") { (try? self.recorded().count) == 1 }
        central.signal(signal)
        #expect(try await central.exitStatus() == 0, "\(central.transcript)")
        #expect(central.lines.last?.contains("\(file): 2 services with 3 characteristics, 1 value of 1 ") == true)
        #expect(try recorded() == ["heart-rate-measurement hex:0048"])
    }

    @Test func `what has come is in the file when it is killed`() async throws {
        await sensor()
        let central = try record()
        let rate = try await subscribed("2A37")
        for number: UInt8 in 0..<20 { await rate.notify(Data([0, number])) }
        try await eventually("the values") { (try? self.recorded().count) == 20 }
        central.signal(SIGKILL)
        _ = try await central.exitStatus()
        let check = try programs.run("dittojay", "check", file)
        #expect(try await check.exitStatus() == 0, "\(check.transcript)")
        #expect(check.lines.last?.hasPrefix("recording of 20 values of 1 characteristic in ") == true)
    }

    @Test func `the end of the link ends it with a status of its own`() async throws {
        let device = await sensor()
        let central = try record("--count", "5", "--for", "60")
        await (try await subscribed("2A37")).notify(Data([0, 72]))
        _ = try await subscribed("2A19")
        try await central.line(containing: "recording 2 characteristics")
        try await eventually("the value") { (try? self.recorded().count) == 1 }
        await device.lose()
        #expect(try await central.exitStatus() == 5)
        #expect(
            central.transcript.contains("bluejay: stopped after 1 value: the connection was lost"),
            "\(central.transcript)")
        #expect(central.transcript.contains("\(file): 2 services with 3 characteristics, 1 value of 1 "))
        #expect(try recorded().count == 1)
    }

    @Test func `time ends it, which is a failure if fewer values came than were asked for`() async throws {
        await sensor()
        #expect(try await record("--for", "0.3").exitStatus() == 0)
        #expect(try recorded().isEmpty)
        let check = try programs.run("dittojay", "check", file)
        #expect(try await check.exitStatus() == 0, "\(check.transcript)")
        let second = try record("--for", "0.3", "--count", "1", "--force")
        #expect(try await second.exitStatus() == 3)
        #expect(second.transcript.contains("bluejay: received only 0 of 1 values in 0.3 s"))
    }

    @Test func `a characteristic that refuses is left out, and without any there is nothing to record`() async throws {
        await sensor()
        await daemon.react(to: "StartNotify", times: 1, with: .refuse("NotSupported"))
        let central = try record("--count", "1")
        await (try await subscribed("2A37")).notify(Data([0, 72]))
        #expect(try await central.exitStatus() == 0, "\(central.transcript)")
        // The battery's level is listened to first.
        #expect(central.transcript.contains("bluejay: not recorded: cannot listen to battery-level of "))
        #expect(try recorded() == ["heart-rate-measurement hex:0048"])
    }

    @Test(arguments: [true, false])
    func `what does not answer, or ends the connection, is left out over the next one`(isMute: Bool) async throws {
        let device = await sensor()
        let level = try #require(await device.characteristic("2A19")?.path)
        await daemon.react(
            to: "StartNotify", at: level, with: isMute ? .silent : .handler { [weak device] _ in device?.lose() })
        let central = try record("--count", "1", "--timeout", "1")
        await (try await subscribed("2A37")).notify(Data([0, 72]))
        #expect(try await central.exitStatus() == 0, "\(central.transcript)")
        #expect(central.transcript.contains("bluejay: not recorded: cannot listen to battery-level of "))
        #expect(central.transcript.contains("recording 1 characteristic to "))
        #expect(try recorded() == ["heart-rate-measurement hex:0048"])
        #expect(await daemon.count(of: "StartNotify") == 2)
    }

    @Test func `a device that answers nothing is no device to record`() async throws {
        await sensor()
        await daemon.react(to: "StartNotify", with: .silent)
        let central = try record("--timeout", "1")
        #expect(try await central.exitStatus() == 3, "\(central.transcript)")
        #expect(await daemon.count(of: "StartNotify") == 2)
    }

    @Test func `with sockets it says which values are lost`() async throws {
        await sensor()
        let central = try record("--count", "1", "--sockets")
        try await central.line(containing: "recording 2 characteristics to ")
        let rate = try #require(await daemon.adapter.air.first?.characteristic("2A37"))
        await rate.notify(Data([0, 72]))
        #expect(try await central.exitStatus() == 0, "\(central.transcript)")
        #expect(central.transcript.split(separator: "\n").count { $0.contains("are lost: bluetoothd") } == 1)
    }

    @Test func `a device that sends nothing is no device to record`() async throws {
        await silent()
        let central = try record()
        #expect(try await central.exitStatus() == 7)
        #expect(central.lines.last?.contains("has nothing that notifies or indicates") == true)
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @LoopActor
    private func silent() {
        daemon.adapter.addDevice(name: "Silent").addService("180F", [.init("2A19", ["read"], value: Data([90]))])
    }

    @Test(arguments: [
        ["--count", "0"], ["--count", "100001"], ["--for", "0"], ["--for", "nan"], ["--for", "604801"],
    ])
    func `a limit that is none is wrong usage`(words: [String]) async throws {
        let central = try programs.run(["bluejay", "record", Self.device, "--output", file] + words)
        #expect(try await central.exitStatus() == 64)
    }

    @Test func `an existing file is not overwritten`() async throws {
        try "mine".write(toFile: file, atomically: true, encoding: .utf8)
        let central = try record()
        #expect(try await central.exitStatus() == 64)
        #expect(central.transcript.contains("\(file) already exists; use --force to overwrite it"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
    }
}
