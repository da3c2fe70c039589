import Testing

@testable import Bluejay
@testable import CoreBluetooth

/// A bench whose system answers by itself, as a task that blocks its thread needs it.
extension Bench {
    static func lively() -> Bench {
        let bench = Bench.connected()
        bench.peripheral.answersByItself = true
        return bench
    }

    /// Starts a task.
    ///
    /// - Parameter then: called in its completion.
    @MainActor func begin<R>(
        _ name: String = "run", then: (() -> Void)? = nil, _ task: @escaping (SynchronizedPeripheral) throws -> R
    ) -> RunningTask {
        let running = RunningTask()
        bluejay.run(
            backgroundTask: task,
            completionOnMainThread: { [journal] result in
                dispatchPrecondition(condition: .onQueue(.main))
                (journal.run(name) as (RunResult<R>) -> Void)(result)
                then?()
                // Later, so that what Bluejay does after the completion is over.
                DispatchQueue.main.async { running.isOver = true }
            })
        return running
    }

    /// Runs a task and waits until its completion has been called.
    @MainActor func run<R>(
        _ name: String = "run", then: (() -> Void)? = nil, _ task: @escaping (SynchronizedPeripheral) throws -> R
    ) async {
        await begin(name, then: then, task).end()
    }
}

/// A background task under way.
@MainActor final class RunningTask {
    fileprivate(set) var isOver = false

    /// Waits until the completion has been called.
    func end() async {
        while !isOver { await Task.yield() }
    }
}

