import Testing

@testable import Bluejay
@testable import CoreBluetooth

/// Which form a call means where both exist. That this compiles is half of the proof.
@MainActor @Suite(.timeLimit(.minutes(5))) struct AsyncOverloadTests {
    let bench = Bench.connected()

    @Test func `where nothing can be awaited, a call without completion is the one that does not wait`() {
        bench.bluejay.endListen(to: measurement)
        try? bench.bluejay.readRSSI()
        bench.bluejay.disconnect()
        #expect(bench.peripheral.calls == ["unsubscribe 2A37", "readRSSI"])
    }

    @Test func `in a closure that cannot wait, too, whatever surrounds it`() async {
        let callback: () -> Void = { [bench] in
            bench.bluejay.endListen(to: measurement)
            bench.bluejay.disconnect()
        }
        callback()
        #expect(bench.peripheral.calls == ["unsubscribe 2A37"])
    }

    @Test func `where it can be awaited, it is awaited, and a completion asks for the other form`() async throws {
        let bluejay: Bluejay = bench.bluejay
        bench.peripheral.answersByItself = true
        bench.central.answersByItself = true
        try await bluejay.endListen(to: measurement)
        bluejay.endListen(to: measurement, completion: nil)
        bluejay.endListen(to: measurement) { _ in }
        bluejay.read(from: location) { (_: ReadResult<Data>) in }
        bluejay.write(to: controlPoint, value: UInt8(1)) { _ in }
        bluejay.listen(to: location) { (_: ReadResult<Data>) in }
        bench.peripheral.values["2A39"] = Data([5])
        let level: UInt8 = try await bluejay.read(from: controlPoint)
        #expect(level == 5)
        try await bluejay.write(to: controlPoint, value: "text", type: .withoutResponse)
        let values: Notifications<UInt8> = try await bluejay.listen(to: measurement)
        #expect(values.droppedCount == 0)
        try await bluejay.disconnect()
        try await bluejay.connect(bench.identifier)
        try await bluejay.disconnect(immediate: true)
        bluejay.connect(bench.identifier) { _ in }
        bluejay.disconnect(immediate: true, completion: nil)
        #expect(!bluejay.isConnected)
    }

    @Test func `the type of a loop's variable says what to decode`() async throws {
        bench.peripheral.answersByItself = true
        bench.peripheral.onSubscribe = { [bench] _ in bench.peripheral.notify("2A37", Data([1, 1])) }
        for try await value: UInt16 in try await bench.bluejay.listen(to: measurement) {
            #expect(value == 0x0101)
            break
        }
    }

    @Test func `functions can be referred to by their names`() {
        let end: (CharacteristicIdentifier, ((WriteResult) -> Void)?) -> Void = bench.bluejay.endListen(to:completion:)
        let connect: (PeripheralIdentifier, Timeout, WarningOptions?, @escaping (ConnectionResult) -> Void) -> Void =
            bench.bluejay.connect
        connect(bench.identifier, .none, nil) { _ in }
        end(measurement, nil)
        #expect(bench.peripheral.calls == ["unsubscribe 2A37"])
    }
}
