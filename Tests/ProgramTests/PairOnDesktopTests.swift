import BluetoothLab
import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

/// What the programs show and ask on the desktop when they have no terminal.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct PairOnDesktopTests {
    private let daemon: FakeBluetoothd
    private let programs: Programs
    private let desktop: FakeDesktop

    init() async throws {
        daemon = try await .start()
        programs = try Programs(on: daemon)
        desktop = try await FakeDesktop(at: daemon.bus.address)
    }

    private func run(_ words: String...) throws -> ChildProcess {
        try programs.run(words, environment: ["DBUS_SESSION_BUS_ADDRESS": daemon.bus.address])
    }

    // MARK: bluejay

    private static let address = "C0:00:00:00:00:01/random"

    @Test(
        arguments: [
            ("yes", 0, "by numeric comparison"), ("no", 13, "the answer was no"),
            (nil, 10, "the notification that asked was dismissed"),
        ] as [(String?, Int32, String)])
    func `whether the numbers are the same is asked`(key: String?, status: Int32, text: String) async throws {
        let name = "<a>Lo\u{1B}ck\u{202E}&Co"
        let lock = await daemon.addLock(.confirmation(7), name: name)
        let pair = try run("bluejay", "pair", name)
        let question = try await desktop.shown.next()
        #expect(question.program == "bluejay" && question.summary == "Does the device show 000007?")
        #expect(
            question.body
                == "Pairing with &lt;a&gt;Lock&amp;Co (C0:00:00:00:00:01). Yes only if both numbers are the same.")
        #expect(question.actions == ["yes", "Yes", "no", "No"])
        if let key {
            await desktop.choose(key, of: question.number)
        } else {
            await desktop.dismiss(question.number)
        }
        #expect(try await pair.exitStatus() == status, "\(pair.transcript)")
        #expect(pair.transcript.contains(text), "\(pair.transcript)")
        #expect(await lock.isPaired == (status == 0))
    }

    @Test func `digits for the device are shown until it is paired`() async throws {
        let lock = await daemon.addLock(.display(7, isEntered: true))
        await makeWait(lock)
        let pair = try run("bluejay", "pair", "Lock")
        let shown = try await desktop.shown.next()
        await lock.enter()
        #expect(shown.summary == "Enter 000007 on the device" && shown.actions.isEmpty)
        #expect(shown.body == "Pairing with Lock (C0:00:00:00:00:01).")
        #expect(try await pair.exitStatus() == 0, "\(pair.transcript)")
        #expect(try await desktop.withdrawn.next() == shown.number)
    }

    @LoopActor
    private func makeWait(_ lock: FakeDevice) { lock.waitsForEntry = true }

    @Test func `a question is taken away with the program`() async throws {
        _ = await daemon.addLock(.confirmation(7))
        let pair = try run("bluejay", "pair", Self.address)
        let question = try await desktop.shown.next()
        #expect(try await pair.interrupt() == 130)
        #expect(try await desktop.withdrawn.next() == question.number)
    }

    @Test(arguments: [(["--no-desktop"], 10), (["--yes"], 0)] as [([String], Int32)])
    func `nothing is asked that need not be`(options: [String], status: Int32) async throws {
        _ = await daemon.addLock(.confirmation(7))
        let pair = try programs.run(
            ["bluejay", "pair", Self.address] + options,
            environment: ["DBUS_SESSION_BUS_ADDRESS": daemon.bus.address])
        #expect(try await pair.exitStatus() == status, "\(pair.transcript)")
        #expect(desktop.shown.waiting.isEmpty)
    }

    @Test func `a desktop that does not answer leaves everything as it is without one`() async throws {
        await makeSlow()
        _ = await daemon.addLock(.confirmation(7))
        let pair = try run("bluejay", "pair", Self.address)
        _ = try await desktop.held.next()
        let start = ContinuousClock.now
        #expect(try await pair.exitStatus() == 10)
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(pair.transcript.contains("use --yes, or a terminal"), "\(pair.transcript)")
    }

    @LoopActor
    private func makeSlow() { desktop.isSlow = true }

    // MARK: dittojay

    /// A sensor with a central that is connected.
    private func sensor(_ io: String, _ options: String...) async throws -> (ChildProcess, FakeDevice) {
        let file = programs.folder.url.appendingPathComponent("lock.yaml")
        try "services: [{uuid: 180F}]\npairing: {io: \(io)}\n".write(to: file, atomically: false, encoding: .utf8)
        let sensor = try programs.run(
            ["dittojay", "run", "--json", "--profile", file.path] + options,
            environment: ["DBUS_SESSION_BUS_ADDRESS": daemon.bus.address])
        try await sensor.line(containing: "\"advertising\"")
        try await eventually("an agent") { !daemon.agents.registered.isEmpty }
        return (sensor, await daemon.adapter.connectCentral("C0:00:00:00:00:02"))
    }

    /// bluetoothd asks; the answer is noted.
    @LoopActor
    private func ask(_ question: String, _ central: FakeDevice, _ arguments: BusValue..., answer: Journal = Journal())
        -> Journal
    {
        daemon.agents.ask(question, [central.path.busValue] + arguments) { values in
            answer.note(values == nil ? "refused" : "agreed")
        }
        return answer
    }

    @Test(arguments: [("yes", "agreed"), ("no", "refused")])
    func `a comparison is answered`(key: String, answer: String) async throws {
        let (sensor, central) = try await sensor("yes-no")
        let answers = await ask("RequestConfirmation", central, .uint32(7))
        let question = try await desktop.shown.next()
        #expect(question.program == "dittojay" && question.summary == "Does the central show 000007?")
        #expect(question.body == "C0:00:00:00:00:02 pairs. Or: dittojay confirm yes")
        await desktop.choose(key, of: question.number)
        try await answers.saw(answer)
        #expect(try await sensor.interrupt() == 0)
    }

    @Test func `an action answers no other question than its own`() async throws {
        let (sensor, central) = try await sensor("yes-no")
        let first = await ask("RequestConfirmation", central, .uint32(7))
        let old = try await desktop.shown.next()
        let command = try run("dittojay", "confirm", "no")
        #expect(try await command.exitStatus() == 0)
        try await first.saw("refused")
        #expect(try await desktop.withdrawn.next() == old.number)
        let second = await ask("RequestConfirmation", central, .uint32(8))
        let new = try await desktop.shown.next()
        await desktop.choose("yes", of: old.number)
        await desktop.choose("no", of: new.number)
        try await second.saw("refused")
        #expect(try await sensor.interrupt() == 0)
    }

    @Test func `what is shown goes away when pairing has ended`() async throws {
        let (sensor, central) = try await sensor("keyboard-display")
        _ = await ask("DisplayPasskey", central, .uint32(1234), .uint16(0))
        let digits = try await desktop.shown.next()
        #expect(digits.summary == "Enter 001234 on the central" && digits.body == "C0:00:00:00:00:02 pairs.")
        await central.set("Paired", .boolean(true))
        #expect(try await desktop.withdrawn.next() == digits.number)
        _ = await ask("RequestPasskey", central)
        let request = try await desktop.shown.next()
        #expect(request.summary == "Enter the passkey that the central shows" && request.actions.isEmpty)
        #expect(request.body == "C0:00:00:00:00:02 pairs. For 123456: dittojay passkey 123456")
        await central.lose()
        #expect(try await desktop.withdrawn.next() == request.number)
        _ = await ask("DisplayPasskey", central, .uint32(1), .uint16(0))
        let last = try await desktop.shown.next()
        #expect(try await sensor.interrupt() == 0)
        #expect(try await desktop.withdrawn.next() == last.number)
    }

    @Test func `dittojay shows nothing that it is not to show`() async throws {
        let (sensor, central) = try await sensor("display", "--no-desktop")
        _ = await ask("DisplayPasskey", central, .uint32(1234), .uint16(0))
        try await sensor.line(containing: "passkey-displayed")
        #expect(try await sensor.interrupt() == 0)
        #expect(desktop.shown.waiting.isEmpty)
    }
}