@MainActor @Suite(.timeLimit(.minutes(5))) struct BackgroundTaskTests {
    let bench = Bench.lively()

    @Test func `a task runs elsewhere, and its result comes on the main queue`() async {
        await bench.run("void") { _ in dispatchPrecondition(condition: .notOnQueue(.main)) }
        await bench.run("value") { _ in 42 }
        await bench.run("error") { _ -> Int in throw BluejayError.missingData }
        await withCheckedContinuation { continuation in
            bench.bluejay.run(
                userData: "data", backgroundTask: { _, data in data.count },
                completionOnMainThread: { [bench] result in
                    bench.journal.run("user data")(result)
                    continuation.resume()
                })
        }
        #expect(bench.journal.lines == ["void: ()", "value: 42", "error: missingData", "user data: 4"])
    }

    @Test func `a task is refused without a connection, at once`() {
        let bench = Bench()
        bench.bluejay.run(
            backgroundTask: { _ in Issue.record("must not run") }, completionOnMainThread: bench.journal.run("run"))
        #expect(bench.journal.lines == ["run: notConnected"])
    }

    @Test func `while a task runs, everything else is refused`() async throws {
        let gate = DispatchSemaphore(value: 0)
        bench.scan()
        let task = bench.begin("first") { _ in gate.wait() }
        while bench.bluejay.runningTask == nil { await Task.yield() }
        bench.bluejay.run(
            backgroundTask: { _ in Issue.record("must not run") }, completionOnMainThread: bench.journal.run("second"))
        bench.read()
        bench.write()
        bench.listen()
        bench.endListen()
        bench.scan("scan 2")
        bench.bluejay.connect(bench.identifier, completion: bench.journal.connection("connect"))
        bench.disconnect()
        bench.disconnect(immediate: true)
        bench.bluejay.stopScanning()
        #expect(bench.bluejay.isScanning)
        #expect(throws: BluejayError.self) { try bench.bluejay.readRSSI() }
        #expect(try !bench.bluejay.isListening(to: measurement))
        gate.signal()
        await task.end()
        #expect(
            bench.journal.lines == [
                "second: multipleBackgroundTaskNotSupported", "read: backgroundTaskRunning",
                "write: backgroundTaskRunning", "listen: backgroundTaskRunning", "endListen: backgroundTaskRunning",
                "scan 2 stopped with 0: backgroundTaskRunning", "connect: backgroundTaskRunning",
                "disconnect: backgroundTaskRunning", "disconnect: backgroundTaskRunning", "first: ()",
            ])
    }

    @Test func `blocking reads and writes`() async {
        bench.bluejay.stopScanning()
        bench.peripheral.values["2A38"] = Data([7])
        await bench.run { peripheral in
            try peripheral.write(to: controlPoint, value: UInt16(0x0102))
            try peripheral.write(to: controlPoint, value: UInt8(3), type: .withoutResponse)
            let one: UInt8 = try peripheral.read(from: location)
            let two: UInt8 = try peripheral.writeAndRead(writeTo: controlPoint, value: UInt8(4), readFrom: location)
            return one + two
        }
        #expect(bench.journal.lines == ["run: 14"])
        #expect(bench.peripheral.written == [Data([2, 1]), Data([3]), Data([4])])
    }

    @Test func `errors are thrown`() async {
        bench.peripheral.failures = ["read": CBATTError(.readNotPermitted), "write": CBATTError(.writeNotPermitted)]
        await bench.run("read") { try $0.read(from: location) as UInt8 }
        await bench.run("write") { try $0.write(to: controlPoint, value: UInt8(1)) }
        await bench.run("missing") {
            try $0.read(from: CharacteristicIdentifier(uuid: "2A19", service: heartRate)) as UInt8
        }
        bench.peripheral.failures = ["write": CBATTError(.writeNotPermitted)]
        bench.peripheral.calls = []
        await bench.run("both") {
            try $0.writeAndRead(writeTo: controlPoint, value: UInt8(1), readFrom: location) as UInt8
        }
        #expect(
            bench.journal.lines == [
                "read: CBATTError 2", "write: CBATTError 3", "missing: missingCharacteristic", "both: CBATTError 3",
            ])
        #expect(bench.peripheral.calls == ["write 2A39"])
    }

    @Test func `the longest write`() async {
        await bench.run {
            ($0.maximumWriteValueLength(for: .withResponse), $0.maximumWriteValueLength(for: .withoutResponse))
        }
        #expect(bench.journal.lines == ["run: (512, 20)"])
    }

    @Test func `an unexpected disconnect ends a blocked read; everybody else hears after the completion`() async {
        bench.observe()
        bench.journal.clear()
        bench.peripheral.answersByItself = false
        let task = bench.begin { try $0.read(from: location) as UInt8 }
        while !bench.peripheral.isAwaited { await Task.yield() }
        bench.central.drop(bench.peripheral, CBError(.connectionTimeout))
        #expect(!bench.bluejay.isConnected)
        #expect(bench.journal.lines == [])
        await task.end()
        #expect(
            bench.journal.lines == [
                "run: notConnected", "disconnected from Fake", "handler: CBError 6, willReconnect true",
            ])
        #expect(bench.bluejay.isConnecting)
    }

    @Test func `clean-up takes place whatever the task makes of the disconnect`() async {
        bench.observe()
        bench.journal.clear()
        bench.journal.answer = .change(shouldAutoReconnect: false)
        bench.peripheral.answersByItself = false
        let task = bench.begin(then: { [bench] in bench.scan() }) { peripheral in
            for _ in 0..<2 {
                do { _ = try peripheral.read(from: location) as UInt8 } catch BluejayError.notConnected {}
            }
            return "fine"
        }
        while !bench.peripheral.isAwaited { await Task.yield() }
        bench.central.drop(bench.peripheral, CBError(.connectionTimeout))
        await task.end()
        #expect(
            bench.journal.lines == [
                "run: fine", "disconnected from Fake", "handler: CBError 6, willReconnect true",
            ])
        #expect(bench.bluejay.isScanning)
    }

    @Test func `everything can be cancelled during a task`() async {
        bench.peripheral.answersByItself = false
        let task = bench.begin { try $0.read(from: location) as UInt8 }
        while !bench.peripheral.isAwaited { await Task.yield() }
        bench.bluejay.cancelEverything(shouldDisconnect: false)
        await task.end()
        #expect(bench.journal.lines == ["run: cancelled"])
        #expect(bench.bluejay.isConnected)
    }

    @Test func `a task can cancel everything itself`() async {
        bench.observe()
        bench.journal.clear()
        bench.central.answersByItself = true
        let bluejay: Bluejay = bench.bluejay
        await bench.run { peripheral in
            bluejay.cancelEverything()
            return try peripheral.read(from: location) as UInt8
        }
        while bluejay.isDisconnecting { await Task.yield() }
        #expect(
            bench.journal.lines == [
                "run: notConnected", "disconnected from Fake", "handler: no error, willReconnect false",
            ])
    }

    @Test func `Bluetooth going off ends a blocked read`() async {
        bench.observe()
        bench.journal.clear()
        bench.peripheral.answersByItself = false
        let task = bench.begin { try $0.read(from: location) as UInt8 }
        while !bench.peripheral.isAwaited { await Task.yield() }
        bench.central.power(.poweredOff)
        await task.end()
        #expect(bench.journal.lines == ["available: false", "run: bluetoothUnavailable"])
    }

    @Test func `the ordinary calls work in the completion`() async {
        await bench.run(then: { [bench] in bench.read() }) { _ in 1 }
        while bench.journal.lines.count < 2 { await Task.yield() }
        #expect(bench.journal.lines == ["run: 1", "read: "])
    }

    @Test func `a blocking call on the main queue ends the program`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let bench = Bench.lively()
            if case .success(let peripheral) = bench.bluejay.beginTask() {
                try? peripheral.write(to: controlPoint, value: UInt8(1))
            }
        }
        #expect(text(of: result).contains("A SynchronizedPeripheral was used on the main queue."))
    }

    @Test func `a blocking listen on the main queue ends the program`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let bench = Bench.lively()
            if case .success(let peripheral) = bench.bluejay.beginTask() {
                try? peripheral.listen(to: measurement) { (_: UInt8) in .done }
            }
        }
        #expect(text(of: result).contains("A SynchronizedPeripheral was used on the main queue."))
    }

    @Test func `an ordinary call outside the main queue ends the program`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let bluejay = Bluejay()
            bluejay.stopScanning()
        }
        #expect(text(of: result).contains("stopScanning() was called outside of the main queue."))
        #expect(text(of: result).contains("DispatchQueue.main.async"))
    }

    @Test func `a manager that was handed over and has another queue ends the program`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let bluejay = Bluejay()
            bluejay.centralManagerDidUpdateState(FakeCentral(.poweredOn))
        }
        #expect(text(of: result).contains("centralManagerDidUpdateState(_:) was called outside of the main queue."))
        #expect(text(of: result).contains("created with the main queue"))
    }

    private func text(of result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }
}
