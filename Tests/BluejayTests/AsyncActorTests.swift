import Testing

@testable import Bluejay
@testable import CoreBluetooth

/// A value that must not leave its actor: not Sendable in the sense of concurrency.
private final class Measured: Receivable, Sendable {
    var value: UInt8
    init(bluetoothData: Data) { value = bluetoothData.first ?? 0 }
    func toBluetoothData() -> Data { Data([value]) }
}

/// A program's own actor that uses Bluejay.
private actor Gateway {
    let bluejay: Bluejay
    var last: Measured?
    private(set) var log: [UInt8] = []

    init(_ bluejay: Bluejay) {
        self.bluejay = bluejay
    }

    func work() async throws -> UInt8? {
        let measured: Measured = try await bluejay.read(from: location)
        last = measured
        if let last { try await bluejay.write(to: controlPoint, value: last) }
        for try await value in try await bluejay.listen(to: measurement, as: Measured.self) {
            last = value
            log.append(value.value)
            if log.count == 2 { break }
        }
        return last?.value
    }
}

/// In which order calls were made.
@MainActor private final class Begun {
    var numbers: [UInt8] = []
}

@MainActor @Suite(.timeLimit(.minutes(5))) struct AsyncActorTests {
    let bench = Bench.connected()

    init() {
        bench.peripheral.answersByItself = true
        bench.peripheral.values["2A38"] = Data([3])
        bench.peripheral.onSubscribe = { [bench] _ in
            bench.peripheral.notify("2A37", Data([4]))
            bench.peripheral.notify("2A37", Data([5]))
        }
    }

    @Test func `from the main actor`() async throws {
        let measured: Measured = try await bench.bluejay.read(from: location)
        try await bench.bluejay.write(to: controlPoint, value: measured)
        #expect(bench.peripheral.written == [Data([3])])
        var sum = 0
        for try await value in try await bench.bluejay.listen(to: measurement, as: Measured.self) {
            sum += Int(value.value)
            if value.value == 5 { break }
        }
        #expect(sum == 9)
    }

    @Test func `from an actor of the program, with values that are not Sendable`() async throws {
        let gateway = Gateway(bench.bluejay)
        #expect(try await gateway.work() == 5)
        #expect(await gateway.log == [4, 5])
        #expect(bench.peripheral.written == [Data([3])])
    }

    @Test func `from a detached task, all at once`() async throws {
        let bluejay: Bluejay = bench.bluejay
        let sum = try await Task.detached {
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 {
                    group.addTask { Int(try await bluejay.read(from: location, as: UInt8.self)) }
                    group.addTask {
                        try await bluejay.write(to: controlPoint, value: UInt8(1))
                        return 0
                    }
                }
                return try await group.reduce(0, +)
            }
        }.value
        #expect(sum == 150)
        #expect(bench.peripheral.written.count == 50)
    }

    @Test func `calls from one actor are queued in their order`() async throws {
        bench.peripheral.answersByItself = false
        // Tasks may begin in another order than they were made in.
        let begun = Begun()
        let tasks = (0..<20).map { number in
            Task { [bench] in
                begun.numbers.append(UInt8(number))
                try await bench.bluejay.write(to: controlPoint, value: UInt8(number))
            }
        }
        try await bench.queued(58)
        bench.peripheral.settle()
        for task in tasks { try await task.value }
        #expect(bench.peripheral.written.map(Array.init) == begun.numbers.map { [$0] })
    }
}
