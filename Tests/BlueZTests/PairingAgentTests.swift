import DBus
import MainLoop
import TestSupport
import Testing

@testable import BlueZ

/// What the pairing agent answers, and how bluetoothd comes to have it.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
@LoopActor
struct PairingAgentTests {
    private let daemon: FakeBluetoothd
    private let session: BlueZSession
    private let device = path("/org/bluez/hci0/dev_C0_00_00_00_00_01")

    init() async throws {
        daemon = try await .start()
        session = BlueZSession { [bus = daemon.bus] () throws(BusError) in try bus.connect() }
        try await session.waitUntilAvailable()
    }

    /// What the agent answers; nil if it refuses.
    private func ask(_ method: String, _ arguments: BusValue...) async throws -> [BusValue]? {
        try await event(method) { found in daemon.agents.ask(method, arguments) { found($0) } }
    }

    @Test func `without a user nothing is entered or compared, and all else confirmed`() async throws {
        let agent = PairingAgent()
        try await agent.register(with: session)
        #expect(daemon.agents.registered.map(\.capability) == ["NoInputNoOutput"])
        #expect(daemon.agents.defaultClient == session.connection?.uniqueName)
        #expect(try await ask("RequestConfirmation", device.busValue, .uint32(123_456)) == nil)
        #expect(try await ask("RequestAuthorization", device.busValue) == [])
        #expect(try await ask("AuthorizeService", device.busValue, .string("180D")) == [])
        #expect(try await ask("DisplayPasskey", device.busValue, .uint32(1), .uint16(0)) == [])
        #expect(try await ask("DisplayPinCode", device.busValue, .string("0000")) == [])
        #expect(try await ask("Cancel") == [])
        #expect(try await ask("RequestPasskey", device.busValue) == nil)
        #expect(try await ask("RequestPinCode", device.busValue) == nil)
    }

