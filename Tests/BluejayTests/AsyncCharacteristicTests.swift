import TestSupport
import Testing

@testable import Bluejay
@testable import CoreBluetooth

@MainActor @Suite(.timeLimit(.minutes(5))) struct AsyncCharacteristicTests {
    let bench = Bench.connected()

    private func read(_ characteristic: CharacteristicIdentifier = location) -> Task<Data, any Error> {
        Task { [bench] in try await bench.bluejay.read(from: characteristic) }
    }

    private func write(type: CBCharacteristicWriteType = .withResponse) -> Task<Void, any Error> {
        Task { [bench] in try await bench.bluejay.write(to: controlPoint, value: UInt16(0x0102), type: type) }
    }

    private func endListen() -> Task<Void, any Error> {
        Task { [bench] in try await bench.bluejay.endListen(to: measurement) }
    }

    private func readRSSI() -> Task<Int, any Error> {
        Task { [bench] in try await bench.bluejay.readRSSI() }
    }

    @Test func `a read returns the decoded value`() async throws {
        bench.peripheral.values["2A38"] = Data([7, 0])
        bench.peripheral.answersByItself = true
        let inferred: UInt8 = try await bench.bluejay.read(from: location)
        let named = try await bench.bluejay.read(from: location, as: UInt16.self)
        #expect(inferred == 7 && named == 7)
    }

    @Test func `a read of an integer throws when there are too few bytes`() async throws {
        bench.peripheral.answersByItself = true
        bench.peripheral.values["2A38"] = Data([7])
        await #expect(throws: BluejayError.self) { try await bench.bluejay.read(from: location, as: UInt16.self) }
        bench.peripheral.values["2A38"] = Data()
        await #expect(throws: BluejayError.self) { try await bench.bluejay.read(from: location, as: Int8.self) }
    }

    @Test func `a read throws what CoreBluetooth, Bluejay and the decoding report`() async throws {
        struct Picky: Receivable {
            init(bluetoothData: Data) throws { throw BluejayError.missingData }
        }
        bench.peripheral.answersByItself = true
        bench.peripheral.failures["read"] = CBATTError(.readNotPermitted)
        await #expect(throws: CBATTError(.readNotPermitted)) {
            try await bench.bluejay.read(from: location, as: Data.self)
        }
        let absent = CharacteristicIdentifier(uuid: "2AFF", service: heartRate)
        #expect(await read(absent).outcome == "missingCharacteristic")
        let alien = CharacteristicIdentifier(uuid: "2A19", service: ServiceIdentifier(uuid: "180F"))
        #expect(await read(alien).outcome == "missingService")
        let picky = Task { [bench] in try await bench.bluejay.read(from: location, as: Picky.self) }
        #expect(await picky.outcome == "missingData")
        bench.listen()
        #expect(await read(measurement).outcome == "readFailed")
        bench.disconnect()
        #expect(await read().outcome == "disconnectQueued")
        try await until { bench.bluejay.isDisconnecting }
        bench.central.drop(bench.peripheral)
        #expect(await read().outcome == "notConnected")
    }

    @Test func `a write is encoded at the call and returns when it is answered`() async throws {
        let task = write()
        try await until { bench.peripheral.isAwaited }
        bench.peripheral.answer()
        #expect(await task.outcome == "()")
        #expect(bench.peripheral.written == [Data([2, 1])])
        bench.peripheral.answersByItself = true
        bench.peripheral.failures["write"] = CBATTError(.writeNotPermitted)
        #expect(await write().outcome == "CBATTError 3")
    }

    @Test func `a write without response waits for room, and can be cancelled meanwhile`() async throws {
        bench.peripheral.room = 0
        bench.peripheral.canSendWriteWithoutResponse = false
        let cancelled = write(type: .withoutResponse)
        try await bench.queued(1)
        let waiting = write(type: .withoutResponse)
        try await bench.queued(4)
        cancelled.cancel()
        #expect(await cancelled.outcome == "CancellationError")
        #expect(bench.peripheral.written.isEmpty)
        bench.peripheral.makeRoom()
        #expect(await waiting.outcome == "()")
        #expect(bench.peripheral.written.count == 1)
    }

    @Test func `the end of a listen is awaited`() async throws {
        bench.listen()
        bench.peripheral.settle()
        let task = endListen()
        try await until { bench.peripheral.isAwaited }
        #expect(try !bench.bluejay.isListening(to: measurement))
        bench.peripheral.settle()
        #expect(await task.outcome == "()")
        #expect(!bench.peripheral.isNotifying("2A37"))
        bench.peripheral.answersByItself = true
        bench.peripheral.failures["unsubscribe"] = CBATTError(.unlikelyError)
        #expect(await endListen().outcome == "CBATTError 14")
    }

    @Test func `the signal strength answers everybody who asked, and the observers`() async throws {
        final class Observer: RSSIObserver {
            var values: [Int] = []
            func didReadRSSI(from peripheral: PeripheralIdentifier, RSSI: NSNumber, error: (any Error)?) {
                values.append(RSSI.intValue)
            }
        }
        let observer = Observer()
        bench.bluejay.register(rssiObserver: observer)
        let tasks = [readRSSI(), readRSSI()]
        try await until { bench.bluejay.rssiReads.count == 2 }
        bench.peripheral.report(rssi: -61)
        for task in tasks { #expect(await task.outcome == "-61") }
        #expect(observer.values == [-61])

        let failing = readRSSI()
        try await until { bench.bluejay.rssiReads.count == 1 }
        bench.peripheral.report(rssi: 0, error: CBError(.notConnected))
        #expect(await failing.outcome == "CBError 3")
    }

    @Test(arguments: ["drop", "disconnect", "cancelEverything", "off", "stop"])
    func `a wait for the signal strength ends with what it waited for`(end: String) async throws {
        let task = readRSSI()
        try await until { bench.bluejay.rssiReads.count == 1 }
        switch end {
        case "drop": bench.central.drop(bench.peripheral, CBError(.connectionTimeout))
        case "disconnect":
            bench.disconnect()
            bench.central.drop(bench.peripheral)
        case "cancelEverything": bench.bluejay.cancelEverything(error: BluejayError.writeFailed)
        case "off": bench.central.power(.poweredOff)
        default: _ = bench.bluejay.stopAndExtractBluetoothState()
        }
        let expected = [
            "drop": "notConnected", "disconnect": "explicitDisconnect", "cancelEverything": "writeFailed",
            "off": "bluetoothUnavailable", "stop": "stopped",
        ]
        #expect(await task.outcome == expected[end])
    }

    @Test func `a task that is cancelled before it begins asks for nothing`() async throws {
        let tasks: [Task<Void, any Error>] = [
            Task { [bench] in _ = try await bench.bluejay.read(from: location, as: Data.self) }, write(), endListen(),
            Task { [bench] in _ = try await bench.bluejay.readRSSI() },
        ]
        for task in tasks { task.cancel() }
        for task in tasks { #expect(await task.outcome == "CancellationError") }
        #expect(bench.peripheral.calls.isEmpty)
        #expect(bench.bluejay.queue.isEmpty)
    }

    @Test func `a cancelled operation leaves the queue, the others go on in order`() async throws {
        bench.occupy()
        let first = read()
        try await bench.queued(4)
        let doomed = write()
        try await bench.queued(7)
        let last = endListen()
        try await bench.queued(10)
        doomed.cancel()
        #expect(await doomed.outcome == "CancellationError")
        #expect(bench.bluejay.queue.count == 7)
        bench.peripheral.values["2A38"] = Data([1])
        bench.peripheral.settle()
        #expect(await first.outcome == "1")
        #expect(await last.outcome == "()")
        #expect(bench.peripheral.calls == ["read 2A38", "read 2A38", "unsubscribe 2A37"])
    }

    @Test func `cancelling what is under way lets the next begin, and its late answer is ignored`() async throws {
        let cancelled = read()
        try await until { bench.peripheral.isAwaited }
        cancelled.cancel()
        #expect(await cancelled.outcome == "CancellationError")
        #expect(bench.bluejay.queue.isEmpty)
        let next = read()
        try await bench.queued(1)
        bench.peripheral.values["2A38"] = Data([1])
        bench.peripheral.answer()
        #expect(bench.bluejay.queue.count == 1)
        bench.peripheral.values["2A38"] = Data([2])
        bench.peripheral.answer()
        #expect(await next.outcome == "2")
        #expect(bench.messages.texts.isEmpty)
    }

    @Test func `cancelling an operation whose characteristic is being discovered ends the discovery`() async throws {
        let bench = Bench()
        bench.bluejay.connect(bench.identifier) { _ in }
        bench.central.accept(bench.peripheral)
        let cancelled = Task { try await bench.bluejay.read(from: location, as: Data.self) }
        try await bench.queued(3)
        let next = Task { try await bench.bluejay.write(to: controlPoint, value: UInt8(1)) }
        try await bench.queued(6)
        cancelled.cancel()
        #expect(await cancelled.outcome == "CancellationError")
        #expect(bench.bluejay.queue.count == 3)
        bench.peripheral.settle()
        #expect(await next.outcome == "()")
        #expect(!bench.peripheral.calls.contains("read 2A38"))
    }

    @Test func `cancelling after the end changes nothing`() async throws {
        bench.peripheral.values["2A38"] = Data([1])
        let task = read()
        try await until { bench.peripheral.isAwaited }
        bench.peripheral.answer()
        task.cancel()
        #expect(await task.outcome == "1")
        let rssi = readRSSI()
        try await until { bench.bluejay.rssiReads.count == 1 }
        rssi.cancel()
        #expect(await rssi.outcome == "CancellationError")
        #expect(bench.bluejay.rssiReads.isEmpty)
        bench.peripheral.report(rssi: -50)
    }

    @Test func `cancelEverything throws its error, not a cancellation of the task`() async throws {
        let running = read()
        try await bench.queued(1)
        let queued = write()
        try await bench.queued(4)
        bench.bluejay.cancelEverything(shouldDisconnect: false)
        #expect(await running.outcome == "cancelled")
        #expect(await queued.outcome == "cancelled")
    }

    @Test func `a background task refuses awaited calls`() async throws {
        let gate = DispatchSemaphore(value: 0)
        bench.bluejay.run(
            backgroundTask: { _ in gate.wait() }, completionOnMainThread: bench.journal.run("task"))
        #expect(await read().outcome == "backgroundTaskRunning")
        #expect(await readRSSI().outcome == "backgroundTaskRunning")
        gate.signal()
        try await until { bench.journal.lines == ["task: ()"] }
    }
}
