import ArgumentParser
import Bluejay
import CommandSupport
import CoreBluetooth
import GATTProfiles
import LineOutput
import PlainText

/// The central's side of the bench (`./lab bench`, scripts/python/repository/bench): one connection, on which it does
/// by Bluejay what standard input asks for and reports how long it took, one JSON object a line.
@main
struct CentralBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "CentralBench", abstract: "Connect and run the steps from standard input, for benchmarks.",
        discussion: """
            listen UUID COUNT [CONTROL HEX]   until COUNT values were received; CONTROL: write HEX to it when subscribed
            read UUID TIMES
            write UUID HEX TIMES
            flood SINK HEX TIMES COUNTER      without response, until COUNTER shows that all have arrived
            """)

    @Option(help: "The Bluetooth adapter.")
    var adapter: String

    @Flag(help: "Receive notifications from sockets instead of D-Bus.")
    var sockets = false

    @Argument(help: "The peripheral's name.")
    var name: String

    func run() async throws {
        do {
            // Else each answer that is awaited would go round by another thread.
            try await withTaskExecutorPreference(MainQueueExecutor.shared) { try await bench() }
        } catch {
            var object = JSONObject()
            object.add("error", "\(error)")
            try StandardOutput.write(object)
            throw ExitCode.failure
        }
    }

    @MainActor
    private func bench() async throws {
        let central = AsyncCentral(options: [
            CBCentralManagerOptionAdapterKey: adapter, CBCentralManagerOptionUseNotifySocketsKey: sockets,
        ])
        try await central.waitUntilOn()
        let bench = try await ConnectedBench(central, name: name)
        for await line in Self.lines() { try await bench.take(line.split(separator: " ").map(String.init)) }
        await bench.end()
    }

    /// The lines of standard input, which a thread of its own waits for.
    private static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }
}

/// Why the bench has ended.
struct BenchFailure: Error, CustomStringConvertible {
    let description: String
}

/// The bench's connection.
@MainActor
private final class ConnectedBench {
    private let bluejay = Bluejay()
    private var characteristics: [CBUUID: CBCharacteristic] = [:]

    /// Seconds in which the peripheral is to be found, and in which it is to be connected.
    private static let connectTimeout = 30.0
    /// Seconds without a value after which the rest counts as lost.
    private static let timeout = 10.0

    /// Finds a peripheral, connects to it, discovers what it has, and hands it to Bluejay.
    init(_ central: AsyncCentral, name: String) async throws {
        let begin = ContinuousClock.now
        var identifier: UUID?
        try await central.scan(within: Self.connectTimeout) { advertisement in
            let names = [advertisement.data[CBAdvertisementDataLocalNameKey] as? String, advertisement.peripheral.name]
            guard names.contains(name) else { return .goOn }
            identifier = advertisement.peripheral.identifier
            return .stop
        }
        guard let identifier else { throw BenchFailure(description: "no device \(name) was found") }
        report("found", since: begin)
        let found = ContinuousClock.now
        let link = try await central.connect(identifier, within: Self.connectTimeout)
        let services = try await link.discoverEverything(within: Self.connectTimeout)
        for characteristic in services.flatMap({ $0.characteristics ?? [] }) {
            characteristics[characteristic.uuid] = characteristic
        }
        bluejay.start(mode: .use(manager: central.manager, peripheral: link.peripheral))
        report("connected", since: found)
    }

    func end() async {
        try? await bluejay.disconnect()
    }

    func take(_ words: [String]) async throws {
        switch (words.first, words.count) {
        case ("listen", 3): try await listen(words[1], try number(words[2]), control: nil)
        case ("listen", 5):
            try await listen(words[1], try number(words[2]), control: (words[3], try value(words[4])))
        case ("read", 3): try await read(words[1], try number(words[2]))
        case ("write", 4): try await write(words[1], try value(words[2]), try number(words[3]))
        case ("flood", 5):
            try await flood(words[1], try value(words[2]), try number(words[3]), counter: words[4])
        default: throw BenchFailure(description: "unknown step \"\(words.joined(separator: " "))\"")
        }
    }

    // MARK: Steps

