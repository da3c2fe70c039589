import TestSupport
import Testing

@testable import Bluejay
@testable import CoreBluetooth

/// How often each completion was called, and in which order work succeeded.
private final class Ledger {
    private(set) var calls: [Int] = []
    private(set) var successes: [Int] = []

    func open() -> Int {
        calls.append(0)
        return calls.count - 1
    }

    func close(_ number: Int, inOrder: Bool = false) {
        calls[number] += 1
        if inOrder { successes.append(number) }
    }
}

@MainActor @Suite(.timeLimit(.minutes(5))) struct QueueEnduranceTests {
    /// Mixed calls with random answers, cancels, timeouts, drops and power losses in between.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `every completion is called exactly once, and work is done in order`(seed: UInt64) {
        let bench = Bench()
        let ledger = Ledger()
        var dice = Dice(state: seed)
        for _ in 0..<10_000 { step(bench, ledger, &dice) }

        // Let everything end.
        bench.bluejay.cancelEverything()
        bench.central.drop(bench.peripheral)
        bench.central.power(.poweredOff)
        #expect(ledger.calls.count > 3_000)
        #expect(ledger.calls.allSatisfy { $0 == 1 })
        #expect(ledger.successes.count > 300)
        #expect(zip(ledger.successes, ledger.successes.dropFirst()).allSatisfy { $0 < $1 })
        #expect(bench.bluejay.queue.isEmpty)
        #expect(bench.time.pendingCount == 0)
        #expect(!bench.bluejay.isDisconnecting && !bench.bluejay.isConnecting && !bench.bluejay.isScanning)
    }

    private func step(_ bench: Bench, _ ledger: Ledger, _ dice: inout Dice) {
        let bluejay: Bluejay = bench.bluejay
        let peripheral = bench.peripheral
        let number: Int
        switch Int.random(in: 0..<100, using: &dice) {
        case 0..<12:
            number = ledger.open()
            bluejay.read(from: location) { (result: ReadResult<Data>) in
                if case .success = result { ledger.close(number, inOrder: true) } else { ledger.close(number) }
            }
        case 12..<24:
            number = ledger.open()
            let type = Bool.random(using: &dice) ? CBCharacteristicWriteType.withResponse : .withoutResponse
            bluejay.write(to: controlPoint, value: UInt8(1), type: type) { result in
                if case .success = result { ledger.close(number, inOrder: true) } else { ledger.close(number) }
            }
        case 24..<27:
            bluejay.listen(to: measurement, multipleListenOption: .replaceable) { (_: ReadResult<Data>) in }
        case 27..<31:
            number = ledger.open()
            bluejay.endListen(to: measurement) { result in
                if case .success = result { ledger.close(number, inOrder: true) } else { ledger.close(number) }
            }
        case 31..<33:
            number = ledger.open()
            bluejay.scan(
                duration: 3, allowDuplicates: Bool.random(using: &dice), serviceIdentifiers: [heartRate],
                discovery: { _, _ in .continue }, stopped: { _, _ in ledger.close(number) })
        case 33..<42:
            number = ledger.open()
            let timeout: Timeout = Bool.random(using: &dice) ? .none : .seconds(2)
            bluejay.connect(bench.identifier, timeout: timeout) { _ in ledger.close(number) }
        case 42..<44:
            number = ledger.open()
            bluejay.disconnect(immediate: Bool.random(using: &dice)) { _ in ledger.close(number) }
        case 44: bluejay.cancelEverything(shouldDisconnect: Bool.random(using: &dice))
        case 45: bluejay.stopScanning()
        case 46: bench.central.drop(peripheral, CBError(.connectionTimeout))
        case 47: if bluejay.isConnecting { bench.central.refuse(peripheral) }
        case 48 where Int.random(in: 0..<5, using: &dice) == 0:
            bench.central.power(.poweredOff)
            bench.central.power(.poweredOn)
        case 49..<52: bench.time.advance(by: TimeInterval.random(in: 0..<4, using: &dice))
        case 52..<56: bench.central.sight(peripheral, rssi: Int.random(in: -90..<(-30), using: &dice))
        case 56..<64: bench.central.accept(peripheral)
        case 64..<67: if bluejay.isDisconnecting { bench.central.drop(peripheral) }
        case 67..<70: peripheral.notify("2A37", Data([1]))
        default: peripheral.answer()
        }
    }
}
