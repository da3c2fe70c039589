import BluetoothLab
import Foundation
import MainLoop
import TestSupport
import Testing

/// bluejay and whoever reads what it prints.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct CentralOutputTests {
    private let daemon: FakeBluetoothd
    private let programs: Programs
    private static let device = "C0:00:00:00:00:01/random"
    /// Everything that a terminal would act on.
    private static let hostile = "A\u{1B}[31m\u{7}\u{9B}2J\u{7F}\r\nforged\u{202E}\u{2028}\u{85}Z"
    private static let shown =
        #"A\u{1B}[31m\u{7}\u{9B}2J\u{7F}\r\nforged\u{202E}\u{2028}\u{85}Z"#

    init() async throws {
        daemon = try await .start()
        programs = try Programs(on: daemon)
    }

    @LoopActor @discardableResult
    private func sensor(name: String = "Sensor") -> FakeDevice {
        let device = daemon.adapter.addDevice(name: name)
        device.addService(
            "180D", [.init("2A37", ["notify"]), .init("FFF1", ["read", "notify"], value: Data(Self.hostile.utf8))])
        return device
    }

    @LoopActor
    private func isSubscribed(_ uuid: String) async throws -> FakeCharacteristic {
        let characteristic = try #require(daemon.adapter.air.first?.characteristic(uuid))
        try await eventually("a subscription to \(uuid)") { !characteristic.subscribers.isEmpty }
        return characteristic
    }

    // MARK: Readers

    @Test func `when too much waits for a reader the program ends with its own status`() async throws {
        let device = await sensor()
        let reader = try StuckReader(in: programs)
        let central = try programs.run("bluejay", "listen", Self.device, "FFF1", "--json", output: .stuck(reader))
        let characteristic = try await isSubscribed("FFF1")
        let value = Data(repeating: 0x55, count: 512)
        for _ in 0..<20 where central.isRunning {
            for _ in 0..<500 { await characteristic.notify(value) }
        }
        #expect(try await central.exitStatus() == 74)
        #expect(central.transcript.contains("standard output is not read: more than 8388608 bytes"))
        #expect(await !device.isConnected)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal ends it whatever the reader does`(signal: Int32) async throws {
        let device = await sensor()
        // It does not wait for bluetoothd.
        await device.setDisconnectionTime(.seconds(60))
        let reader = try StuckReader(in: programs)
        let central = try programs.run("bluejay", "listen", Self.device, "FFF1", output: .stuck(reader))
        let characteristic = try await isSubscribed("FFF1")
        let client = try #require(await characteristic.subscribers.first)
        for _ in 0..<500 { await characteristic.notify(Data(repeating: 0x55, count: 512)) }
        // The first are in the pipe, which has no room for what follows.
        try await daemon.connection.fence(with: client)
        try await eventually("a value in the pipe") { reader.waiting > 0 }
        let start = ContinuousClock.now
        central.signal(signal)
        #expect(try await central.exitStatus() == 74)
        #expect(ContinuousClock.now - start < Programs.interruptionLimit)
        #expect(await daemon.count(of: "Disconnect") == 1)
    }

    @Test func `a slow reader misses nothing`() async throws {
        await sensor()
        let reader = try StuckReader(in: programs)
        let central = try programs.run(
            "bluejay", "listen", Self.device, "FFF1", "--raw", "--count", "1000", output: .stuck(reader))
        let characteristic = try await isSubscribed("FFF1")
        for _ in 0..<1000 { await characteristic.notify(Data(repeating: 0x55, count: 512)) }
        try await daemon.call("Disconnect")
        let lines = await reader.lines()
        #expect(lines.count == 1000 && lines.allSatisfy { $0.count == 1024 })
        #expect(try await central.exitStatus() == 0)
    }

    // MARK: Loss

    @Test(arguments: [
        ["scan", "--count", "1"], ["scan", "--timeout", "0"], ["monitor"], ["info", device],
        ["read", device, "FFF1"], ["read", device, "FFF1", "--json"], ["listen", device, "2A37", "--json"],
    ])
    func `output that cannot be written is a failure`(words: [String]) async throws {
        let device = await sensor()
        let central = try programs.run(["bluejay"] + words, output: .full)
        if words[0] == "listen" { await (try await isSubscribed("2A37")).notify(Data([0, 72])) }
        #expect(try await central.exitStatus() == 74)
        #expect(central.lines == ["bluejay: cannot write to standard output: No space left on device"])
        #expect(await !device.isConnected)
    }

    @Test func `closed descriptors are not taken for others`() async throws {
        let device = await sensor()
        let central = try programs.run(
            ["bluejay", "read", Self.device, "FFF1"], output: .closed, error: .closed, hasInput: false)
        #expect(try await central.exitStatus() == 74)
        #expect(await daemon.count(of: "ReadValue") == 1)
        #expect(await !device.isConnected)
    }

    // MARK: What comes from a device

    private func hasNoControls(_ process: ChildProcess) -> Bool {
        process.lines.allSatisfy { line in
            !line.hasPrefix("forged")
                && line.unicodeScalars.allSatisfy { scalar in
                    scalar.properties.generalCategory != .control && !scalar.properties.isBidiControl
                        && scalar.properties.generalCategory != .lineSeparator
                }
        }
    }

    @Test(arguments: [
        ["scan", "--count", "1"], ["info", device], ["read", device, "FFF1", "--format", "text"],
        ["listen", device, "FFF1", "--format", "text", "--count", "1"],
        ["monitor", device, "--count", "1"],
    ])
    func `names and values are shown and do nothing else`(words: [String]) async throws {
        await sensor(name: Self.hostile)
        let central = try programs.run(["bluejay"] + words)
        switch words[0] {
        case "listen": await (try await isSubscribed("FFF1")).notify(Data(Self.hostile.utf8))
        case "monitor": await (try await isSubscribed("2A37")).notify(Data([0, 72]))
        default: break
        }
        #expect(try await central.exitStatus() == 0)
        #expect(central.transcript.contains(Self.shown))
        #expect(hasNoControls(central))
    }

    @Test func `a failure that has a name in it is shown and does nothing else`() async throws {
        await sensor(name: Self.hostile)
        let central = try programs.run("bluejay", "read", Self.hostile, "2A00", "--connect-timeout", "5")
        #expect(try await central.exitStatus() == 7)
        #expect(hasNoControls(central))
    }

    @Test func `json has the true characters and none that a terminal would act on`() async throws {
        await sensor(name: Self.hostile)
        let central = try programs.run("bluejay", "scan", "--count", "1", "--json")
        #expect(try await central.exitStatus() == 0)
        #expect(hasNoControls(central))
        let line = try #require(central.lines.first)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        let name = try #require(object["name"] as? String)
        #expect(Array(name.unicodeScalars) == Array(Self.hostile.unicodeScalars))
    }
}

extension FakeDevice {
    fileprivate func setDisconnectionTime(_ time: Duration) { disconnectionTime = time }
}
