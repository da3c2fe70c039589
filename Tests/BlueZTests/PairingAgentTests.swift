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

    @Test func `without a user everything is confirmed and nothing is entered`() async throws {
        let agent = PairingAgent()
        try await agent.register(with: session)
        #expect(daemon.agents.registered.map(\.capability) == ["NoInputNoOutput"])
        #expect(daemon.agents.defaultClient == session.connection?.uniqueName)
        #expect(try await ask("RequestConfirmation", device.busValue, .uint32(123_456)) == [])
        #expect(try await ask("RequestAuthorization", device.busValue) == [])
        #expect(try await ask("AuthorizeService", device.busValue, .string("180D")) == [])
        #expect(try await ask("DisplayPasskey", device.busValue, .uint32(1), .uint16(0)) == [])
        #expect(try await ask("DisplayPinCode", device.busValue, .string("0000")) == [])
        #expect(try await ask("Cancel") == [])
        #expect(try await ask("RequestPasskey", device.busValue) == nil)
        #expect(try await ask("RequestPinCode", device.busValue) == nil)
    }

    @Test func `the user is asked`() async throws {
        let agent = PairingAgent(capability: .keyboardDisplay)
        var shown: [UInt32] = []
        agent.onDisplayPasskey = { shown.append($1) }
        agent.onPasskeyRequest = { [device] in $0 == device ? 123_456 : nil }
        agent.onConfirmationRequest = { $1 == 5 }
        try await agent.register(with: session)
        #expect(daemon.agents.registered.map(\.capability) == ["KeyboardDisplay"])
        #expect(try await ask("RequestPasskey", device.busValue) == [.uint32(123_456)])
        #expect(try await ask("RequestPasskey", path("/another").busValue) == nil)
        #expect(try await ask("RequestConfirmation", device.busValue, .uint32(5)) == [])
        #expect(try await ask("RequestConfirmation", device.busValue, .uint32(6)) == nil)
        #expect(try await ask("DisplayPasskey", device.busValue, .uint32(42), .uint16(0)) == [])
        #expect(shown == [42])
        // Questions of a wrong type.
        #expect(try await ask("RequestPasskey", .string("who?")) == nil)
        #expect(try await ask("RequestConfirmation", device.busValue) == nil)
    }

    @Test func `a device pairs with the agent's help`() async throws {
        let agent = PairingAgent(capability: .keyboardOnly)
        agent.onPasskeyRequest = { _ in 7 }
        try await agent.register(with: session)
        let device = daemon.adapter.addDevice()
        for (passkey, isPaired): (UInt32, Bool) in [(8, false), (7, true)] {
            device.pairing = .passkey(passkey)
            let failure: MethodFailure? = try await event("pairing") { found in device.pair { found($0) } }
            #expect((failure == nil) == isPaired && device.isPaired == isPaired)
        }
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

    @Test func `a refusal of the shared agent is reported`() async throws {
        daemon.react(to: "RegisterAgent", with: .refuse("AlreadyExists"))
        let journal = Journal()
        await session.sharedAgent.register { _ in journal.note("refused") }.value
        #expect(journal.lines == ["refused"])
    }
}
