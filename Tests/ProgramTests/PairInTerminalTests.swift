import BluetoothLab
import TestSupport
import Testing

/// `bluejay pair` in a terminal, where it asks.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct PairInTerminalTests {
    private let daemon: FakeBluetoothd
    private let programs: Programs

    init() async throws {
        daemon = try await .start()
        programs = try Programs(on: daemon)
    }

    private static let comparison = "does the device show the same? yes or no: "
    private static let entry = "passkey that the device shows: "

    @Test(
        arguments: [
            ("yes", 0, "paired C0:00:00:00:00:01 by numeric comparison"), ("Y", 0, "by numeric comparison"),
            ("no", 13, "cannot pair with Lock: the answer was no"), ("", 13, "the answer was no"),
            ("yess", 13, "the answer was no"), (TerminalKey.endOfInput, 10, "no answer was given"),
            (TerminalKey.interrupt, 130, comparison),
        ] as [(String, Int32, String)])
    func `whether the numbers are the same is asked`(typed: String, status: Int32, text: String) async throws {
        let lock = await daemon.addLock(.confirmation(7))
        let pair = try programs.runInTerminal(["bluejay", "pair", "Lock"])
        // In its own line, before the question.
        let number = try await pair.line(containing: "the device must show 000007")
        #expect(!number.contains(Self.comparison))
        try await pair.prompt(Self.comparison)
        try pair.type(typed)
        #expect(try await pair.exitStatus() == status, "\(pair.transcript)")
        #expect(pair.transcript.contains(Self.comparison) && pair.transcript.contains(text), "\(pair.transcript)")
        #expect(await lock.isPaired == (status == 0))
    }

    @Test(
        arguments: [
            ("001234", 0, "by passkey entry"), (" 1234 ", 0, "by passkey entry"),
            ("001235", 12, "The passkey is wrong"), ("12x", 10, "invalid passkey \"12x\"; expected six digits"),
            (TerminalKey.endOfInput, 10, "no passkey was entered"),
        ] as [(String, Int32, String)])
    func `the passkey is asked for`(typed: String, status: Int32, text: String) async throws {
        let lock = await daemon.addLock(.passkey(1234))
        let pair = try programs.runInTerminal(["bluejay", "pair", "Lock"])
        // The terminal keeps it until it is read.
        try pair.type(typed)
        #expect(try await pair.exitStatus() == status, "\(pair.transcript)")
        #expect(pair.transcript.contains(Self.entry) && pair.transcript.contains(text), "\(pair.transcript)")
        #expect(await lock.isPaired == (status == 0))
    }

    @Test func `digits for the device are shown, and nothing on the desktop`() async throws {
        let desktop = try await FakeDesktop(at: daemon.bus.address)
        _ = await daemon.addLock(.display(7, isEntered: true))
        let pair = try programs.runInTerminal(
            ["bluejay", "pair", "Lock"], environment: ["DBUS_SESSION_BUS_ADDRESS": daemon.bus.address])
        #expect(try await pair.exitStatus() == 0, "\(pair.transcript)")
        #expect(pair.transcript.contains("enter 000007 on the device"), "\(pair.transcript)")
        #expect(desktop.shown.waiting.isEmpty)
    }
}
