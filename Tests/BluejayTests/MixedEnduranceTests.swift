import TestSupport
import Testing

@testable import Bluejay
@testable import CoreBluetooth

/// How often each completion was called, and the order of the completions of queued work.
private final class Ledger {
    private(set) var calls: [UInt8] = []
    /// The numbers of reads, writes and ends of listens in the order of their completions, but for those that were
    /// refused at once.
    private(set) var order: [Int] = []
    private(set) var tally: [String: Int] = [:]
    private var isInsideCall = false

    init(capacity: Int) {
        calls.reserveCapacity(capacity)
        order.reserveCapacity(capacity)
    }

    /// Makes a call whose completion is to close the number.
    func open(_ call: (Int) -> Void) {
        calls.append(0)
        let wasInside = isInsideCall
        isInsideCall = true
        call(calls.count - 1)
        isInsideCall = wasInside
    }

    func close(_ number: Int, _ kind: String, isOrdered: Bool = false, _ error: (any Error)? = nil) {
        calls[number] &+= 1
        if isOrdered, !(isInsideCall && error != nil) { order.append(number) }
        tally["\(kind) \(error?.short ?? "success")", default: 0] += 1
    }
}

/// What one listen has received.
private final class Ear {
    var last = -1
    var isEnded = false
    private(set) var isSound = true

    func hear(_ result: ReadResult<UInt32>) {
        // Nothing after an error, and no value twice or out of order.
        if isEnded { isSound = false }
        switch result {
        case .success(let value):
            if Int(value) <= last { isSound = false }
            last = Int(value)
        case .failure: isEnded = true
        }
    }
}

/// Hears of signal strengths.
private final class Meter: RSSIObserver {
    var onReading: (() -> Void)?

    func didReadRSSI(from peripheral: PeripheralIdentifier, RSSI: NSNumber, error: (any Error)?) { onReading?() }
}

/// A Bluejay that is asked for everything that it can do, on a system that answers, fails and vanishes at random.
@MainActor private final class Ordeal {
    let bench = Bench()
    let ledger: Ledger
    private var dice: Dice
    private var count: UInt32 = 0
    private let meter = Meter()
    private var ears: [Ear] = []
    private(set) var unsoundEars = 0
    private var isTaskOver = true

    init(seed: UInt64, operations: Int) {
        dice = Dice(state: seed)
        ledger = Ledger(capacity: operations + 1_000)
        bench.bluejay.register(rssiObserver: meter)
    }

    var bluejay: Bluejay { bench.bluejay }
    var peripheral: FakePeripheral { bench.peripheral }

    /// One operation, and what happens meanwhile.
    func step() async {
        operation()
        for _ in 0..<Int.random(in: 0..<4, using: &dice) { event() }
        // A task waits in a thread of its own. It is answered when it asks.
        while !isTaskOver {
            if dice.happens(3) { event() }
            if dice.happens(1) { bluejay.cancelEverything(shouldDisconnect: false) }
            if peripheral.isAwaited { peripheral.answer() } else { notify() }
            if dice.happens(10) { bench.time.advance(by: 0.2) }
            await Task.yield()
        }
        forget()
    }

    /// Lets everything end.
    func end() async {
        bluejay.cancelEverything()
        bench.central.drop(peripheral)
        bench.central.power(.poweredOff)
        await Task.yield()
        forget()
    }

    /// What the fakes have written down, and listens that are over.
    private func forget() {
        bench.central.calls.removeAll(keepingCapacity: true)
        peripheral.calls.removeAll(keepingCapacity: true)
        peripheral.written.removeAll(keepingCapacity: true)
        guard ears.count > 50 else { return }
        unsoundEars += ears.count { !$0.isSound }
        ears.removeFirst(25)
    }

    // MARK: What the program does

