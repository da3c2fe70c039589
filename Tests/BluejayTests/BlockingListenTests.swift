import TestSupport
import Testing

@testable import Bluejay
@testable import CoreBluetooth

@MainActor @Suite(.timeLimit(.minutes(5))) struct BlockingListenTests {
    let bench = Bench.lively()

    /// Sends values once the peripheral has confirmed the listen.
    private func sendWhenSubscribed(_ values: [[UInt8]], then: (() -> Void)? = nil) {
        bench.peripheral.onSubscribe = { [bench] uuid in
            for value in values { bench.peripheral.notify(uuid, Data(value)) }
            then?()
        }
    }

    /// Sends values once something has been written.
    private func sendWhenWritten(_ values: [[UInt8]], then: (() -> Void)? = nil) {
        bench.peripheral.onWrite = { [bench] _, _ in
            for value in values { bench.peripheral.notify("2A37", Data(value)) }
            then?()
        }
    }

    private var isListening: Bool {
        (try? bench.bluejay.isListening(to: measurement)) ?? false
    }

    @Test func `a listen returns when the closure is done, and has ended then`() async {
        sendWhenSubscribed([[1], [2], [3]])
        await bench.run { [journal = bench.journal] peripheral in
            try peripheral.listen(to: measurement) { (value: UInt8) in
                dispatchPrecondition(condition: .onQueue(.main))
                journal.add("\(value)")
                return value == 2 ? .done : .keepListening
            }
        }
        #expect(bench.journal.lines == ["1", "2", "run: ()"])
        #expect(bench.peripheral.calls == ["subscribe 2A37", "unsubscribe 2A37"])
        #expect(!bench.peripheral.isNotifying("2A37") && !isListening)
        #expect(bench.time.pendingCount == 0)
    }

    @Test func `the timeout is for the whole call and counts fractions`() async {
        sendWhenSubscribed([[1]]) { [bench] in
            bench.time.advance(by: 0.4)
            bench.peripheral.notify("2A37", Data([2]))
            bench.time.advance(by: 0.1)
        }
        await bench.run { [journal = bench.journal] peripheral in
            try peripheral.listen(to: measurement, timeout: .seconds(0.5)) { (value: UInt8) in
                journal.add("\(value)")
                return .keepListening
            }
        }
        #expect(bench.journal.lines == ["1", "2", "run: listenTimedOut"])
        #expect(!isListening)
        while bench.peripheral.isNotifying("2A37") { await Task.yield() }
    }

    @Test func `a peripheral that does not answer cannot hold a task beyond its timeout`() async {
        bench.peripheral.answersByItself = false
        let task = bench.begin {
            try $0.listen(to: measurement, timeout: .seconds(5)) { (_: UInt8) in .keepListening }
        }
        while !bench.peripheral.isAwaited { await Task.yield() }
        bench.time.advance(by: 5)
        await task.end()
        #expect(bench.journal.lines == ["run: listenTimedOut"])
    }

    @Test func `an existing listen refuses a blocking one, and goes on`() async {
        bench.listen("existing", .replaceable)
        while !bench.peripheral.isNotifying("2A37") { await Task.yield() }
        bench.bluejay.endListen(to: measurement, completion: nil)
        bench.listen("existing", .trap)
        while bench.bluejay.queue.count > 0 { await Task.yield() }
        bench.peripheral.calls = []
        await bench.run("listen") {
            try $0.listen(to: measurement) { (_: UInt8) in .done }
        }
        await bench.run("flush") { try $0.flushListen(to: measurement) {} }
        await bench.run("writeAndListen") {
            try $0.writeAndListen(
                writeTo: controlPoint, value: UInt8(1), listenTo: measurement, completion: { (_: UInt8) in .done })
        }
        bench.peripheral.notify("2A37", Data([1]))
        #expect(
            bench.journal.lines == [
                "listen: multipleListenTrapped", "flush: multipleListenTrapped",
                "writeAndListen: multipleListenTrapped", "existing: 1",
            ])
        #expect(bench.peripheral.calls == [])
    }

    @Test func `errors of installing, receiving and decoding are thrown`() async {
        bench.peripheral.failures["subscribe"] = CBATTError(.requestNotSupported)
        await bench.run("install") { try $0.listen(to: measurement) { (_: UInt8) in .done } }
        #expect(bench.peripheral.calls == ["subscribe 2A37"])
        bench.peripheral.onSubscribe = { [bench] in bench.peripheral.notify($0, nil, error: CBError(.unknown)) }
        await bench.run("receive") { try $0.listen(to: measurement) { (_: UInt8) in .done } }
        bench.peripheral.onSubscribe = { [bench] in bench.peripheral.notify($0, nil) }
        await bench.run("nothing") { try $0.listen(to: measurement) { (_: UInt8) in .done } }
        struct Picky: Receivable {
            init(bluetoothData: Data) throws { throw BluejayError.missingData }
        }
        sendWhenSubscribed([[1]])
        await bench.run("decode") { try $0.listen(to: measurement) { (_: Picky) in .done } }
        #expect(
            bench.journal.lines == [
                "install: CBATTError 6", "receive: CBError 0", "nothing: missingData", "decode: missingData",
            ])
        #expect(!bench.peripheral.isNotifying("2A37") && !isListening)
    }

    @Test func `a failure to end is thrown, unless something failed before`() async {
        sendWhenSubscribed([[1]])
        bench.peripheral.failures["unsubscribe"] = CBError(.invalidHandle)
        await bench.run("end") { try $0.listen(to: measurement) { (_: UInt8) in .done } }
        bench.peripheral.failures["unsubscribe"] = CBError(.invalidHandle)
        bench.peripheral.onSubscribe = { [bench] in bench.peripheral.notify($0, nil) }
        await bench.run("both") { try $0.listen(to: measurement) { (_: UInt8) in .done } }
        #expect(bench.journal.lines == ["end: CBError 2", "both: missingData"])
    }

    @Test(arguments: [Timeout.none, .seconds(60)])
    func `an unexpected disconnect ends a waiting listen`(timeout: Timeout) async {
        sendWhenSubscribed([[1]]) { [bench] in bench.central.drop(bench.peripheral, CBError(.connectionTimeout)) }
        await bench.run { try $0.listen(to: measurement, timeout: timeout) { (_: UInt8) in .keepListening } }
        #expect(bench.journal.lines == ["run: notConnected"])
        #expect(bench.bluejay.isConnecting)
        #expect(bench.time.pendingCount == 0)
    }

    @Test func `a disconnect while a listen is being ended is thrown`() async {
        sendWhenSubscribed([[1]])
        let task = bench.begin {
            try $0.listen(to: measurement) { [bench] (_: UInt8) in
                bench.peripheral.answersByItself = false
                return .done
            }
        }
        while bench.peripheral.calls.last != "unsubscribe 2A37" { await Task.yield() }
        bench.central.drop(bench.peripheral, CBError(.connectionTimeout))
        await task.end()
        #expect(bench.journal.lines == ["run: notConnected"])
    }

    @Test func `Bluetooth going off ends a waiting listen`() async {
        sendWhenSubscribed([]) { [bench] in bench.central.power(.poweredOff) }
        await bench.run { try $0.listen(to: measurement) { (_: UInt8) in .keepListening } }
        #expect(bench.journal.lines == ["run: bluetoothUnavailable"])
    }

    @Test func `cancelling everything ends a waiting listen and leaves nothing behind`() async {
        sendWhenSubscribed([]) { [bench] in bench.bluejay.cancelEverything(shouldDisconnect: false) }
        await bench.run("stay") { try $0.listen(to: measurement) { (_: UInt8) in .keepListening } }
        #expect(!bench.peripheral.isNotifying("2A37") && !isListening)
        bench.central.answersByItself = true
        sendWhenSubscribed([]) { [bench] in bench.bluejay.cancelEverything() }
        await bench.run("leave") { try $0.listen(to: measurement) { (_: UInt8) in .keepListening } }
        while bench.bluejay.isConnected { await Task.yield() }
        #expect(bench.journal.lines == ["stay: cancelled", "leave: cancelled"])
    }

    @Test func `ending a listen waits for the peripheral, and calls the completion`() async {
        bench.listen()
        while !bench.peripheral.isNotifying("2A37") { await Task.yield() }
        bench.peripheral.calls = []
        await bench.run("end") { [journal = bench.journal] in
            try $0.endListen(to: measurement, completion: journal.write("completion"))
        }
        await bench.run("nothing") { [journal = bench.journal] in
            try $0.endListen(to: measurement, completion: journal.write("completion"))
        }
        #expect(bench.peripheral.calls == ["unsubscribe 2A37"])
        bench.listen()
        bench.peripheral.failures["unsubscribe"] = CBError(.invalidHandle)
        await bench.run("error") { [journal = bench.journal] in
            try $0.endListen(to: measurement, completion: journal.write("completion"))
        }
        #expect(
            bench.journal.lines == [
                "completion: success", "end: ()", "completion: success", "nothing: ()",
                "completion: CBError 2", "error: CBError 2",
            ])
    }

    @Test func `ending a listen after the connection has ended calls the completion, too`() async {
        bench.peripheral.answersByItself = false
        let task = bench.begin { [journal = bench.journal] peripheral in
            do { _ = try peripheral.read(from: location) as UInt8 } catch BluejayError.notConnected {}
            try peripheral.endListen(to: measurement, completion: journal.write("completion"))
        }
        while !bench.peripheral.isAwaited { await Task.yield() }
        bench.central.drop(bench.peripheral, CBError(.connectionTimeout))
        await task.end()
        #expect(bench.journal.lines == ["completion: notConnected", "run: notConnected"])
    }

    @Test func `a flush goes on until a whole window was silent`() async {
        sendWhenSubscribed([[1], [2]]) { [bench] in
            for value in 3...5 {
                bench.time.advance(by: 1.4)
                bench.peripheral.notify("2A37", Data([UInt8(value)]))
            }
            #expect(bench.time.pendingCount == 1)
            bench.time.advance(by: 1.5)
        }
        await bench.run {
            var isFlushed = false
            try $0.flushListen(to: measurement, nonZeroTimeout: .seconds(1.5)) {
                dispatchPrecondition(condition: .notOnQueue(.main))
                isFlushed = true
            }
            return isFlushed
        }
        #expect(bench.journal.lines == ["run: true"])
        #expect(bench.peripheral.calls == ["subscribe 2A37", "unsubscribe 2A37"])
    }

    @Test func `a flush counts silence from the confirmation on`() async {
        bench.peripheral.answersByItself = false
        let task = bench.begin { try $0.flushListen(to: measurement, nonZeroTimeout: .seconds(1)) {} }
        while !bench.peripheral.isAwaited { await Task.yield() }
        bench.time.advance(by: 5)
        bench.peripheral.answer()
        bench.time.advance(by: 0.9)
        #expect(bench.peripheral.calls == ["subscribe 2A37"])
        bench.time.advance(by: 0.1)
        #expect(bench.peripheral.calls == ["subscribe 2A37", "unsubscribe 2A37"])
        bench.peripheral.answer()
        await task.end()
        #expect(bench.journal.lines == ["run: ()"])
    }

    @Test func `a flush whose listen never begins fails`() async {
        bench.peripheral.answersByItself = false
        let task = bench.begin { try $0.flushListen(to: measurement, nonZeroTimeout: .seconds(1)) {} }
        while !bench.peripheral.isAwaited { await Task.yield() }
        bench.time.advance(by: BlockingListen.installationLimit)
        await task.end()
        #expect(bench.journal.lines == ["run: listenTimedOut"])
    }

    @Test func `a flush that might never end ends the program`() async {
        await #expect(processExitsWith: .failure) { @MainActor in
            let bench = Bench.lively()
            await bench.run { try $0.flushListen(to: measurement, nonZeroTimeout: .none) {} }
        }
        await #expect(processExitsWith: .failure) { @MainActor in
            let bench = Bench.lively()
            await bench.run { try $0.flushListen(to: measurement, nonZeroTimeout: .seconds(0)) {} }
        }
    }

    @Test func `the answer to a write cannot be missed`() async {
        sendWhenWritten([[1], [2]])
        await bench.run { [journal = bench.journal] peripheral in
            try peripheral.writeAndListen(
                writeTo: controlPoint, value: UInt8(9), listenTo: measurement, timeoutInSeconds: 15
            ) { (value: UInt8) in
                journal.add("\(value)")
                return value == 2 ? .done : .keepListening
            }
        }
        #expect(bench.journal.lines == ["1", "2", "run: ()"])
        #expect(bench.peripheral.calls == ["subscribe 2A37", "write 2A39", "unsubscribe 2A37"])
        #expect(bench.time.pendingCount == 0)
    }

    @Test func `a failed write ends the listen`() async {
        bench.peripheral.failures["write"] = CBATTError(.writeNotPermitted)
        await bench.run("listen") {
            try $0.writeAndListen(
                writeTo: controlPoint, value: UInt8(9), listenTo: measurement, completion: { (_: UInt8) in .done })
        }
        #expect(!isListening && !bench.peripheral.isNotifying("2A37"))
        bench.peripheral.failures["write"] = CBATTError(.writeNotPermitted)
        await bench.run("assemble") {
            try $0.writeAndAssemble(
                writeTo: controlPoint, value: UInt8(9), listenTo: measurement, expectedLength: 1,
                completion: { (_: UInt8) in .done })
        }
        #expect(!isListening && !bench.peripheral.isNotifying("2A37"))
        #expect(bench.journal.lines == ["listen: CBATTError 3", "assemble: CBATTError 3"])
    }

    @Test func `without the listen nothing is written`() async {
        bench.peripheral.failures["subscribe"] = CBATTError(.requestNotSupported)
        await bench.run {
            try $0.writeAndListen(
                writeTo: controlPoint, value: UInt8(9), listenTo: measurement, completion: { (_: UInt8) in .done })
        }
        #expect(bench.journal.lines == ["run: CBATTError 6"])
        #expect(bench.peripheral.written == [])
    }

    @Test func `an answer that does not come in time`() async {
        sendWhenWritten([[1]]) { [bench] in bench.time.advance(by: 2.5) }
        await bench.run("listen") {
            try $0.writeAndListen(
                writeTo: controlPoint, value: UInt8(9), listenTo: measurement, timeoutInSeconds: .seconds(2.5)
            ) { (_: UInt8) in .keepListening }
        }
        while bench.bluejay.queue.count > 0 { await Task.yield() }
        sendWhenWritten([[1]]) { [bench] in bench.time.advance(by: 3) }
        await bench.run("partial") {
            try $0.writeAndAssemble(
                writeTo: controlPoint, value: UInt8(9), listenTo: measurement, expectedLength: 2, timeoutInSeconds: 3
            ) { (_: Data) in .done }
        }
        #expect(bench.journal.lines == ["listen: listenTimedOut", "partial: listenTimedOut"])
        #expect(!isListening)
    }

    @Test func `an answer in pieces is put together, again if so wanted`() async {
        sendWhenWritten([[1, 2], [], [3], [4], [5, 6]])
        await bench.run { [journal = bench.journal] peripheral in
            var count = 0
            try peripheral.writeAndAssemble(
                writeTo: controlPoint, value: UInt8(9), listenTo: measurement, expectedLength: 3
            ) { (value: Data) in
                journal.add("\(Array(value))")
                count += 1
                return count == 2 ? .done : .keepListening
            }
        }
        #expect(bench.journal.lines == ["[1, 2, 3]", "[4, 5, 6]", "run: ()"])
    }

    @Test func `too much of an answer is an error with everything received`() async {
        sendWhenWritten([[1, 2], [3, 4]])
        await bench.run("assemble") { peripheral in
            do {
                try peripheral.writeAndAssemble(
                    writeTo: controlPoint, value: UInt8(9), listenTo: measurement, expectedLength: 3
                ) { (_: Data) in .done }
                return "nothing"
            } catch BluejayError.tooMuchData(let expected, let received) {
                return "\(expected) \(Array(received))"
            }
        }
        #expect(bench.journal.lines == ["assemble: 3 [1, 2, 3, 4]"])
        #expect(!isListening && !bench.peripheral.isNotifying("2A37"))
    }
}
