import TestSupport
import Testing

@testable import Bluejay
@testable import CoreBluetooth

/// One task of a round, and its result.
@MainActor private final class Worker {
    private(set) var outcomes: [String] = []
    private(set) var wasCancelled = false
    /// The numbers that a listen has received.
    var received: [UInt8] = []
    private var task: Task<Void, Never>?

    init(_ work: @escaping @MainActor (Worker) async throws -> Void) {
        task = Task {
            do {
                try await work(self)
                outcomes.append("success")
            } catch is CancellationError {
                outcomes.append("cancellation")
            } catch {
                outcomes.append(error.short)
            }
        }
    }

    func cancel() {
        wasCancelled = true
        task?.cancel()
    }

    /// Each task ends exactly once, with a cancellation only if it was cancelled, and values have no gaps.
    var isSound: Bool {
        outcomes.count == 1 && (outcomes != ["cancellation"] || wasCancelled)
            && zip(received, received.dropFirst()).allSatisfy { $1 == $0 &+ 1 }
    }
}

/// One instance, some tasks that use it, and a peripheral and a user without manners.
@MainActor private final class Round {
    let bench = Bench()
    private(set) var workers: [Worker] = []
    private var lastNotified: UInt8 = 0

    private func begin(_ work: @escaping @MainActor (Bluejay?, Worker) async throws -> Void) {
        // Weak, so that only calls under way keep the instance alive and loops do not.
        workers.append(Worker { [weak bluejay = bench.bluejay] in try await work(bluejay, $0) })
    }

    private func begin(_ number: Int, _ dice: inout Dice) {
        let limit = Int.random(in: 1...4, using: &dice)
        let isImmediate = Bool.random(using: &dice)
        let identifier = bench.identifier
        switch number {
        case 0...2:
            let characteristic = isImmediate ? location : measurement
            begin { bluejay, _ in _ = try await bluejay?.read(from: characteristic, as: Data.self) }
        case 3...4: begin { bluejay, _ in try await bluejay?.write(to: controlPoint, value: UInt8(1)) }
        case 5: begin { bluejay, _ in try await bluejay?.endListen(to: measurement) }
        case 6: begin { bluejay, _ in _ = try await bluejay?.readRSSI() }
        case 7: begin { bluejay, _ in try await bluejay?.disconnect(immediate: isImmediate) }
        case 8...11: begin { bluejay, _ in try await bluejay?.connect(identifier, timeout: .seconds(3)) }
        case 12:
            begin { [weak bluejay = bench.bluejay] _, _ in
                guard let scan = bluejay?.scan(duration: 5, allowDuplicates: true, serviceIdentifiers: [heartRate])
                else { return }
                var count = 0
                for try await _ in scan {
                    count += 1
                    if count == limit { break }
                }
            }
        case 13:
            begin { bluejay, _ in
                let answer: UInt8? = try await bluejay?.writeAndListen(
                    writeTo: controlPoint, value: UInt8(1), listenTo: measurement, timeout: .seconds(4))
                _ = answer
            }
        case 14:
            begin { bluejay, _ in try await bluejay?.flushListen(to: measurement, nonZeroTimeout: .seconds(1)) }
        default:
            begin { [weak bluejay = bench.bluejay] _, worker in
                let option = isImmediate ? MultipleListenOption.trap : .replaceable
                guard
                    let values = try await bluejay?.listen(
                        to: measurement, as: UInt8.self, multipleListenOption: option)
                else { return }
                for try await value in values {
                    worker.received.append(value)
                    if worker.received.count == limit * 3 { break }
                }
            }
        }
    }

    func step(_ dice: inout Dice) async {
        let bluejay: Bluejay = bench.bluejay
        let peripheral = bench.peripheral
        switch Int.random(in: 0..<100, using: &dice) {
        case 0..<28: begin(Int.random(in: 0..<19, using: &dice), &dice)
        case 28..<36: workers.randomElement(using: &dice)?.cancel()
        case 36..<46: bench.central.accept(peripheral)
        case 46..<62:
            lastNotified &+= 1
            peripheral.notify("2A37", Data([lastNotified]))
        case 62..<66: bench.central.sight(peripheral, rssi: Int.random(in: -90..<(-30), using: &dice))
        case 66: peripheral.report(rssi: -50)
        case 67..<71: bench.time.advance(by: TimeInterval.random(in: 0..<3, using: &dice))
        case 71: bench.central.drop(peripheral, CBError(.connectionTimeout))
        case 72: if bluejay.isConnecting { bench.central.refuse(peripheral) }
        case 73: bluejay.cancelEverything(shouldDisconnect: Bool.random(using: &dice))
        case 74 where Int.random(in: 0..<3, using: &dice) == 0:
            bench.central.power(.poweredOff)
            bench.central.power(.poweredOn)
        case 75: bluejay.broadcastErrorsToListeners.toggle()
        case 76..<79: if bluejay.isDisconnecting { bench.central.drop(peripheral) }
        default: peripheral.answer()
        }
        for _ in 0..<Int.random(in: 0..<4, using: &dice) { await Task.yield() }
    }

    /// Ends the instance in one way or another, so that every task must end.
    func end(_ dice: inout Dice) async throws {
        let bluejay: Bluejay = bench.bluejay
        switch Int.random(in: 0..<3, using: &dice) {
        case 0 where !bluejay.isConnecting: _ = bluejay.stopAndExtractBluetoothState()
        case 1: bench.central.power(.poweredOff)
        default: break
        }
        try await release()
    }

    private func release() async throws {
        bench.release()
        try await until {
            // Calls under way keep the instance alive until they are answered.
            bench.peripheral.settle()
            bench.central.accept(bench.peripheral)
            bench.peripheral.report(rssi: -50)
            bench.time.advance(by: 1)
            bench.central.drop(bench.peripheral, CBError(.connectionTimeout))
            return workers.allSatisfy { !$0.outcomes.isEmpty }
        }
    }
}

@MainActor @Suite(.timeLimit(.minutes(5))) struct AsyncEnduranceTests {
    @Test func `however calls interleave, each ends exactly once and leaves nothing behind`() async throws {
        let count = rounds(200, thoroughly: 1000)
        var dice = Dice(state: 20_261_121)
        var tally: [String: Int] = [:]
        var values = 0
        for number in 1...count {
            let round = Round()
            if number.isMultiple(of: 2) { round.bench.connect() }
            for _ in 0..<150 { await round.step(&dice) }
            weak let bluejay = round.bench.bluejay
            try await round.end(&dice)
            try await until { bluejay == nil }
            let unsound = round.workers.filter { !$0.isSound }
            #expect(unsound.isEmpty, "round \(number): \(round.workers.map(\.outcomes))")
            #expect(round.bench.time.pendingCount == 0, "round \(number)")
            for worker in round.workers {
                for outcome in worker.outcomes { tally[outcome, default: 0] += 1 }
                values += worker.received.count
            }
        }
        // The rounds reach everything that is worth reaching.
        #expect(tally["success", default: 0] > count)
        #expect(tally["cancellation", default: 0] > count)
        #expect(values > count / 2)
        for error in [
            "notConnected", "cancelled", "explicitDisconnect", "disconnectQueued", "multipleListenTrapped",
            "multipleListenReplaced", "multipleScanNotSupported", "multipleConnectNotSupported", "connectionTimedOut",
            "bluetoothUnavailable", "stopped", "listenTimedOut", "unexpectedDisconnect", "readFailed",
        ] { #expect(tally[error, default: 0] > 0, "\(error) in \(tally)") }
    }
}
