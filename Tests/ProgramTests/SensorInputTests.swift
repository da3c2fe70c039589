import BluetoothLab
import Foundation
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
}
