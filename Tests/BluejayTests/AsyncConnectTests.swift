import TestSupport
import Testing

@testable import Bluejay
@testable import CoreBluetooth

@MainActor @Suite(.timeLimit(.minutes(5))) struct AsyncConnectTests {
    let bench = Bench()

    private func connect(timeout: Timeout = .none) -> Task<PeripheralIdentifier, any Error> {
        Task { [bench] in try await bench.bluejay.connect(bench.identifier, timeout: timeout) }
    }

    private func disconnect(immediate: Bool = false) -> Task<PeripheralIdentifier, any Error> {
        Task { [bench] in try await bench.bluejay.disconnect(immediate: immediate) }
    }

    private func connected() async throws {
        let task = connect()
        try await until { bench.bluejay.isConnecting }
        bench.central.accept(bench.peripheral)
        #expect(await task.outcome == "Fake")
    }

    @Test func `connecting and disconnecting are awaited`() async throws {
        try await connected()
        #expect(bench.bluejay.isConnected)
        let task = disconnect()
        try await until { bench.bluejay.isDisconnecting }
        bench.central.drop(bench.peripheral)
        #expect(await task.outcome == "Fake")
        #expect(!bench.bluejay.isConnected && !bench.bluejay.shouldAutoReconnect)
    }

    @Test func `connecting throws what its completion would fail with`() async throws {
        let strange = PeripheralIdentifier(uuid: UUID(), name: nil)
        let unknown = Task { [bench] in try await bench.bluejay.connect(strange) }
        #expect(await unknown.outcome == "unexpectedPeripheral")
        let refused = connect()
        try await until { bench.bluejay.isConnecting }
        #expect(await connect().outcome == "multipleConnectNotSupported")
        bench.bluejay.registerDisconnectHandler(handler: bench.journal)
        bench.journal.answer = .change(shouldAutoReconnect: false)
        bench.central.refuse(bench.peripheral)
        #expect(await refused.outcome == "unexpectedDisconnect")
        let late = connect(timeout: .seconds(5))
        try await until { bench.bluejay.isConnecting }
        bench.time.advance(by: 5)
        bench.central.drop(bench.peripheral)
        #expect(await late.outcome == "connectionTimedOut")
        bench.central.power(.poweredOff)
        #expect(await connect().outcome == "bluetoothUnavailable")
    }

    @Test func `disconnecting throws what its completion would fail with`() async throws {
        #expect(await disconnect().outcome == "notConnected")
        try await connected()
        bench.read()
        let first = disconnect()
        try await until { bench.bluejay.pendingDisconnection != nil }
        #expect(await disconnect().outcome == "multipleDisconnectNotSupported")
        #expect(await connect().outcome == "disconnectQueued")
        let immediate = disconnect(immediate: true)
        #expect(await first.outcome == "explicitDisconnect")
        bench.central.drop(bench.peripheral)
        #expect(await immediate.outcome == "Fake")
    }

    @Test func `a cancelled attempt is given up, not repeated, and the way is free for another`() async throws {
        let task = connect()
        try await until { bench.bluejay.isConnecting }
        task.cancel()
        try await until { bench.central.calls.contains("cancelConnection") }
        #expect(bench.bluejay.isDisconnecting)
        bench.central.drop(bench.peripheral)
        #expect(await task.outcome == "CancellationError")
        #expect(bench.central.calls.filter { $0 == "connect" }.count == 1)
        #expect(!bench.bluejay.isConnecting && !bench.bluejay.isDisconnecting && !bench.bluejay.shouldAutoReconnect)
        try await connected()
    }

    @Test func `a cancelled attempt ends even if the system never confirms`() async throws {
        let task = connect()
        try await until { bench.bluejay.isConnecting }
        task.cancel()
        try await until { bench.bluejay.isDisconnecting }
        bench.time.advance(by: Bluejay.disconnectConfirmationTimeout)
        #expect(await task.outcome == "CancellationError")
    }

    @Test func `a connection that is there when the task is cancelled stays`() async throws {
        let task = connect()
        try await until { bench.bluejay.isConnecting }
        bench.central.accept(bench.peripheral)
        task.cancel()
        #expect(await task.outcome == "Fake")
        try await until { bench.bluejay.queue.isEmpty }
        #expect(bench.bluejay.isConnected && bench.bluejay.shouldAutoReconnect)
    }

    @Test func `nothing is asked for by a task that is cancelled before`() async throws {
        let connecting = connect()
        connecting.cancel()
        #expect(await connecting.outcome == "CancellationError")
        try await connected()
        let disconnecting = disconnect(immediate: true)
        disconnecting.cancel()
        #expect(await disconnecting.outcome == "CancellationError")
        #expect(bench.central.calls == ["connect"])
        #expect(bench.bluejay.isConnected)
    }

    @Test func `a cancelled disconnect that waits does not take place`() async throws {
        try await connected()
        bench.read()
        let task = disconnect()
        try await until { bench.bluejay.pendingDisconnection != nil }
        #expect(!bench.bluejay.shouldAutoReconnect)
        task.cancel()
        #expect(await task.outcome == "CancellationError")
        bench.read("another")
        bench.peripheral.settle()
        #expect(bench.bluejay.isConnected && bench.bluejay.shouldAutoReconnect)
        #expect(bench.journal.lines == ["read: ", "another: "])
        #expect(bench.central.calls == ["connect"])
    }

    @Test(arguments: [false, true])
    func `a cancelled disconnect that is under way goes on without the task`(immediate: Bool) async throws {
        try await connected()
        let task = disconnect(immediate: immediate)
        try await until { bench.bluejay.isDisconnecting }
        task.cancel()
        #expect(await task.outcome == "CancellationError")
        bench.central.drop(bench.peripheral)
        #expect(!bench.bluejay.isConnected && !bench.bluejay.isDisconnecting && !bench.bluejay.shouldAutoReconnect)
        #expect(bench.bluejay.queue.isEmpty)
    }

    @Test func `the timeout is remembered for connecting again`() async throws {
        let task = connect(timeout: .seconds(7))
        try await until { bench.bluejay.isConnecting }
        bench.central.accept(bench.peripheral)
        _ = await task.result
        bench.central.drop(bench.peripheral, CBError(.connectionTimeout))
        #expect(bench.bluejay.isConnecting)
        bench.time.advance(by: 7)
        bench.central.drop(bench.peripheral)
        #expect(!bench.bluejay.isConnecting)
    }

    @Test func `an awaited call keeps the instance alive`() async throws {
        let task = connect()
        try await until { bench.bluejay.isConnecting }
        weak let remembered = bench.bluejay
        bench.release()
        #expect(remembered?.isConnecting == true)
        bench.central.accept(bench.peripheral)
        #expect(await task.outcome == "Fake")
        try await until { bench.central.calls.contains("cancelConnection") }
        #expect(remembered == nil)
    }
}
