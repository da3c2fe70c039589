import Bluejay
import BluetoothLab
import CoreBluetooth
import Foundation
import TestSupport
import Testing

extension InTheLab {
    @Suite struct Endurance {
        /// The same as with ten thousand operations and a made-up system, in small and on a real link.
        @Test func `mixed operations with cancels, timeouts and drops complete once and in order`() async throws {
            try await withFound("twins", advertising: Twins.left.uuid.uuidString) { sensor, central, found in
                let ordeal = LinkOrdeal(seed: 20_261_121, sensor, central, found)
                try await ordeal.run()
                let ledger = ordeal.ledger
                #expect(ledger.calls.count >= 300)
                #expect(ledger.calls.allSatisfy { $0 == 1 }, "\(ledger.calls)")
                let order = ledger.order
                #expect(order.count > 100)
                #expect(zip(order, order.dropFirst()).allSatisfy { $0 < $1 }, "\(order)")
                #expect(ordeal.ears.allSatisfy { $0.isSound })
                #expect(ordeal.ears.contains { $0.values > 1 })
                // The dice reach everything that is worth reaching.
                for outcome in [
                    "read success", "read cancelled", "read notConnected", "read explicitDisconnect",
                    "read disconnectQueued", "write success", "write cancelled", "write notConnected",
                    "endListen success", "scan notConnected", "connect success", "connect connectionTimedOut",
                    "disconnect success", "task success", "task listenTimedOut", "task cancelled",
                ] { #expect(ledger.tally[outcome, default: 0] > 0, "\(outcome) in \(ledger.tally)") }
            }
        }
    }
}

/// A Bluejay that is asked for everything that it can do, on a link that is ended now and then.
private final class LinkOrdeal {
    /// What happens to what was asked for.
    private enum Fate: CaseIterable {
        case done, cancelled, cancelledInTheMiddle, task, timeout, interruptedTask, drop
        case disconnectedAtOnce, disconnectedInTurn, cancelledWithTheLink

        /// How often.
        var count: Int {
            switch self {
            case .done: 12
            case .cancelled, .cancelledInTheMiddle: 7
            case .task: 8
            case .timeout, .interruptedTask, .drop: 2
            case .disconnectedAtOnce, .disconnectedInTurn, .cancelledWithTheLink: 1
            }
        }
    }

    private enum Operation: Swift.Sendable {
        case read(CharacteristicIdentifier, again: Bool)
        case write(CharacteristicIdentifier)
        case listen(MultipleListenOption)
        case endListen
    }

    let ledger = LinkLedger()
    private(set) var ears: [Ear] = []
    private var dice: Dice
    private let sensor: Sensor
    private let central: Central
    private let peripheral: PeripheralIdentifier
    private var bluejay: Bluejay { central.bluejay }

    init(seed: UInt64, _ sensor: Sensor, _ central: Central, _ peripheral: PeripheralIdentifier) {
        dice = Dice(state: seed)
        self.sensor = sensor
        self.central = central
        self.peripheral = peripheral
    }

    func run() async throws {
        try await connect()
        for fate in Fate.allCases.flatMap({ Array(repeating: $0, count: $0.count) }).shuffled(using: &dice) {
            try await round(fate)
        }
        // What is still to come to anybody comes before this.
        try await central.write(Data("end".utf8), to: Twins.leftValue)
    }

    private func round(_ fate: Fate) async throws {
        let ear = Ear()
        ears.append(ear)
        let operations = (0..<Int.random(in: 5...11, using: &dice)).map { _ in operation() }
        let batch = Batch(operations, bluejay, ledger, ear, ears.filter { !$0.isEnded })
        switch fate {
        case .done: try await onMain { batch.ask() }
        case .cancelled:
            try await onMain { [bluejay] in
                batch.ask()
                bluejay.cancelEverything(shouldDisconnect: false)
            }
        case .cancelledInTheMiddle:
            let count = ledger.calls.count
            try await onMain { batch.ask() }
            _ = try await ledger.closed.values(count + 2)
            bluejay.cancelEverything(shouldDisconnect: false)
        case .task:
            try await onMain { batch.ask() }
            try await ledger.settle()
            try await task(Int.random(in: 0..<6, using: &dice))
        case .timeout: try await task(6)
        case .interruptedTask: try await task(7)
        case .drop: try await drop(batch)
        case .disconnectedAtOnce, .disconnectedInTurn:
            let immediate = fate == .disconnectedAtOnce
            try await onMain { [bluejay, ledger] in
                batch.ask()
                ledger.open { number in
                    bluejay.disconnect(immediate: immediate) { result in
                        ledger.close(number, "disconnect", result.outcome.replacing("disconnected", with: "success"))
                    }
                }
                Batch([.read(Twins.leftValue, again: false)], bluejay, ledger, Ear(), []).ask()
            }
            try await ledger.settle()
            try await connect(inVainFirst: immediate)
        case .cancelledWithTheLink:
            let losses = central.observer.disconnections.values.count
            try await onMain { [bluejay] in
                batch.ask()
                bluejay.cancelEverything()
            }
            try await central.observer.disconnections.first(after: losses)
            try await connect()
        }
        try await ledger.settle()
    }

    private func operation() -> Operation {
        let characteristic = dice.happens(80) ? Twins.leftValue : Twins.rightValue
        return switch Int.random(in: 0..<100, using: &dice) {
        case 0..<45: .read(characteristic, again: dice.happens(10))
        case 45..<80: .write(characteristic)
        case 80..<90: .listen(dice.happens(70) ? .replaceable : .trap)
        default: .endListen
        }
    }

