import BluetoothLab
import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

/// bluejay and a bluetoothd, or a device, that does not answer or gives up.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct CentralTimeoutTests {
    private let daemon: FakeBluetoothd
    private let programs: Programs
    private static let device = "C0:00:00:00:00:01/random"

    init() async throws {
        daemon = try await .start()
        programs = try Programs(on: daemon)
    }

    @LoopActor @discardableResult
    private func sensor(
        resolutionTime: Duration? = .zero, answersDiscovery: Bool = true, advertising services: [String] = ["180D"]
    ) -> FakeDevice {
        let device = daemon.adapter.addDevice(advertising: services)
        device.addService(
            "180D", [.init("2A37", ["notify"]), .init("2A38", ["read", "write"], value: Data([1]))])
        device.resolutionTime = resolutionTime
        device.answersDiscovery = answersDiscovery
        // What bluetoothd lists for a device when it knows nothing else of it.
        if !answersDiscovery { device.set("UUIDs", ["0000180d-0000-1000-8000-00805f9b34fb"].busValue) }
        return device
    }

    /// A device that only advertises, with a non-resolvable private address.
    @LoopActor
    private func broadcaster() {
        daemon.adapter.addDevice("0A:00:00:00:00:01").set("AddressType", .string("random"))
    }

    private func bluejay(_ words: [String], expecting status: Int32) async throws -> ChildProcess {
        let central = try programs.run(["bluejay"] + words)
        #expect(try await central.exitStatus() == status, "\(central.transcript)")
        return central
    }

    // MARK: The bus

    @Test func `a bus that does not answer ends them`() async throws {
        daemon.bus.freeze()
        defer { daemon.bus.thaw() }
        let sensor = try programs.run("dittojay")
        let scan = try await bluejay(["scan"], expecting: 4)
        #expect(scan.transcript.contains("run \"bluejay doctor\" for help"), "\(scan.transcript)")
        #expect(try await sensor.exitStatus() == 4)
        #expect(sensor.transcript.contains("the bus does not answer"), "\(sensor.transcript)")
    }

    // MARK: Looking for a device

    @Test func `what was seen in place of the device is said`() async throws {
        await sensor()
        let read = try await bluejay(["read", "Nobody", "2A38", "--connect-timeout", "1"], expecting: 3)
        #expect(
            read.lines == [
                "bluejay: no device Nobody was found within 1 s; seen: \"Sensor\" C0:00:00:00:00:01"
            ])
    }

    /// What cannot be connected to has such an address in Linux.
    @Test(arguments: [true, false])
    func `of two devices of a name the one that can be connected to is taken`(hasOther: Bool) async throws {
        await broadcaster()
        if hasOther { await sensor() }
        let read = try await bluejay(
            ["read", "Sensor", "2A38", "--connect-timeout", "10"], expecting: hasOther ? 0 : 7)
        // There is no other one: it is tried after all.
        #expect(hasOther || read.transcript.contains("has no characteristic 2A38"), "\(read.transcript)")
    }

    @Test func `a scan on the adapter that advertises says so`() async throws {
        _ = await daemon.addAdapter()
        let peripheral = try programs.run("dittojay", "run", "--adapter", "hci0")
        try await peripheral.line(containing: "advertising")
        let hint =
            "a program on this machine advertises on hci0, which cannot receive its own advertising; try --adapter hci1"
        let scan = try await bluejay(["scan", "--timeout", "0.2", "--adapter", "hci0"], expecting: 3)
        #expect(scan.lines.first == "bluejay: " + hint)
        let read = try await bluejay(
            ["read", "Dittojay", "2A38", "--connect-timeout", "0.5", "--adapter", "hci0"], expecting: 3)
        #expect(
            read.lines == ["bluejay: no device Dittojay was found within 0.5 s; no device was seen; \(hint)"])
        let other = try await bluejay(["scan", "--timeout", "0.2", "--adapter", "hci1"], expecting: 3)
        #expect(!other.transcript.contains("cannot receive its own advertising"))
        #expect(try await peripheral.interrupt() == 0)
    }

    // MARK: Another program's link

    /// A device that is connected does not advertise.
    @LoopActor
    private func connectedSensor() -> FakeDevice {
        let device = sensor()
        device.isAdvertising = false
        device.comeUp()
        return device
    }

    @Test func `a device that another program is connected to is found by name, and stays connected`() async throws {
        let device = await connectedSensor()
        #expect(try await bluejay(["read", "Sensor", "2A38"], expecting: 0).lines == ["chest"])
        #expect(await device.isConnected)
        #expect(await daemon.count(of: "StartDiscovery") == 0)
    }

    @Test(arguments: [["Sensor"], []])
    func `monitor finds a device that another program is connected to`(name: [String]) async throws {
        let device = await connectedSensor()
        let monitor = try programs.run(["bluejay", "monitor"] + name)
        let rate = try #require(await device.characteristic("2A37"))
        try await eventually("a subscription") { rate.isNotifying }
        await rate.notify(Data([0, 72]))
        try await monitor.line(containing: "72 bpm")
        #expect(try await monitor.interrupt() == 0)
        #expect(await device.isConnected)
    }

    @Test func `a device that another program is connected to is cloned, and what it advertises is reported lost`()
        async throws
    {
        let device = await connectedSensor()
        let clone = try programs.run("bluejay", "clone", "Sensor")
        #expect(try await clone.exitStatus() == 0, "\(clone.transcript)")
        #expect(clone.standardOutput.contains("      - uuid: body-sensor-location"), "\(clone.transcript)")
        #expect(clone.transcript.contains("not in the profile: what it advertises"), "\(clone.transcript)")
        #expect(await device.isConnected)
    }

    // MARK: Requests

    @Test(arguments: [
        (["read", device, "2A38", "--timeout", "0.3"], "ReadValue", "read body-sensor-location"),
        (["write", device, "2A38", "u8:1", "--timeout", "0.3"], "WriteValue", "write body-sensor-location"),
        (["listen", device, "2A37", "--answer-timeout", "0.3"], "StartNotify", "listen to heart-rate-measurement"),
    ])
    func `an unanswered request ends`(words: [String], method: String, attempt: String) async throws {
        let device = await sensor()
        await daemon.react(to: method, with: .silent)
        let central = try await bluejay(words, expecting: 3)
        #expect(
            central.lines == ["bluejay: cannot \(attempt) of \(Self.device): the device did not answer within 0.3 s"])
        #expect(await !device.isConnected)
    }

    private static let refusalsAdvice =
        " at once, as with a device that refuses to pair; to enter a passkey, run \"bluejay unpair \(device)\", then "
        + "\"bluejay pair \(device)\""

    @Test(arguments: [
        (["read", device, "2A38"], "read body-sensor-location", refusalsAdvice),
        // What was written may be why.
        (["write", device, "2A38", "u8:1"], "write body-sensor-location", ""),
        (["listen", device, "2A37"], "listen to heart-rate-measurement", refusalsAdvice),
    ])
    func `a request ends with the connection`(words: [String], attempt: String, advice: String) async throws {
        let device = await sensor()
        for method in ["ReadValue", "WriteValue", "StartNotify"] {
            await daemon.react(to: method, with: .handler { _ in device.lose() })
        }
        let central = try await bluejay(words, expecting: 5)
        #expect(central.lines == ["bluejay: cannot \(attempt) of \(Self.device): the connection was lost\(advice)"])
    }

    /// As with a link that another program has asked bluetoothd to end.
    @Test func `a connection that is lost before the services are known is made again`() async throws {
        let device = await sensor()
        await loseConnections(to: device, times: 2)
        #expect(try await bluejay(["read", Self.device, "2A38"], expecting: 0).lines == ["chest"])
        #expect(await daemon.count(of: "Connect") == 3)
    }

    @Test func `a connection that is always lost before the services are known is reported`() async throws {
        let device = await sensor()
        await loseConnections(to: device, times: nil)
        let read = try await bluejay(["read", Self.device, "2A38"], expecting: 5)
        #expect(
            read.lines == ["bluejay: cannot discover the services of \(Self.device): the connection was lost"])
        #expect(await daemon.count(of: "Connect") == 3)
    }

    @LoopActor
    private func loseConnections(to device: FakeDevice, times: Int?) {
        device.resolutionTime = .milliseconds(500)
        daemon.react(
            to: "Connect", times: times,
            with: .handler { call in
                call.resume()
                Later.run(after: .milliseconds(100)) { device.lose() }
            })
    }

    @Test func `a listen ends with the connection`() async throws {
        let device = await sensor()
        let central = try programs.run("bluejay", "listen", Self.device, "2A37")
        let rate = try #require(await device.characteristic("2A37"))
        try await eventually("a subscription") { rate.isNotifying }
        await rate.notify(Data([0, 72]))
        try await central.line(containing: "72 bpm")
        await device.lose()
        #expect(try await central.exitStatus() == 5)
        #expect(
            central.lines.last
                == "bluejay: stopped after 1 value of heart-rate-measurement of \(Self.device): the connection was lost"
        )
    }

    /// What bluetoothd (5.66) says when the link ends while a request is open.
    @Test(arguments: ["an empty value", "0x0E", "Operation failed"])
    func `the end of the link is no answer`(answer: String) async throws {
        let device = await sensor()
        await daemon.react(
            to: "ReadValue",
            with: .handler { call in
                switch answer {
                case "0x0E": call.invocation.fail(.att(0x0E))
                case "an empty value": call.invocation.reply([.bytes(Data())])
                default: call.invocation.fail(.bluez("Failed", answer))
                }
                device.lose()
            })
        let read = try await bluejay(["read", Self.device, "2A38"], expecting: 5)
        #expect(
            read.lines == [
                "bluejay: cannot read body-sensor-location of \(Self.device): the connection was lost"
                    + Self.refusalsAdvice
            ])
    }

    @Test func `an empty value is one while the link is there`() async throws {
        let device = await sensor()
        await setValue(device, Data())
        #expect(try await bluejay(["read", Self.device, "2A38"], expecting: 0).lines == ["(empty)"])
    }

    @LoopActor
    private func setValue(_ device: FakeDevice, _ value: Data) { device.characteristic("2A38")?.value = value }

    @Test func `a request that bluetoothd gave up is not in time`() async throws {
        await sensor()
        await daemon.react(to: "ReadValue", with: .refuse("Failed", "Operation failed with ATT error: 0x00"))
        let read = try await bluejay(["read", Self.device, "2A38"], expecting: 3)
        #expect(
            read.lines == ["bluejay: cannot read body-sensor-location of \(Self.device): the device did not answer"])
    }

    // MARK: Connecting

    @Test(arguments: [["info", device], ["read", device, "2A38"], ["listen", device, "2A37"]])
    func `an endless discovery ends with the time to connect`(words: [String]) async throws {
        let device = await sensor(resolutionTime: nil)
        let central = try await bluejay(words + ["--connect-timeout", "5"], expecting: 3)
        #expect(
            central.lines == [
                "bluejay: cannot discover the services of \(Self.device): connecting and discovery took longer than "
                    + "5 s (--connect-timeout)"
            ])
        #expect(await !device.isConnected)
    }

    @Test func `a device that does not connect is named`() async throws {
        let device = await sensor()
        await setInRange(device, false)
        let read = try await bluejay(["read", Self.device, "2A38", "--connect-timeout", "0.5"], expecting: 3)
        #expect(
            read.lines == [
                "bluejay: cannot connect to \(Self.device): it was not connected within 0.5 s (--connect-timeout)"
            ])
    }

    @LoopActor
    private func setInRange(_ device: FakeDevice, _ isInRange: Bool) { device.isInRange = isInRange }

    @Test func `a failed discovery is no device without services`() async throws {
        await sensor(answersDiscovery: false)
        let info = try await bluejay(["info", Self.device], expecting: 5)
        #expect(
            info.lines == [
                "bluejay: cannot discover the services of \(Self.device): bluetoothd found no services: the device did "
                    + "not answer, or not all that it was asked"
            ])
    }

    @Test func `without bluetoothd the doctor is advised`() async throws {
        await daemon.die()
        let read = try await bluejay(["read", Self.device, "2A38"], expecting: 4)
        #expect(read.lines.count == 1 && read.transcript.contains("run \"bluejay doctor\" for help"))
    }

    // MARK: Monitor

    /// The monitor, once it has shown a heart rate.
    private func showsRates(_ monitor: ChildProcess, of device: FakeDevice) async throws {
        try await showsRate(72, monitor, of: device)
        #expect(try await monitor.interrupt() == 0)
    }

    private func showsRate(_ number: UInt8, _ monitor: ChildProcess, of device: FakeDevice) async throws {
        let rate = try #require(await device.characteristic("2A37"))
        try await eventually("a subscription") { rate.isNotifying }
        await rate.notify(Data([0, number]))
        try await monitor.line(containing: "\(number) bpm")
    }

    @Test func `monitor tries again what the device refused`() async throws {
        let device = await sensor()
        await daemon.react(
            to: "StartNotify", times: 1, with: .refuse("Failed", "Operation failed with ATT error: 0x80"))
        let monitor = try programs.run("bluejay", "monitor", Self.device)
        try await monitor.line(
            containing: "cannot listen to the heart rates of Sensor: ATT error 0x80: The device reported application "
                + "error 0x80.; trying again in 0.5 s")
        try await showsRates(monitor, of: device)
        #expect(await daemon.count(of: "Connect") == 1)
    }

    @Test(arguments: [FakeReaction.silent, .refuse("Failed", "no reason")])
    func `monitor connects again when it cannot listen`(reaction: FakeReaction) async throws {
        let device = await sensor()
        await daemon.react(to: "StartNotify", times: 1, with: reaction)
        let monitor = try programs.run("bluejay", "monitor", Self.device, "--answer-timeout", "1")
        try await monitor.line(containing: "cannot listen to the heart rates of Sensor: ")
        try await monitor.line(containing: "connecting again")
        try await monitor.line(containing: "disconnected from Sensor")
        try await showsRates(monitor, of: device)
        #expect(await daemon.count(of: "Connect") >= 2)
    }

    @Test(arguments: [FakeReaction.silent, .refuse("Failed", "no reason")])
    func `monitor shows heart rates without chirps`(reaction: FakeReaction) async throws {
        let device = await sensor()
        let path = await chirping(device)
        await daemon.react(to: "StartNotify", at: path, with: reaction)
        let monitor = try programs.run("bluejay", "monitor", Self.device, "--answer-timeout", "3")
        try await monitor.line(containing: "cannot listen to the chirps of Sensor: ")
        try await showsRates(monitor, of: device)
        #expect(await daemon.count(of: "Connect") == 1)
    }

    @LoopActor
    private func chirping(_ device: FakeDevice) -> ObjectPath {
        device.addService(
            "CED261B7-F120-41C8-9A92-A41DE69CF2A8", [.init("83B4A431-A6F1-4540-B3EE-3C14AEF71A04", ["notify"])]
        ).characteristics[0].path
    }

    @Test func `monitor connects again after a failed discovery`() async throws {
        let device = await sensor(answersDiscovery: false)
        let monitor = try programs.run("bluejay", "monitor", Self.device)
        try await monitor.line(containing: "bluetoothd found no services")
        await answerDiscovery(device)
        try await showsRates(monitor, of: device)
        #expect(!monitor.transcript.contains("measures no heart rate"))
    }

    @LoopActor
    private func answerDiscovery(_ device: FakeDevice) { device.answersDiscovery = true }

    /// As where bluetoothd has missed a service of a sensor that was just starting.
    @Test func `monitor connects again to a sensor without its heart rates`() async throws {
        let device = await sensor()
        let monitor = try programs.run("bluejay", "monitor", Self.device)
        try await showsRate(71, monitor, of: device)
        await know(device, false)
        await device.lose()
        try await monitor.line(containing: "the device measures no heart rate")
        await know(device, true)
        try await showsRates(monitor, of: device)
    }

    @LoopActor
    private func know(_ device: FakeDevice, _ isKnown: Bool) {
        for service in device.services { service.isKnownAtOnce = isKnown }
    }

    @Test func `monitor ends where there are no heart rates`() async throws {
        await batteryOnly()
        let monitor = try await bluejay(["monitor", Self.device], expecting: 7)
        #expect(monitor.standardError == ["bluejay: \(Self.device) measures no heart rate"])
    }

    @LoopActor
    private func batteryOnly() { daemon.adapter.addDevice().addService("180F", [.init("2A19", ["read"])]) }
}
