import Testing

@testable import Bluejay
@testable import CoreBluetooth

@MainActor @Suite(.timeLimit(.minutes(5))) struct AsyncConnectionEventTests {
    let bench = Bench()

    private final class Received {
        var events: [ConnectionEvent] = []
    }

    private let received = Received()

    private func observe() -> Task<Void, Never> {
        Task { [bench, received] in
            for await event in bench.bluejay.connectionEvents { received.events.append(event) }
        }
    }

    @Test func `events are those of an observer, and begin with the present state`() async throws {
        let task = observe()
        try await until { received.events == [.bluetoothAvailable(true)] }
        bench.connect()
        bench.bluejay.disconnect(completion: nil)
        bench.central.drop(bench.peripheral)
        bench.central.power(.poweredOff)
        try await until { received.events.count == 4 }
        let peripheral = bench.identifier
        #expect(
            received.events == [
                .bluetoothAvailable(true), .connected(peripheral), .disconnected(peripheral),
                .bluetoothAvailable(false),
            ])
        task.cancel()
        await task.value
    }

    @Test func `a loop that begins when a peripheral is connected hears of it`() async throws {
        bench.connect()
        let task = observe()
        try await until { received.events == [.bluetoothAvailable(true), .connected(bench.identifier)] }
        task.cancel()
        await task.value
    }

    @Test func `every loop gets every event, also from elsewhere`() async throws {
        let bluejay: Bluejay = bench.bluejay
        let expected = [ConnectionEvent.bluetoothAvailable(true), .bluetoothAvailable(false)]
        let tasks = (0..<3).map { _ in
            Task.detached {
                var events: [ConnectionEvent] = []
                for await event in bluejay.connectionEvents {
                    events.append(event)
                    if events.count == 2 { break }
                }
                return events
            }
        }
        try await until { bluejay.connectionObservers.living.count == 3 }
        bench.central.power(.poweredOff)
        for task in tasks { #expect(await task.value == expected) }
        try await until { bluejay.connectionObservers.living.isEmpty }
    }

    @Test func `the loop ends when the observers are forgotten`() async throws {
        let task = observe()
        try await until { !received.events.isEmpty }
        _ = bench.bluejay.stopAndExtractBluetoothState()
        await task.value
        #expect(received.events == [.bluetoothAvailable(true)])
    }

    @Test func `the loop does not keep the instance alive, and ends with it`() async throws {
        let events = bench.bluejay.connectionEvents
        let task = Task { for await _ in events {} }
        try await until { !bench.bluejay.connectionObservers.living.isEmpty }
        weak let remembered = bench.bluejay
        bench.release()
        await task.value
        #expect(remembered == nil)
        for await _ in events { Issue.record("there is nobody to report events to") }
    }
}
