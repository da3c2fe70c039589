import TestSupport
import Testing

@testable import Bluejay
@testable import CoreBluetooth

@MainActor @Suite(.timeLimit(.minutes(5))) struct AsyncExchangeTests {
    let bench = Bench.connected()

    init() {
        bench.peripheral.answersByItself = true
    }

    private func flush(_ timeout: Timeout = .seconds(2)) -> Task<Void, any Error> {
        Task { [bench] in try await bench.bluejay.flushListen(to: measurement, nonZeroTimeout: timeout) }
    }

    private func ask(timeout: Timeout = .none) -> Task<UInt8, any Error> {
        Task { [bench] in
            try await bench.bluejay.writeAndListen(
                writeTo: controlPoint, value: UInt8(1), listenTo: measurement, timeout: timeout)
        }
    }

    private func assemble(_ length: Int, timeout: Timeout = .none) -> Task<Data, any Error> {
        Task { [bench] in
            try await bench.bluejay.writeAndAssemble(
                writeTo: controlPoint, value: UInt8(1), listenTo: measurement, expectedLength: length, timeout: timeout)
        }
    }

    private func answers(_ pieces: [UInt8]...) {
        bench.peripheral.onWrite = { [bench] _, _ in
            for piece in pieces { bench.peripheral.notify("2A37", Data(piece)) }
        }
    }

    private func listening() async throws {
        try await until { bench.peripheral.isNotifying("2A37") }
    }

    /// Nothing is left behind.
    private func settled() async throws {
        try await until { try bench.bluejay.queue.isEmpty && !bench.bluejay.isListening(to: measurement) }
        #expect(!bench.peripheral.isNotifying("2A37"))
        #expect(bench.time.pendingCount == 0)
    }

    @Test func `a flush goes on until a whole window was silent`() async throws {
        let task = flush()
        try await listening()
        bench.time.advance(by: 1.5)
        bench.peripheral.notify("2A37", Data([1]))
        bench.time.advance(by: 1.5)
        #expect(try bench.bluejay.isListening(to: measurement))
        bench.time.advance(by: 0.5)
        #expect(await task.outcome == "()")
        try await settled()
    }

    @Test func `a flush that might never end is refused`() async {
        #expect(await flush(.none).outcome == "indefiniteFlush")
        #expect(await flush(.seconds(0)).outcome == "indefiniteFlush")
        #expect(bench.peripheral.calls.isEmpty)
    }

    @Test func `a flush ends with its task and with the connection`() async throws {
        let cancelled = flush()
        try await listening()
        cancelled.cancel()
        #expect(await cancelled.outcome == "CancellationError")
        try await settled()
        let lost = flush()
        try await listening()
        bench.central.drop(bench.peripheral, CBError(.connectionTimeout))
        #expect(await lost.outcome == "notConnected")
        #expect(bench.time.pendingCount == 0)
    }

    @Test func `the first answer to a write is returned`() async throws {
        answers([7], [8])
        #expect(await ask().outcome == "7")
        try await settled()
        #expect(bench.peripheral.calls == ["subscribe 2A37", "write 2A39", "unsubscribe 2A37"])
        #expect(await ask(timeout: .seconds(5)).outcome == "7")
        try await settled()
    }

    @Test func `an answer in pieces is put together`() async throws {
        answers([1, 2], [3], [4, 5])
        #expect(await assemble(5, timeout: .seconds(1)).outcome == "1 2 3 4 5")
        try await settled()
        #expect(await assemble(4).outcome == "tooMuchData")
        try await settled()
    }

    @Test func `a failed write is thrown, and the listen ended`() async throws {
        bench.peripheral.failures["write"] = CBATTError(.writeNotPermitted)
        #expect(await ask(timeout: .seconds(5)).outcome == "CBATTError 3")
        try await settled()
    }

    @Test(arguments: [0, 1, 2])
    func `the timeout is for the whole call`(stage: Int) async throws {
        bench.peripheral.answersByItself = false
        let task = assemble(2, timeout: .seconds(2))
        try await until { bench.peripheral.isAwaited && bench.time.pendingCount > 0 }
        if stage > 0 {
            bench.peripheral.answer()
            try await until { bench.peripheral.isAwaited }
        }
        if stage > 1 {
            bench.peripheral.answer()
            bench.peripheral.notify("2A37", Data([1]))
        }
        bench.time.advance(by: 2)
        #expect(await task.outcome == "listenTimedOut")
        bench.peripheral.answersByItself = true
        bench.peripheral.settle()
        try await settled()
    }

    @Test func `an exchange ends with its task, and leaves an existing listen alone`() async throws {
        let cancelled = ask(timeout: .seconds(5))
        try await until { bench.peripheral.calls.contains("write 2A39") }
        cancelled.cancel()
        #expect(await cancelled.outcome == "CancellationError")
        try await settled()
        bench.listen()
        try await listening()
        #expect(await ask().outcome == "multipleListenTrapped")
        #expect(try bench.bluejay.isListening(to: measurement))
    }

    @Test func `somebody else's endListen cancels an exchange`() async throws {
        let task = ask()
        try await until { bench.peripheral.calls.contains("write 2A39") }
        bench.endListen()
        #expect(await task.outcome == "cancelled")
    }
}