    private func operation() {
        if !bluejay.isConnected, dice.happens(60) { return connect() }
        switch Int.random(in: 0..<100, using: &dice) {
        case 0..<26: read()
        case 26..<50: write()
        case 50..<58: listen()
        case 58..<68: endListen()
        case 68..<75: strength()
        case 75..<79: scan()
        case 79..<83: connect()
        case 83..<84: disconnect()
        case 84..<93: task()
        case 93..<95: bluejay.cancelEverything(shouldDisconnect: dice.happens(50))
        default: scan(for: 1)
        }
    }

    private func read() {
        let readsAgain = dice.happens(10)
        let characteristic = dice.happens(10) ? measurement : location
        ledger.open { number in
            bluejay.read(from: characteristic) { [self] (result: ReadResult<Data>) in
                ledger.close(number, "read", isOrdered: true, result.error)
                if readsAgain { read() }
            }
        }
    }

    private func write() {
        let type = dice.happens(50) ? CBCharacteristicWriteType.withResponse : .withoutResponse
        ledger.open { number in
            bluejay.write(to: controlPoint, value: UInt8(1), type: type) { [self] result in
                ledger.close(number, "write", isOrdered: true, result.error)
            }
        }
    }

    private func listen() {
        let ear = Ear()
        ears.append(ear)
        bluejay.listen(to: measurement, multipleListenOption: dice.happens(70) ? .replaceable : .trap) { ear.hear($0) }
    }

    private func endListen() {
        ledger.open { number in
            bluejay.endListen(to: measurement) { [self] result in
                ledger.close(number, "endListen", isOrdered: true, result.error)
            }
        }
    }

    private func strength() {
        ledger.open { number in
            do {
                try bluejay.readRSSI()
                meter.onReading = { [ledger] in ledger.close(number, "rssi") }
                peripheral.report(rssi: -50)
            } catch {
                ledger.close(number, "rssi", error)
            }
        }
    }

    private func scan(for duration: TimeInterval = 0) {
        let stops = dice.happens(50)
        ledger.open { number in
            bluejay.scan(
                duration: duration, allowDuplicates: dice.happens(50), serviceIdentifiers: [heartRate],
                discovery: { _, _ in stops ? .stop : .continue },
                stopped: { [self] _, error in ledger.close(number, "scan", error) })
        }
    }

    private func connect() {
        let timeout: Timeout = dice.happens(50) ? .none : .seconds(0.25)
        ledger.open { number in
            bluejay.connect(bench.identifier, timeout: timeout) { [self] result in
                if case .failure(let error) = result { return ledger.close(number, "connect", error) }
                ledger.close(number, "connect")
            }
        }
    }

    private func disconnect() {
        ledger.open { number in
            bluejay.disconnect(immediate: dice.happens(50)) { [self] result in
                if case .failure(let error) = result { return ledger.close(number, "disconnect", error) }
                ledger.close(number, "disconnect")
            }
        }
    }

    private func task() {
        let work = Int.random(in: 0..<7, using: &dice)
        isTaskOver = false
        ledger.open { number in
            bluejay.run(
                userData: work, backgroundTask: Self.work,
                completionOnMainThread: { [self] result in
                    isTaskOver = true
                    if case .failure(let error) = result { return ledger.close(number, "task", error) }
                    ledger.close(number, "task")
                })
        }
    }

    private nonisolated static func work(_ peripheral: SynchronizedPeripheral, _ kind: Int) throws {
        var left = 3
        let few: (UInt32) -> ListenAction = { _ in
            left -= 1
            return left == 0 ? .done : .keepListening
        }
        switch kind {
        case 0: _ = try peripheral.read(from: location) as Data
        case 1: _ = try peripheral.writeAndRead(writeTo: controlPoint, value: UInt8(1), readFrom: location) as Data
        case 2: try peripheral.listen(to: measurement, timeout: .seconds(2), completion: few)
        case 3: try peripheral.flushListen(to: measurement, nonZeroTimeout: .seconds(0.3)) {}
        case 4:
            try peripheral.writeAndListen(
                writeTo: controlPoint, value: UInt8(1), listenTo: measurement, timeoutInSeconds: 2, completion: few)
        case 5:
            try peripheral.writeAndAssemble(
                writeTo: controlPoint, value: UInt8(1), listenTo: measurement, expectedLength: 12, timeoutInSeconds: 2
            ) { (_: Data) in .done }
        default: try peripheral.endListen(to: measurement)
        }
    }