    @Test func `the user is asked`() async throws {
        let agent = PairingAgent()
        let journal = Journal()
        agent.onDisplay = { journal.note("show \($1)") }
        agent.onStep = { journal.note("\($1)") }
        agent.onQuestion = { [device] path, question in
            guard path == device else { return false }
            switch question.kind {
            case .passkey: question.enter(123_456)
            case .comparison(5): question.confirm()
            default: question.refuse()
            }
            // Answered for good.
            question.refuse()
            return true
        }
        try await agent.register(with: session, .keyboardDisplay)
        #expect(daemon.agents.registered.map(\.capability) == ["KeyboardDisplay"])
        #expect(try await ask("RequestPasskey", device.busValue) == [.uint32(123_456)])
        #expect(try await ask("RequestPasskey", path("/another").busValue) == nil)
        #expect(try await ask("RequestConfirmation", device.busValue, .uint32(5)) == [])
        #expect(try await ask("RequestConfirmation", device.busValue, .uint32(6)) == nil)
        #expect(try await ask("RequestConfirmation", path("/another").busValue, .uint32(5)) == nil)
        #expect(try await ask("DisplayPasskey", device.busValue, .uint32(42), .uint16(0)) == [])
        // One digit has been entered.
        #expect(try await ask("DisplayPasskey", device.busValue, .uint32(42), .uint16(1)) == [])
        #expect(
            journal.lines == [
                "asked(BlueZ.PairingQuestion.Kind.passkey)", "agreed(BlueZ.PairingMethod.passkeyEntry)",
                "asked(BlueZ.PairingQuestion.Kind.passkey)", "refused(BlueZ.PairingQuestion.Kind.passkey)",
                "asked(BlueZ.PairingQuestion.Kind.comparison(5))", "agreed(BlueZ.PairingMethod.numericComparison)",
                "asked(BlueZ.PairingQuestion.Kind.comparison(6))", "refused(BlueZ.PairingQuestion.Kind.comparison(6))",
                "asked(BlueZ.PairingQuestion.Kind.comparison(5))", "refused(BlueZ.PairingQuestion.Kind.comparison(5))",
                "show 42", "displayed(42)",
            ])
        // Questions of a wrong type.
        #expect(try await ask("RequestPasskey", .string("who?")) == nil)
        #expect(try await ask("RequestConfirmation", device.busValue) == nil)
    }

    @Test func `a question is taken back`() async throws {
        let agent = PairingAgent()
        let journal = Journal()
        var question: PairingQuestion?
        agent.onStep = { if $1 == .cancelled { journal.note("cancelled") } }
        agent.onQuestion = {
            question = $1
            $1.onCancel = { journal.note("not needed") }
            return true
        }
        try await agent.register(with: session, .keyboardOnly)
        daemon.agents.ask("RequestPasskey", [device.busValue]) { _ in }
        try await eventually("a question") { question != nil }
        #expect(try await ask("Cancel") == [])
        #expect(try await ask("Cancel") == [])
        #expect(journal.lines == ["not needed", "cancelled"] && question?.isOpen == false)
        question?.enter(1)
        #expect(journal.lines.count == 2)
    }

    @Test func `an agent of one program leaves the default one alone`() async throws {
        let agent = PairingAgent()
        try await agent.register(with: session, .keyboardOnly, isDefault: false)
        #expect(daemon.agents.registered.count == 1 && daemon.agents.defaultClient == nil)
    }

    // MARK: A device

    @Test(
        arguments: [
            (FakeDevice.Pairing.passkey(7), nil), (.passkey(8), .wrongPasskey(isEnteredHere: true)),
            (.display(1, isEntered: true), nil), (.display(1, isEntered: false), .wrongPasskey(isEnteredHere: false)),
            (.confirmation(5), nil), (.confirmation(6), .refusedHere(.comparison(6))),
            (.fails("AuthenticationFailed", "Authentication Failed"), .refusedByDevice),
            (.fails("AuthenticationTimeout", "Authentication Timeout"), .timedOut),
            (.fails("ConnectionAttemptFailed", "Page Timeout"), .other(.connectionFailed("Page Timeout"))),
            (.fails("AlreadyExists", "Already Exists"), nil),
        ] as [(FakeDevice.Pairing, PairingFailure?)])
    func `a device pairs or says why it does not`(pairing: FakeDevice.Pairing, failure: PairingFailure?) async throws {
        let registration = session.sharedAgent.add(
            PairingResponder(.keyboardDisplay, answersAll: false) { _, question in
                if question.kind == .comparison(5) { question.confirm() }
                question.enter(7)
                question.refuse()
                return true
            } display: { _, _ in
                true
            })
        // It is registered again at the end, when bluetoothd may be gone.
        session.sharedAgent.register { _ in }
        let fake = daemon.adapter.addDevice()
        fake.pairing = pairing
        fake.show()
        try await eventually("the device") { session.adapters.first?.devices.isEmpty == false }
        let device = try #require(session.adapters.first?.devices.first)
        let outcome: PairingFailure?
        do throws(PairingFailure) {
            try await device.pair()
            outcome = nil
        } catch {
            outcome = error
        }
        #expect(outcome == failure)
        registration.cancel()
    }

    @Test func `who takes too long has let the time pass`() {
        let start = ContinuousClock.now
        let error = BlueZError.authenticationFailed("Authentication Failed")
        var attempt = PairingAttempt(at: start)
        #expect(attempt.failure(error, at: start + .seconds(30)) == .timedOut)
        attempt.note(.asked(.passkey), at: start + .seconds(20))
        attempt.note(.cancelled, at: start + .seconds(40))
        #expect(attempt.failure(error, at: start + .seconds(40)) == .refusedByDevice)
        #expect(attempt.failure(error, at: start + .seconds(50)) == .timedOut)
        #expect(attempt.failure(.timedOut("Pair"), at: start + .seconds(21)) == .timedOut)
    }

    @Test func `digits that one side has found to differ do not match`() {
        let start = ContinuousClock.now
        let error = BlueZError.authenticationFailed("Authentication Failed")
        var attempt = PairingAttempt(at: start)
        attempt.note(.asked(.comparison(6)), at: start + .seconds(39))
        attempt.note(.cancelled, at: start + .seconds(40))
        #expect(attempt.failure(error, at: start + .seconds(40)) == .comparisonFailed)
        attempt.note(.agreed(.numericComparison), at: start + .seconds(40))
        #expect(attempt.failure(error, at: start + .seconds(41)) == .comparisonFailed)
        #expect(attempt.failure(.notConnected, at: start + .seconds(41)) == .comparisonFailed)
    }

    @Test func `an agent is taken back once`() async throws {
        let agent = PairingAgent()
        try await agent.register(with: session)
        await agent.unregister()
        await agent.unregister()
        #expect(daemon.agents.registered.isEmpty && daemon.count(of: "UnregisterAgent") == 1)
        try await agent.register(with: session)
        #expect(try await ask("Release") == [])
        await agent.unregister()
        #expect(daemon.count(of: "UnregisterAgent") == 1, "bluetoothd has released it by itself")
    }

    @Test func `an agent that is refused may be registered again`() async throws {
        let agent = PairingAgent()
        daemon.react(to: "RequestDefaultAgent", times: 1, with: .refuse("DoesNotExist"))
        await #expect(throws: BlueZError.self) { try await agent.register(with: session) }
        #expect(daemon.agents.registered.isEmpty)
        try await agent.register(with: session)
    }

    @Test func `without a bus there is no agent`() async throws {
        let none = BlueZSession { () throws(BusError) in throw .disconnected(call: "none") }
        await #expect(throws: BlueZError.notRunning) { try await PairingAgent().register(with: none) }
    }

    // MARK: Shared

    @Test func `the shared agent is registered once for each bluetoothd`() async throws {
        await session.sharedAgent.register { Issue.record("refused: \($0)") }.value
        await session.sharedAgent.register { Issue.record("refused: \($0)") }.value
        #expect(daemon.count(of: "RegisterAgent") == 1)
        try await daemon.restart()
        try await eventually("the new one is known") { session.state == .available }
        await session.sharedAgent.register { Issue.record("refused: \($0)") }.value
        #expect(daemon.count(of: "RegisterAgent") == 2 && daemon.agents.registered.count == 1)
    }

    @Test func `the shared agent does not keep its session`() async throws {
        weak var kept: BlueZSession?
        do {
            let other = BlueZSession { [daemon] () throws(BusError) in try daemon.bus.connect() }
            kept = other
            try await other.waitUntilAvailable()
            await other.sharedAgent.register { Issue.record("refused: \($0)") }.value
        }
        try await eventually("the end of the session") { kept == nil }
    }

    @Test func `the last responder decides about the capability`() async throws {
        let shared = session.sharedAgent
        await shared.register { Issue.record("refused: \($0)") }.value
        let none = { @LoopActor (_: Device, _: PairingQuestion) in false }
        let first = shared.add(PairingResponder(.displayOnly, answersAll: true, answer: none) { _, _ in false })
        let second = shared.add(PairingResponder(.keyboardOnly, answersAll: true, answer: none) { _, _ in false })
        await shared.waitUntilRegistered()
        #expect(daemon.agents.registered.map(\.capability) == ["KeyboardOnly"])
        second.cancel()
        await shared.waitUntilRegistered()
        #expect(daemon.agents.registered.map(\.capability) == ["DisplayOnly"])
        first.cancel()
        await shared.waitUntilRegistered()
        #expect(daemon.agents.registered.map(\.capability) == ["NoInputNoOutput"])
        #expect(daemon.agents.defaultClient == session.connection?.uniqueName)
    }

    @Test func `a refusal of the shared agent is reported`() async throws {
        daemon.react(to: "RegisterAgent", with: .refuse("AlreadyExists"))
        let journal = Journal()
        await session.sharedAgent.register { _ in journal.note("refused") }.value
        #expect(journal.lines == ["refused"])
    }
}