    private func listen(_ uuid: String, _ count: Int, control: (uuid: String, value: Data)?) async throws {
        let characteristic = try find(uuid)
        let identifier = try identifier(of: characteristic)
        let arrivals = Arrivals(count: count)
        bluejay.listen(to: identifier) { (result: ReadResult<Data>) in
            if case .success(let value) = result { arrivals.add(value) }
        }
        try await isNotifying(characteristic)
        report("subscribed")
        if let control {
            try await bluejay.write(to: self.identifier(of: find(control.uuid)), value: control.value)
        }
        await arrivals.wait(timeout: Self.timeout)
        let loss = characteristic.notificationLoss
        report("listened") { object in
            object.add("count", arrivals.received)
            object.add("breaks", arrivals.breaks)
            object.add("droppedValues", loss.droppedValues)
            object.add("fullSockets", loss.fullSockets)
            object.add("seconds", seconds(arrivals.span), places: 6)
        }
        // The next listen to it must not find this one's state.
        try await bluejay.endListen(to: identifier)
    }

    /// Waits until the peripheral has taken the subscription: Bluejay reports only a failure.
    private func isNotifying(_ characteristic: CBCharacteristic) async throws {
        let deadline = ContinuousClock.now + .seconds(Self.timeout)
        while !characteristic.isNotifying {
            guard ContinuousClock.now < deadline else {
                throw BenchFailure(description: "\(characteristic.uuid.uuidString) was not subscribed")
            }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    private func read(_ uuid: String, _ count: Int) async throws {
        let identifier = try identifier(of: find(uuid))
        let bluejay = bluejay
        let latencies = try await RepeatedRequest.measure(count) { completion in
            bluejay.read(from: identifier) { (result: ReadResult<Data>) in
                switch result {
                case .success: completion(nil)
                case .failure(let error): completion(error)
                }
            }
        }
        report("read") { latencies.add(to: &$0) }
    }

    private func write(_ uuid: String, _ value: Data, _ count: Int) async throws {
        let latencies = try await write(value, count, to: identifier(of: find(uuid)), type: .withResponse)
        report("write") { latencies.add(to: &$0) }
    }

    private func write(
        _ value: Data, _ count: Int, to identifier: CharacteristicIdentifier, type: CBCharacteristicWriteType
    ) async throws -> Latencies {
        let bluejay = bluejay
        return try await RepeatedRequest.measure(count) { completion in
            bluejay.write(to: identifier, value: value, type: type) { result in
                switch result {
                case .success: completion(nil)
                case .failure(let error): completion(error)
                }
            }
        }
    }

    private func flood(_ sink: String, _ value: Data, _ count: Int, counter: String) async throws {
        let (sink, counter) = (try identifier(of: find(sink)), try identifier(of: find(counter)))
        try await bluejay.write(to: counter, value: Data([0]))
        let begin = ContinuousClock.now
        _ = try await write(value, count, to: sink, type: .withoutResponse)
        let deadline = ContinuousClock.now + .seconds(Self.timeout)
        var arrived = 0
        repeat {
            let bytes: Data = try await bluejay.read(from: counter)
            arrived = LabService.SinkCount(bytes: bytes).map { Int($0.writes) } ?? 0
        } while arrived < count && ContinuousClock.now < deadline
        report("flood", since: begin) { $0.add("count", arrived) }
    }

    // MARK: Words and answers

    private func find(_ uuid: String) throws -> CBCharacteristic {
        guard let found = CBUUID(validating: uuid).flatMap({ characteristics[$0] }) else {
            throw BenchFailure(description: "the device has no characteristic \(uuid)")
        }
        return found
    }

    private func identifier(of characteristic: CBCharacteristic) throws -> CharacteristicIdentifier {
        guard let identifier = CharacteristicIdentifier(characteristic) else {
            throw BenchFailure(description: "the characteristic \(characteristic.uuid.uuidString) was removed")
        }
        return identifier
    }

    private func number(_ word: String) throws -> Int {
        guard let number = Int(word), number > 0 else {
            throw BenchFailure(description: "invalid count \"\(word)\"")
        }
        return number
    }

    private func value(_ word: String) throws -> Data { Data(try ValueText.parse("hex:" + word)) }

    private func report(_ event: String, since begin: ContinuousClock.Instant) {
        report(event, since: begin) { _ in }
    }

    private func report(
        _ event: String, since begin: ContinuousClock.Instant, _ more: (inout JSONObject) -> Void
    ) {
        let passed = seconds(ContinuousClock.now - begin)
        report(event) { object in
            object.add("seconds", passed, places: 6)
            more(&object)
        }
    }

    private func report(_ event: String, _ more: (inout JSONObject) -> Void = { _ in }) {
        var object = JSONObject()
        object.add("event", event)
        more(&object)
        // Without a reader nobody would see that this has failed.
        try? StandardOutput.write(object)
    }
}

private func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
}
