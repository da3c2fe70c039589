import DBus
import MainLoop
import TestSupport
import Testing

/// How a program finds its bus.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
@LoopActor
struct OpeningTests {
    @Test(arguments: [
        "", "nonsense", "unix:", "unix:path=/nowhere/at/all", "unix:path=\0", "what:a=b", "unix:path=%zz",
        "unix:path=/nowhere/at/all;tcp:host=localhost,port=1",
    ])
    func `a malformed or absent address is an error`(address: String) async throws {
        #expect(throws: BusError.self) { try BusConnection(address: address) }
        await #expect(throws: BusError.self) { try await BusConnection.open(address: address) }
    }

    @Test func `a bus that is slow holds up nothing`() async throws {
        let bus = try await PrivateBus.start()
        bus.freeze()
        let opening = Task { try await BusConnection.open(address: bus.address, within: .seconds(3600)) }
        // A loop that waited for the bus would never come to the end of this.
        try await pass(.milliseconds(5))
        bus.thaw()
        let connection = try await opening.value
        #expect(connection.isConnected && connection.uniqueName.hasPrefix(":"))
        try await connection.fence()
    }

    @Test func `a bus that does not answer is an error`() async throws {
        let bus = try await PrivateBus.start()
        bus.freeze()
        defer { bus.thaw() }
        await #expect(throws: BusError.cannotConnect(address: bus.address, reason: BusError.silence)) {
            try await BusConnection.open(address: bus.address, within: .milliseconds(50))
        }
    }

    @Test func `a bus that closes the connection is an error`() async throws {
        let bus = try await PrivateBus.start()
        bus.freeze()
        let opening = Task { try await BusConnection.open(address: bus.address, within: .seconds(3600)) }
        try await pass(.milliseconds(5))
        bus.kill()
        await #expect(throws: BusError.cannotConnect(address: bus.address, reason: BusError.closing)) {
            try await opening.value
        }
    }
}