    // MARK: What happens to it

    private func event() {
        switch Int.random(in: 0..<1000, using: &dice) {
        case 0..<100: notify()
        case 100..<220: bench.central.accept(peripheral)
        case 220..<260: bench.central.sight(peripheral, rssi: Int.random(in: -90..<(-30), using: &dice))
        case 260..<300: bench.time.advance(by: TimeInterval.random(in: 0..<1.5, using: &dice))
        case 300..<309: bench.central.drop(peripheral, CBError(.connectionTimeout))
        case 309..<320: if bluejay.isDisconnecting { bench.central.drop(peripheral) }
        case 320..<335: if bluejay.isConnecting { bench.central.refuse(peripheral) }
        case 335..<338:
            bench.central.power(.poweredOff)
            bench.central.power(.poweredOn)
        case 338..<348: peripheral.failures["read"] = CBATTError(.unlikelyError)
        case 348..<355: peripheral.failures["subscribe"] = CBATTError(.unlikelyError)
        case 355..<362: peripheral.failures["discoverServices"] = CBError(.unknown)
        case 362..<372: peripheral.room = 1
        case 372..<400: peripheral.makeRoom()
        default: peripheral.answer()
        }
    }

    private func notify() {
        guard peripheral.isNotifying("2A37") else { return }
        count += 1
        peripheral.notify("2A37", count.toBluetoothData())
    }
}

extension ReadResult {
    fileprivate var error: (any Error)? { if case .failure(let error) = self { error } else { nil } }
}

extension WriteResult {
    fileprivate var error: (any Error)? { if case .failure(let error) = self { error } else { nil } }
}

@Suite(.timeLimit(.minutes(5))) struct MixedEnduranceTests {
    /// In a process of its own, so that the memory is only that of what is tested.
    @Test func `ten thousand mixed operations complete once and in order, in memory that stays flat`() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let operations = 10_000
            let ordeal = Ordeal(seed: 20_261_121, operations: operations)
            ordeal.bluejay.register(logObserver: Silence.shared)
            while ordeal.ledger.calls.count < operations / 5 { await ordeal.step() }
            let before = try ResidentMemory.bytes()
            while ordeal.ledger.calls.count < operations { await ordeal.step() }
            let growth = try ResidentMemory.bytes() - before
            await ordeal.end()

            let ledger = ordeal.ledger
            #expect(ledger.calls.allSatisfy { $0 == 1 })
            #expect(zip(ledger.order, ledger.order.dropFirst()).allSatisfy { $0 < $1 })
            #expect(ordeal.unsoundEars == 0)
            #expect(ordeal.bluejay.queue.isEmpty && ordeal.bench.time.pendingCount == 0)
            // With every operation leaked it would be 2,900 KB; usually it is about 100.
            #expect(growth < 512 << 10, "\(growth) bytes after \(operations) operations")
            // The dice reach everything that is worth reaching.
            for outcome in [
                "read success", "read notConnected", "read cancelled", "read CBATTError 14", "read readFailed",
                "read disconnectQueued", "read explicitDisconnect", "read bluetoothUnavailable", "write success",
                "endListen success", "rssi success", "scan success", "scan multipleScanNotSupported",
                "connect success", "connect connectionTimedOut", "connect unexpectedDisconnect",
                "connect multipleConnectNotSupported", "disconnect success", "task success", "task notConnected",
                "task listenTimedOut", "task multipleListenTrapped", "task cancelled",
            ] { #expect(ledger.tally[outcome, default: 0] > 0, "\(outcome) in \(ledger.tally)") }
        }
    }
}
