import CoreBluetooth
import DBus
import MainLoop
import TestSupport
import Testing

@testable import Dittojay

/// What a peripheral shows and wants while a central pairs.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct PairingTests {
    private let peripheral: Simulation
    private let central: FakeDevice

    init() async throws { self = try await Self(PairingProfile(.keyboardDisplay)) }

    private init(_ pairing: PairingProfile) async throws {
        var profile = PeripheralProfile.lab
        profile.pairing = pairing
        peripheral = try await Simulation(profile)
        try await peripheral.run()
        central = await peripheral.connect()
        try await peripheral.saw("connected 02")
        try await agentIs(pairing.capability == .keyboard ? "KeyboardOnly" : "KeyboardDisplay")
    }

    @LoopActor
    private func agentIs(_ capability: String) async throws {
        try await eventually("an agent") { peripheral.daemon.agents.registered.map(\.capability) == [capability] }
    }

    /// bluetoothd asks; the answer is noted.
    @LoopActor
    private func ask(_ question: String, _ arguments: BusValue..., answer: Journal = Journal()) -> Journal {
        peripheral.daemon.agents.ask(question, [central.path.busValue] + arguments) { values in
            answer.note(values.map { "\($0)" } ?? "refused")
        }
        return answer
    }

    @Test func `what is to be entered there is shown`() async throws {
        _ = await ask("DisplayPasskey", .uint32(1234), .uint16(0))
        try await peripheral.saw("passkey-displayed 02 001234: enter it on the central")
        await central.set("Paired", .boolean(true))
        try await peripheral.saw("paired 02")
    }

    @Test func `what the central shows is entered by command`() async throws {
        let passkey = try #require(CBPasskey("001234"))
        let refusal = await peripheral.perform(.passkey(passkey))
        #expect(refusal.error == "no central is waiting for a passkey")
        let answer = await ask("RequestPasskey")
        try await peripheral.sawLine(
            beginning: "passkey-requested 02: enter the central's passkey with \"passkey 123456\"")
        #expect(await !peripheral.perform(.confirm(true)).ok)
        #expect(await peripheral.perform(.passkey(passkey)).ok)
        try await answer.saw("the passkey") { $0.contains { $0.contains("1234") } }
        #expect(await !peripheral.perform(.passkey(passkey)).ok, "once")
        await central.lose()
        try await peripheral.saw("pairing-failed 02: the passkey is wrong, or it refused")
    }

    @Test(arguments: [true, false])
    func `a comparison is confirmed or not`(isSame: Bool) async throws {
        let answer = await ask("RequestConfirmation", .uint32(7))
        try await peripheral.sawLine(beginning: "comparison-requested 02 000007: \"confirm yes\" if")
        #expect(await peripheral.perform(.confirm(isSame)).ok)
        try await answer.saw("an answer") { !$0.isEmpty }
        #expect((answer.lines == ["refused"]) == !isSame)
        await central.lose()
        try await peripheral.saw(
            isSame
                ? "pairing-failed 02: the numbers do not match, or it refused"
                : "pairing-failed 02: it wants a number confirmed to pair, and dittojay refused")
    }

    @Test func `a question that is taken back needs no answer`() async throws {
        _ = await ask("RequestPasskey")
        try await peripheral.sawLine(beginning: "passkey-requested 02")
        await withCheckedContinuation { continuation in
            Task { @LoopActor in peripheral.daemon.agents.ask("Cancel", []) { _ in continuation.resume() } }
        }
        try await peripheral.saw("pairing-failed 02: it gave up, or was not answered in time")
        #expect(await !peripheral.perform(.confirm(false)).ok)
    }

    @Test func `what is shown elsewhere is taken away, and answers its own question only`() async throws {
        let shown = Journal()
        // Used on the queue only.
        nonisolated(unsafe) var prompts: [PairingPrompt] = []
        peripheral.queue.sync {
            peripheral.peripheral.onPairingPrompt = { prompt in
                prompts.append(prompt)
                let number = prompts.count
                shown.note("\(number) of \(prompt.central.suffix(2))")
                return { shown.note("\(number) is over") }
            }
        }
        let first = await ask("RequestConfirmation", .uint32(7))
        try await shown.saw("1 of 02")
        #expect(await peripheral.perform(.confirm(false)).ok)
        try await first.saw("refused")
        let second = await ask("RequestConfirmation", .uint32(8))
        try await shown.saw("2 of 02")
        peripheral.queue.sync { prompts[0].confirm(true) }
        #expect(second.lines.isEmpty)
        peripheral.queue.sync { prompts[1].confirm(false) }
        try await second.saw("refused")
        _ = await ask("DisplayPasskey", .uint32(9), .uint16(0))
        try await shown.saw("3 of 02")
        await central.lose()
        try await shown.saw("3 is over")
        #expect(shown.lines == ["1 of 02", "1 is over", "2 of 02", "2 is over", "3 of 02", "3 is over"])
    }

    @Test func `the profile's passkey is entered at once`() async throws {
        let other = try await Self(PairingProfile(.keyboard, passkey: CBPasskey("001234")))
        let answer = await other.ask("RequestPasskey")
        try await answer.saw("the passkey") { $0.contains { $0.contains("1234") } }
        #expect(!other.peripheral.lines.contains { $0.hasPrefix("passkey-requested") })
    }
}

/// The digits of a passkey, and the requests with them.
@Suite struct PasskeyTests {
    @Test func `a passkey has up to six digits`() {
        #expect(CBPasskey("012345")?.number == 12345 && CBPasskey("7")?.description == "000007")
        for text in ["", "1234567", "12a", " 1", "-1", "+1", "١٢٣"] { #expect(CBPasskey(text) == nil, "\(text)") }
        #expect(CBPasskey(number: 999_999)?.description == "999999" && CBPasskey(number: 1_000_000) == nil)
    }

    @Test func `requests are read as they are written`() throws {
        let passkey = try #require(CBPasskey("001234"))
        for request in [ControlRequest.passkey(passkey), .confirm(true), .confirm(false)] {
            #expect(try ControlRequest(line: request.line.utf8) == request)
        }
        #expect(try ControlRequest(typed: "passkey 001234") == .passkey(passkey))
        #expect(try ControlRequest(typed: "confirm no") == .confirm(false))
        for line in ["passkey", "passkey 1234567", "passkey x", "confirm", "confirm maybe"] {
            #expect(throws: ControlRequest.ParsingError.self) { try ControlRequest(typed: line) }
        }
        for line in [#"{"command":"passkey"}"#, #"{"command":"passkey","passkey":"12x"}"#, #"{"command":"confirm"}"#] {
            #expect(throws: ControlRequest.ParsingError.self) { try ControlRequest(line: line.utf8) }
        }
    }
}
