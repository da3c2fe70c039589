import BluetoothLab
import Foundation
import MainLoop
import TestSupport
import Testing

/// What dittojay makes of its files and of what is typed.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct SensorInputTests {
    @Test func `a mistake in a file is one message and wrong usage`() async throws {
        let programs = try Programs()
        let path = programs.folder.url.appendingPathComponent("mistake.yaml")
        try "services:\n  - uid: 180D\n".write(to: path, atomically: false, encoding: .utf8)
        for arguments in [["run", "--profile", path.path], ["check", path.path]] {
            let process = try programs.run(["dittojay"] + arguments)
            #expect(try await process.exitStatus() == 64)
            #expect(process.lines.count == 1, "\(process.transcript)")
            #expect(process.transcript.contains("mistake.yaml:2:5: services[0]: "))
            #expect(process.transcript.contains("did you mean \"uuid\"?"))
        }
    }

    @Test func `lines that come before Bluetooth is ready are kept`() async throws {
        let daemon = try await FakeBluetoothd.start()
        await daemon.react(to: "RegisterAdvertisement", times: 1, with: .late(.milliseconds(50)))
        let process = try Programs(on: daemon).run("dittojay", "run", "--json", "--seed", "7", "--no-socket")
        try process.type("c early")
        try process.type("q")
        #expect(try await process.exitStatus(within: .seconds(30)) == 0)
        let events = try process.lines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
        }
        #expect(events.first?["seed"] as? Int == 7)
        #expect(events.first?["profile"] as? String == "default")
        #expect(events.compactMap { $0["event"] as? String } == ["started", "advertising", "chirped"])
    }

    @Test func `several peripherals have the free adapters, but not the one of the centrals`() async throws {
        let daemon = try await FakeBluetoothd.start(adapters: 4)
        await daemon.adapters[1].connectCentral()
        let process = try Programs(on: daemon).run(
            ["dittojay", "run", "--count", "2", "--name", "S{n}", "--seed", "7", "--no-socket"],
            environment: ["DITTOJAY_ADAPTER": "hci3", "BLUETOOTH_ADAPTER": "hci0"])
        try await process.line(containing: " hci3 advertising: \"S1\"")
        try await process.line(containing: " hci2 advertising: \"S2\"")
        try process.type("s")
        try await process.line(containing: "dittojay: several peripherals are running; specify one of hci3, hci2")
        try process.type("@hci2 c hello")
        try await process.line(containing: " hci2 chirped ")
        try process.type("p")
        try await process.line(containing: "hci2 S2 (profile default)")
        try process.type("@hci3 q")
        try await process.line(containing: " hci3 ended")
        try process.type("@hci2 q")
        #expect(try await process.exitStatus() == 0)
    }

    @Test func `one of several that fails is named, and its reason is the exit status`() async throws {
        let daemon = try await FakeBluetoothd.start(adapters: 2)
        await refuseAdvertising(on: daemon)
        let process = try Programs(on: daemon).run(
            "dittojay", "run", "lab", "lab", "--adapter", "hci0", "--adapter", "hci1", "--no-socket", "--quiet")
        let reason = "dittojay: hci0 ended: the Bluetooth adapter hci0 does not support the peripheral role"
        try await process.line(containing: reason)
        try process.type("q")
        #expect(try await process.exitStatus() == 4)
        #expect(process.lines == [reason], "once")
    }

    @Test(arguments: [
        (["--adapter", "hci0", "--adapter", "hci0"], "duplicate --adapter hci0"),
        (["--count", "2", "--adapter", "hci0"], "1 adapter for 2 peripherals"), (["--count", "0"], "from 1 to"),
        (["lab", "--profile", "lab"], "--profile cannot be combined with profile arguments"),
        (["--count", "10000", "lab", "lab"], "from 1 to"),
        (["--count", "9223372036854775807", "lab", "lab"], "from 1 to"),
        (
            ["--count", "100", "--name", "123456789012345678901234"],
            "is too long for an advertisement (limit 26 bytes)"
        ),
        (["--name", "{n}{n}{n}" + String(repeating: "x", count: 24)], "1 to 26 bytes"),
    ])
    func `what cannot be of several peripherals is wrong usage`(words: [String], message: String) async throws {
        let process = try Programs().run(["dittojay", "run"] + words)
        #expect(try await process.exitStatus() == 64)
        #expect(process.transcript.contains(message), "\(process.transcript)")
    }

    @Test(arguments: [
        (["DITTOJAY_ADAPTER": "hci1", "BLUETOOTH_ADAPTER": "hci0"], "hci1"), (["BLUETOOTH_ADAPTER": "hci1"], "hci1"),
        (["DITTOJAY_ADAPTER": "", "BLUETOOTH_ADAPTER": ""], "hci0"),
    ])
    func `the adapter is the one of the environment`(environment: [String: String], adapter: String) async throws {
        let daemon = try await FakeBluetoothd.start(adapters: 2)
        let process = try Programs(on: daemon).run(["dittojay", "run", "--no-socket"], environment: environment)
        try await process.line(containing: "on \(adapter)")
        try process.type("q")
        #expect(try await process.exitStatus() == 0)
    }

    @LoopActor
    private func refuseAdvertising(on daemon: FakeBluetoothd) { daemon.adapters[0].offersAdvertising = false }
}