    // MARK: The link

    private func connect(inVainFirst: Bool = false) async throws {
        ears.forEach { $0.isEnded = true }
        if inVainFirst {
            guard let absent = CBPeer.identifier(forBluetoothAddress: "00:AA:01:77:77:77", isRandom: false) else {
                throw LabError("no identifier")
            }
            try await connect(PeripheralIdentifier(uuid: absent, name: nil), timeout: .seconds(0.3))
        }
        try await connect(peripheral, timeout: .seconds(30))
        // From here on bluetoothd knows the whole table.
        _ = try await central.read(Twins.leftValue, as: Data.self)
    }

    private func connect(_ peripheral: PeripheralIdentifier, timeout: Timeout) async throws {
        try await onMain { [bluejay, ledger] in
            ledger.open { number in
                bluejay.connect(peripheral, timeout: timeout) { result in
                    ledger.close(number, "connect", result.outcome.replacing("connected", with: "success"))
                }
            }
        }
        try await ledger.settle()
    }

    /// The sensor ends the link while work waits behind a scan. (bluetoothd 5.66 may die of a link that ends while it
    /// waits for the answer to a request.)
    private func drop(_ batch: Batch) async throws {
        _ = try await central.read(Twins.leftValue, as: Data.self)
        let links = central.observer.connections.values.count
        try await onMain { [bluejay, ledger] in
            ledger.open { number in
                bluejay.scan(
                    serviceIdentifiers: [Faulty.service], discovery: { _, _ in .continue },
                    stopped: { _, error in ledger.close(number, "scan", error?.short ?? "success") })
            }
            batch.ask()
        }
        try await sensor.command("disconnect")
        try await central.observer.connections.first(after: links)
        try await ledger.settle()
        ears.forEach { $0.isEnded = true }
        _ = try await central.read(Twins.leftValue, as: Data.self)
    }

    // MARK: Tasks

    private func task(_ kind: Int) async throws {
        try await onMain { [bluejay, ledger] in
            ledger.open { number in
                bluejay.run(
                    userData: (kind, bluejay), backgroundTask: Self.work,
                    completionOnMainThread: { result in
                        ledger.close(number, "task", result.outcome.replacing("()", with: "success"))
                    })
            }
        }
        try await ledger.settle()
    }

    private static func work(_ peripheral: SynchronizedPeripheral, _ order: (kind: Int, bluejay: Bluejay)) throws {
        var left = 3
        let few: (Data) -> ListenAction = { _ in
            left -= 1
            return left == 0 ? .done : .keepListening
        }
        let value = Twins.leftValue
        switch order.kind {
        case 0: _ = try peripheral.read(from: value) as Data
        case 1: _ = try peripheral.writeAndRead(writeTo: value, value: UInt8(1), readFrom: value) as Data
        case 2: try peripheral.listen(to: Twins.rightValue, timeout: .seconds(20), completion: few)
        case 3: try peripheral.flushListen(to: Twins.mute, nonZeroTimeout: .seconds(0.2)) {}
        case 4:
            try peripheral.writeAndListen(
                writeTo: value, value: UInt8(1), listenTo: Twins.rightValue, timeoutInSeconds: 20, completion: few)
        case 5: try peripheral.endListen(to: Twins.rightValue)
        case 6: try peripheral.listen(to: Twins.mute, timeout: .seconds(0.3), completion: few)
        default:
            try peripheral.endListen(to: Twins.rightValue)
            try peripheral.listen(to: Twins.rightValue) { (_: Data) in
                order.bluejay.cancelEverything(shouldDisconnect: false)
                return .keepListening
            }
        }
    }

    // MARK: Calls

    /// Some calls, made one after another.
    private struct Batch: Swift.Sendable {
        private let operations: [Operation]
        private let bluejay: Bluejay
        private let ledger: LinkLedger
        /// Who listens, if anybody does.
        private let ear: Ear
        /// Who may be listening.
        private let others: [Ear]

        init(_ operations: [Operation], _ bluejay: Bluejay, _ ledger: LinkLedger, _ ear: Ear, _ others: [Ear]) {
            self.operations = operations
            self.bluejay = bluejay
            self.ledger = ledger
            self.ear = ear
            self.others = others
        }

        func ask() {
            for operation in operations {
                switch operation {
                case .read(let characteristic, let again): read(characteristic, again)
                case .write(let characteristic):
                    ledger.open { [ledger] number in
                        bluejay.write(to: characteristic, value: UInt8(1)) { result in
                            ledger.close(number, "write", isOrdered: true, result.outcome)
                        }
                    }
                case .listen(let option):
                    // One listen for each ear.
                    if ear.isTaken { continue }
                    ear.isTaken = true
                    bluejay.listen(to: Twins.rightValue, multipleListenOption: option) { [ear] in ear.hear($0) }
                case .endListen: endListen()
                }
            }
        }

        private func read(_ characteristic: CharacteristicIdentifier, _ again: Bool) {
            ledger.open { number in
                bluejay.read(from: characteristic) { (result: ReadResult<Data>) in
                    var outcome = result.outcome
                    if case .success = result { outcome = "success" }
                    ledger.close(number, "read", isOrdered: true, outcome)
                    if again { read(characteristic, false) }
                }
            }
        }

        private func endListen() {
            ledger.open { [ledger] number in
                bluejay.endListen(to: Twins.rightValue) { result in
                    ledger.close(number, "endListen", isOrdered: true, result.outcome)
                }
            }
            for ear in others where ear.isTaken { ear.isEnded = true }
        }
    }
}
