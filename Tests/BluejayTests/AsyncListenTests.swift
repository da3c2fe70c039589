import Testing

@testable import Bluejay
@testable import CoreBluetooth

@MainActor @Suite(.timeLimit(.minutes(5))) struct AsyncListenTests {
    let bench = Bench.connected()

    /// What a listen has delivered so far, and how it ended.
    private final class Received {
        var values: [UInt8] = []
    }

    private let received = Received()

    /// Listens, and gathers until the end.
    private func gather(
        _ option: MultipleListenOption = .trap, upTo limit: Int = .max
    ) -> Task<[UInt8], any Error> {
        Task { [bench, received] in
            for try await value in try await bench.bluejay.listen(
                to: measurement, as: UInt8.self, multipleListenOption: option)
            {
                received.values.append(value)
                if received.values.count == limit { break }
            }
            return received.values
        }
    }

    /// Lets a listen be installed.
    private func installed() async throws {
        try await until { bench.peripheral.isAwaited }
        bench.peripheral.settle()
        try await until { bench.peripheral.isNotifying("2A37") }
    }

    private func notify(_ bytes: UInt8...) {
        for byte in bytes { bench.peripheral.notify("2A37", Data([byte])) }
    }

    @Test func `values come one by one and in order, and leaving the loop ends the listen`() async throws {
        let task = gather(upTo: 3)
        try await installed()
        notify(1, 2, 3, 4)
        #expect(await task.outcome == "[1, 2, 3]")
        #expect(try !bench.bluejay.isListening(to: measurement))
        bench.peripheral.settle()
        #expect(!bench.peripheral.isNotifying("2A37"))
    }

    @Test func `nothing is missed between the confirmation and the loop`() async throws {
        let task = Task { [bench] in try await bench.bluejay.listen(to: measurement, as: UInt8.self) }
        try await installed()
        notify(1, 2)
        let values = try await task.value
        notify(3)
        var seen: [UInt8] = []
        for try await value in values {
            seen.append(value)
            if value == 3 { break }
        }
        #expect(seen == [1, 2, 3])
        #expect(values.droppedCount == 0)
    }

    @Test(arguments: [
        (Bluejay.BufferingPolicy.unbounded, [1, 2, 3, 4, 5] as [UInt8], 0), (.newest(2), [4, 5], 3),
        (.oldest(2), [1, 2], 3), (.newest(0), [], 5),
    ])
    func `what a slow consumer finds is up to the policy`(
        policy: Bluejay.BufferingPolicy, found: [UInt8], dropped: Int
    ) async throws {
        let task = Task { [bench] in
            try await bench.bluejay.listen(to: measurement, as: UInt8.self, buffering: policy)
        }
        try await installed()
        let values = try await task.value
        notify(1, 2, 3, 4, 5)
        bench.bluejay.endListen(to: measurement, completion: nil)
        var seen: [UInt8] = []
        for try await value in values { seen.append(value) }
        #expect(seen == found)
        #expect(values.droppedCount == dropped)
    }

    @Test func `a value is decoded only when it is asked for`() async throws {
        final class Counter { var count = 0 }
        struct Counted: Receivable {
            nonisolated(unsafe) static let counter = Counter()
            init(bluetoothData: Data) { Self.counter.count += 1 }
        }
        let task = Task { [bench] in try await bench.bluejay.listen(to: measurement, as: Counted.self) }
        try await installed()
        var iterator = try await task.value.makeAsyncIterator()
        notify(1, 2, 3)
        #expect(Counted.counter.count == 0)
        _ = try await iterator.next()
        #expect(Counted.counter.count == 1)
    }

    @Test func `errors of the installation are thrown by the call`() async throws {
        bench.peripheral.answersByItself = true
        bench.peripheral.failures["subscribe"] = CBATTError(.insufficientAuthentication)
        #expect(await gather().outcome == "CBATTError 5")
        #expect(try !bench.bluejay.isListening(to: measurement))
        bench.listen()
        #expect(await gather().outcome == "multipleListenTrapped")
        let absent = CharacteristicIdentifier(uuid: "2AFF", service: heartRate)
        let task = Task { [bench] in _ = try await bench.bluejay.listen(to: absent, as: Data.self) }
        #expect(await task.outcome == "missingCharacteristic")
        bench.central.drop(bench.peripheral)
        #expect(await gather().outcome == "notConnected")
    }

    @Test(arguments: ["missing", "error", "undecodable"])
    func `a bad value is thrown after the good ones, and the listen ends`(kind: String) async throws {
        struct Small: Receivable {
            init(bluetoothData: Data) throws {
                if bluetoothData.first == 9 { throw BluejayError.readFailed }
            }
        }
        let task = Task { [bench] in
            var iterator = try await bench.bluejay.listen(to: measurement, as: Small.self).makeAsyncIterator()
            var lines: [String] = []
            while true {
                do {
                    guard try await iterator.next() != nil else { break }
                    lines.append("value")
                } catch {
                    lines.append(error.short)
                }
            }
            return lines
        }
        try await installed()
        notify(1)
        switch kind {
        case "missing": bench.peripheral.notify("2A37", nil)
        case "error": bench.peripheral.notify("2A37", Data(), error: CBError(.unknown))
        default: notify(9)
        }
        notify(2)
        let error = ["missing": "missingData", "error": "CBError 0", "undecodable": "readFailed"][kind]
        #expect(try await task.value == ["value", error])
        #expect(try !bench.bluejay.isListening(to: measurement))
        bench.peripheral.settle()
        #expect(!bench.peripheral.isNotifying("2A37"))
    }

    @Test(arguments: ["drop", "disconnect", "immediate", "cancelEverything", "off", "stop", "release"], [false, true])
    func `the end of the connection ends the loop, after what has arrived`(end: String, broadcast: Bool) async throws {
        bench.bluejay.broadcastErrorsToListeners = broadcast
        let task = gather()
        try await installed()
        notify(1, 2)
        switch end {
        case "drop": bench.central.drop(bench.peripheral, CBError(.connectionTimeout))
        case "disconnect", "immediate":
            bench.disconnect(immediate: end == "immediate")
            bench.central.drop(bench.peripheral)
        case "cancelEverything": bench.bluejay.cancelEverything(error: BluejayError.writeFailed)
        case "off": bench.central.power(.poweredOff)
        case "stop": _ = bench.bluejay.stopAndExtractBluetoothState()
        default: bench.release()
        }
        let expected = [
            "drop": "notConnected", "disconnect": "explicitDisconnect", "immediate": "explicitDisconnect",
            "cancelEverything": "writeFailed", "off": "bluetoothUnavailable", "stop": "stopped", "release": "cancelled",
        ]
        #expect(await task.outcome == expected[end])
        #expect(received.values == [1, 2])
    }

    @Test func `cancelling the queue only leaves the loop alone`() async throws {
        let task = gather(upTo: 2)
        try await installed()
        notify(1)
        bench.bluejay.cancelEverything(shouldDisconnect: false)
        notify(2)
        #expect(await task.outcome == "[1, 2]")
    }

    @Test func `endListen ends the loop without an error, also in the middle of the installation`() async throws {
        let task = gather()
        try await installed()
        notify(1)
        bench.endListen()
        #expect(await task.outcome == "[1]")
        bench.peripheral.settle()
        let early = gather()
        try await until { bench.peripheral.isAwaited }
        bench.endListen("again")
        #expect(await early.outcome == "[1]")
        bench.peripheral.settle()
        #expect(bench.journal.lines == ["endListen: success", "again: success"])
    }

    @Test func `another listen that takes over is thrown, and stays`() async throws {
        let task = gather(.replaceable)
        try await installed()
        bench.listen("second")
        bench.peripheral.settle()
        notify(7)
        #expect(await task.outcome == "multipleListenReplaced")
        notify(8)
        #expect(bench.journal.lines == ["second: 7", "second: 8"])
        #expect(try bench.bluejay.isListening(to: measurement))
    }

    @Test func `leaving the loop while another listen is on its way leaves that one alone`() async throws {
        let task = gather(.replaceable, upTo: 1)
        try await installed()
        bench.listen("second")
        notify(1)
        #expect(await task.outcome == "[1]")
        #expect(try bench.bluejay.isListening(to: measurement))
        bench.peripheral.settle()
        notify(2)
        #expect(bench.journal.lines == ["second: 2"])
    }

    @Test func `cancelling the task that waits ends the listen`() async throws {
        let task = gather()
        try await installed()
        notify(1)
        try await until { received.values == [1] }
        task.cancel()
        #expect(await task.outcome == "CancellationError")
        #expect(try !bench.bluejay.isListening(to: measurement))
        bench.peripheral.settle()
        #expect(!bench.peripheral.isNotifying("2A37"))
    }

    @Test func `cancelling before, while queued and while installing leaves nothing behind`() async throws {
        let before = gather()
        before.cancel()
        #expect(await before.outcome == "CancellationError")
        #expect(bench.peripheral.calls.isEmpty)

        bench.occupy()
        let queued = gather()
        try await bench.queued(4)
        queued.cancel()
        #expect(await queued.outcome == "CancellationError")
        #expect(bench.bluejay.queue.count == 1)
        #expect(try !bench.bluejay.isListening(to: measurement))
        bench.peripheral.settle()
        #expect(bench.peripheral.calls == ["read 2A38"])

        let installing = gather()
        try await until { bench.peripheral.isAwaited }
        installing.cancel()
        #expect(await installing.outcome == "CancellationError")
        #expect(try !bench.bluejay.isListening(to: measurement))
        bench.peripheral.settle()
        #expect(!bench.peripheral.isNotifying("2A37"))
        notify(1)
        #expect(received.values.isEmpty)
    }

    @Test func `a sequence that is dropped without a loop ends its listen`() async throws {
        let task = Task { [bench] in _ = try await bench.bluejay.listen(to: measurement, as: UInt8.self) }
        try await installed()
        #expect(await task.outcome == "()")
        try await until { try !bench.bluejay.isListening(to: measurement) }
        bench.peripheral.settle()
        #expect(!bench.peripheral.isNotifying("2A37"))
    }

    @Test func `listening again right after leaving works`() async throws {
        bench.peripheral.answersByItself = true
        bench.peripheral.onSubscribe = { [bench] _ in bench.peripheral.notify("2A37", Data([5])) }
        for _ in 0..<20 {
            for try await value in try await bench.bluejay.listen(to: measurement, as: UInt8.self) {
                #expect(value == 5)
                break
            }
        }
    }

    @Test func `leaving the loop during a queued disconnect does not get in its way`() async throws {
        let task = gather(upTo: 1)
        try await installed()
        bench.read()
        bench.disconnect()
        notify(1)
        #expect(await task.outcome == "[1]")
        bench.peripheral.settle()
        bench.central.drop(bench.peripheral)
        #expect(bench.journal.lines == ["read: ", "disconnect: Fake"])
        #expect(bench.bluejay.queue.isEmpty)
    }
}
