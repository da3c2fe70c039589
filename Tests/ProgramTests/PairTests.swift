import BluetoothLab
import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

/// `bluejay pair`, without a terminal.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct PairTests {
    private let daemon: FakeBluetoothd
    private let programs: Programs

    init() async throws {
        daemon = try await .start()
        programs = try Programs(on: daemon)
    }

    @Test(
        arguments: [
            (FakeDevice.Pairing.succeeds, [], 0, "paired C0:00:00:00:00:01 by Just Works"),
            (.passkey(1234), ["--passkey", "001234"], 0, "paired C0:00:00:00:00:01 by passkey entry"),
            (
                .passkey(1234), ["--passkey", "001235"], 12,
                "cannot pair with Lock: The passkey is wrong"
            ),
            (.passkey(1234), [], 10, "use --passkey, or a terminal"),
            (.display(7, isEntered: true), [], 0, "enter 000007 on the device"),
            (.display(7, isEntered: false), [], 12, "The passkey is wrong"),
            (.confirmation(7), ["--yes"], 0, "by numeric comparison"),
            (.confirmation(7), [], 10, "use --yes, or a terminal"),
            (.fails("AuthenticationFailed", "Authentication Failed"), [], 11, "The device refused to pair."),
            (.fails("AuthenticationTimeout", "Authentication Timeout"), [], 14, "in 30 seconds"),
            (.fails("ConnectionAttemptFailed", "Page Timeout"), [], 5, "the connection failed: Page Timeout"),
        ] as [(FakeDevice.Pairing, [String], Int32, String)])
    func `each outcome has its status`(
        pairing: FakeDevice.Pairing, options: [String], status: Int32, text: String
    ) async throws {
        let lock = await daemon.addLock(pairing)
        let pair = try programs.run(["bluejay", "pair", "Lock"] + options)
        #expect(try await pair.exitStatus(within: .seconds(60)) == status, "\(pair.transcript)")
        #expect(pair.transcript.contains(text), "\(pair.transcript)")
        #expect(await lock.isPaired == (status == 0))
    }

    @Test func `a passkey is read from standard input`() async throws {
        let lock = await daemon.addLock(.passkey(1234))
        let pair = try programs.run("bluejay", "pair", "Lock", "--passkey", "-", "--json")
        try pair.type("001234")
        #expect(try await pair.exitStatus() == 0, "\(pair.transcript)")
        #expect(pair.lines.contains(#"{"paired":"C0:00:00:00:00:01","method":"passkey entry"}"#))
        #expect(await lock.isPaired)
    }

    @Test(arguments: ["12345678", ""])
    func `what is read and is no passkey is said to be none`(line: String) async throws {
        _ = await daemon.addLock(.passkey(1234))
        let pair = try programs.run("bluejay", "pair", "Lock", "--passkey", "-")
        try pair.type(line)
        #expect(try await pair.exitStatus() == 10)
        #expect(pair.transcript.contains("; expected six digits"), "\(pair.transcript)")
    }

    @Test func `without input no passkey is entered`() async throws {
        _ = await daemon.addLock(.passkey(1234))
        let pair = try programs.run("bluejay", "pair", "Lock", "--passkey", "-", hasInput: false)
        #expect(try await pair.exitStatus() == 10)
        #expect(pair.transcript.contains("no passkey was entered"), "\(pair.transcript)")
    }

    @Test(arguments: [["--passkey", "12x"], ["--passkey", "1234567"], ["--io", "keypad"]])
    func `what cannot be meant is wrong usage`(options: [String]) async throws {
        let pair = try programs.run(["bluejay", "pair", "Lock"] + options)
        #expect(try await pair.exitStatus() == 64)
    }

    @Test func `the keys of a pairing that is there are checked`() async throws {
        let lock = await daemon.addLock(.succeeds)
        await pretendPaired(lock, hasLostKeys: false)
        let first = try programs.run("bluejay", "pair", "Lock")
        #expect(try await first.exitStatus(within: .seconds(60)) == 0)
        #expect(first.transcript.contains("Lock is already paired"), "\(first.transcript)")
        await pretendPaired(lock, hasLostKeys: true)
        let second = try programs.run("bluejay", "pair", "Lock")
        #expect(try await second.exitStatus(within: .seconds(60)) == 15)
        #expect(second.transcript.contains("lost the keys of its pairing"), "\(second.transcript)")
    }

    @LoopActor
    private func pretendPaired(_ lock: FakeDevice, hasLostKeys: Bool) {
        lock.lose()
        lock.set("Paired", .boolean(true))
        lock.hasLostKeys = hasLostKeys
        lock.show()
    }
}
