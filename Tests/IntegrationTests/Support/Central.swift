import Bluejay
import BluetoothLab
import CoreBluetooth
import Foundation
import GATTProfiles

/// A Bluejay under test, its callbacks as async calls.
final class Central: @unchecked Swift.Sendable {
    // Touched on the main queue only, but for the reference itself.
    let bluejay = Bluejay()
    let observer = Observer()
    private let loner = Loner()

    /// Starts Bluejay on the central's controller and waits until Bluetooth is available.
    init() async throws {
        setenv("BLUETOOTH_ADAPTER", Lab.centralAdapter, 1)
        try await onMain { [bluejay, observer] in
            bluejay.start()
            bluejay.register(connectionObserver: observer)
        }
        try await observer.available.first(where: { $0 })
    }

    /// Finds a sensor that advertises `service`.
    func find(
        _ service: String = HeartRateService.uuid, within timeout: Duration = .seconds(20)
    ) async throws -> ScanDiscovery {
        try await answer("a sensor with \(service)", within: timeout) { [bluejay] found in
            bluejay.scan(
                serviceIdentifiers: [ServiceIdentifier(uuid: service)],
                discovery: { discovery, _ in
                    guard !discovery.peripheralIdentifier.uuid.isBehindProxy else { return .continue }
                    found(discovery)
                    return .stop
                },
                stopped: { _, _ in })
        }
    }

    @discardableResult
    func connect(_ identifier: PeripheralIdentifier, timeout: Timeout = .seconds(30)) async throws
        -> PeripheralIdentifier
    {
        let result: ConnectionResult = try await answer("a connection") { [bluejay] done in
            bluejay.connect(identifier, timeout: timeout) { done($0) }
        }
        switch result {
        case .success(let identifier): return identifier
        case .failure(let error): throw error
        }
    }

    /// Finds the sensor and connects to it.
    func connectToSensor() async throws {
        try await connect(find().peripheralIdentifier)
    }

    /// Stops connecting again when a link ends. bluetoothd goes on connecting for a program that has ended,
    /// and would take the next test's sensor.
    func stayAway() async throws {
        try await onMain { [bluejay, loner] in bluejay.registerDisconnectHandler(handler: loner) }
    }

    func disconnect() async throws {
        let result: DisconnectionResult = try await answer("the disconnection") { [bluejay] done in
            bluejay.disconnect { done($0) }
        }
        if case .failure(let error) = result { throw error }
    }

    func read<R: Receivable & Swift.Sendable>(_ characteristic: CharacteristicIdentifier, as type: R.Type = R.self)
        async throws -> R
    {
        let result: ReadResult<R> = try await answer("the value of \(characteristic.uuid)") { [bluejay] done in
            bluejay.read(from: characteristic) { done($0) }
        }
        switch result {
        case .success(let value): return value
        case .failure(let error): throw error
        }
    }

    /// Reads over the present link, or the one after it if that ends meanwhile: bluetoothd may not serve a link that
    /// begins before it has noticed that the one before has ended (docs/bluez-limits.md). The next one is served.
    func readOverSomeLink<R: Receivable & Swift.Sendable>(
        _ characteristic: CharacteristicIdentifier, as type: R.Type = R.self
    ) async throws -> R {
        while true {
            let links = observer.connections.values.count
            do {
                return try await read(characteristic)
            } catch BluejayError.notConnected {
                try await observer.connections.first(after: links)
            }
        }
    }

    func write(
        _ value: Data, to characteristic: CharacteristicIdentifier, type: CBCharacteristicWriteType = .withResponse
    ) async throws {
        let result: WriteResult = try await answer("the writing of \(characteristic.uuid)") { [bluejay] done in
            bluejay.write(to: characteristic, value: value, type: type) { done($0) }
        }
        if case .failure(let error) = result { throw error }
    }

    /// Listens, and waits until the sensor has the subscription.
    func listen(
        to characteristic: CharacteristicIdentifier, on sensor: Sensor
    ) async throws -> Collector<Result<Data, any Error>> {
        let values = Collector<Result<Data, any Error>>()
        let position = sensor.position
        try await onMain { [bluejay] in
            bluejay.listen(to: characteristic, multipleListenOption: .replaceable) { (result: ReadResult<Data>) in
                switch result {
                case .success(let value): values.add(.success(value))
                case .failure(let error): values.add(.failure(error))
                }
            }
        }
        // A machine that is busy with other things may take its time.
        do {
            try await sensor.event(.subscribed, from: position, within: .seconds(60))
        } catch {
            if case .failure(let reason)? = values.values.first {
                throw LabError("the listen failed: \(reason)\n\(error)")
            }
            throw error
        }
        return values
    }

    func endListen(to characteristic: CharacteristicIdentifier) async throws {
        let result: WriteResult = try await answer("the end of the listen") { [bluejay] done in
            bluejay.endListen(to: characteristic) { done($0) }
        }
        if case .failure(let error) = result { throw error }
    }

    /// Runs a background task.
    func run<Value: Swift.Sendable>(
        _ task: @escaping @Sendable (SynchronizedPeripheral) throws -> Value
    ) async throws -> Value {
        let result: RunResult<Value> = try await answer("the task", within: .seconds(90)) { [bluejay] done in
            bluejay.run(backgroundTask: task, completionOnMainThread: { done($0) })
        }
        switch result {
        case .success(let value): return value
        case .failure(let error): throw error
        }
    }

    private final class Loner: DisconnectHandler, Swift.Sendable {
        func didDisconnect(
            from peripheral: PeripheralIdentifier, with error: (any Error)?, willReconnect autoReconnect: Bool
        ) -> AutoReconnectMode { .change(shouldAutoReconnect: false) }
    }

    /// Notes the calls of a connection observer.
    final class Observer: ConnectionObserver, @unchecked Swift.Sendable {
        let available = Sequence<Bool>()
        let connections = Sequence<PeripheralIdentifier>()
        let disconnections = Sequence<PeripheralIdentifier>()

        func bluetoothAvailable(_ available: Bool) { self.available.add(available) }
        func connected(to peripheral: PeripheralIdentifier) { connections.add(peripheral) }
        func disconnected(from peripheral: PeripheralIdentifier) { disconnections.add(peripheral) }

        /// Waits until Bluejay has connected again by itself, after so many disconnections and one more.
        func reconnection(after count: Int) async throws {
            try await disconnections.first(after: count)
            try await connections.first(after: count + 1)
        }
    }
}

/// What happened, to be waited for.
final class Sequence<T: Swift.Sendable>: @unchecked Swift.Sendable {
    private let collector: Collector<T>

    init(_ collector: Collector<T> = Collector()) {
        self.collector = collector
    }

    func add(_ value: T) { collector.add(value) }

    var values: [T] { collector.values }

    /// Waits for the first value, after `start` others, that fulfils `condition`.
    @discardableResult
    func first(
        after start: Int = 0, within timeout: Duration = .seconds(30), where condition: (T) -> Bool = { _ in true }
    ) async throws -> T {
        let deadline = ContinuousClock.now + timeout
        var index = start
        while true {
            let left = max(deadline - .now, .milliseconds(1))
            let values = try await collector.values(index + 1, within: left)
            if condition(values[index]) { return values[index] }
            index += 1
        }
    }
}
