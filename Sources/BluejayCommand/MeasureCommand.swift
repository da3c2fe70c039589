import ArgumentParser
import Bluejay
import MainLoop
import GATTProfiles
import PlainText

/// The central's side of the bench: one connection, on which it does what standard input asks for and reports how long
/// it took. Not shown in the help, because it may change with the bench.
struct MeasureCommand: CentralCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure", abstract: "Connect and run the commands from standard input, for benchmarks.",
        discussion: """
            listen CHARACTERISTIC COUNT [CONTROL HEX]   until COUNT values were received; CONTROL: write HEX to it when subscribed
            read CHARACTERISTIC TIMES
            write CHARACTERISTIC HEX TIMES
            flood SINK HEX TIMES COUNTER                without response, until COUNTER shows that all have arrived
            """,
        shouldDisplay: false)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var target: DeviceOptions
    @OptionGroup var notifications: NotificationOptions

    func run() async throws {
        var options = options
        options.json = true
        let target = target
        await CommandContext.run(options, notifications: notifications) {
            try await Measurement(target, context: $0).run()
        }
    }
}

@MainActor
private final class Measurement {
    private let context: CommandContext
    private let target: DeviceOptions
    private var table = AttributeTable([])

    /// Seconds without a value after which the rest counts as lost.
    private static let timeout = 10.0

    init(_ target: DeviceOptions, context: CommandContext) {
        self.target = target
        self.context = context
    }

    func run() async throws {
        let begin = ContinuousClock.now
        let identifier = try await context.find(target.selector, timeout: target.connectTimeout)
        report("found", since: begin)
        let found = ContinuousClock.now
        let deadline = ContinuousClock.now + .seconds(target.connectTimeout)
        try await context.connect(
            .identifiers([identifier.uuid], text: target.device), until: deadline, limit: target.connectTimeout)
        let direct = try context.takeOver(target.device)
        try await direct.discoverEverything(until: deadline, limit: target.connectTimeout)
        table = direct.table
        context.handBack()
        report("connected", since: found)
        for await line in Self.lines() {
            try await take(line.split(separator: " ").map(String.init))
        }
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

    private func take(_ words: [String]) async throws {
        switch (words.first, words.count) {
        case ("listen", 3): try await listen(words[1], try number(words[2]), control: nil)
        case ("listen", 5):
            try await listen(words[1], try number(words[2]), control: (words[3], try value(words[4])))
        case ("read", 3): try await read(words[1], try number(words[2]))
        case ("write", 4): try await write(words[1], try value(words[2]), try number(words[3]))
        case ("flood", 5):
            try await flood(words[1], try value(words[2]), try number(words[3]), counter: words[4])
        default: throw Failure(.failed, "no such step: \(words.joined(separator: " "))")
        }
    }

    // MARK: Steps

    private func listen(_ name: String, _ count: Int, control: (name: String, value: Data)?) async throws {
        let identifier = try identifier(of: try find(name))
        let arrivals = Arrivals(count: count)
        context.bluejay.listen(to: identifier) { (result: ReadResult<Data>) in
            if case .success(let value) = result { arrivals.add(value) }
        }
        try await isNotifying(name)
        report("subscribed")
        if let control {
            try await write(control.value, to: try find(control.name))
        }
        await arrivals.wait(timeout: Self.timeout)
        let loss = try find(name).notificationLoss
        report("listened") { object in
            object.add("count", arrivals.received)
            object.add("breaks", arrivals.breaks)
            object.add("droppedValues", loss.droppedValues)
            object.add("fullSockets", loss.fullSockets)
            object.add("seconds", seconds(arrivals.span), places: 6)
        }
        // The next listen to it must not find this one's state.
        try await context.bluejay.endListen(to: identifier)
    }

    /// Waits until the peripheral has taken the subscription: Bluejay reports only a failure.
    private func isNotifying(_ name: String) async throws {
        let characteristic = try find(name)
        let deadline = ContinuousClock.now + .seconds(Self.timeout)
        while !characteristic.isNotifying {
            guard ContinuousClock.now < deadline else { throw Failure(.notInTime, "\(name) was not subscribed") }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    private func read(_ name: String, _ count: Int) async throws {
        let characteristic = try find(name)
        let identifier = try identifier(of: characteristic)
        let bluejay = context.bluejay
        try await time("read", count, of: characteristic) { completion in
            bluejay.read(from: identifier) { (result: ReadResult<Data>) in
                switch result {
                case .success: completion(nil)
                case .failure(let error): completion(error)
                }
            }
        }
    }

    private func write(_ name: String, _ value: Data, _ count: Int) async throws {
        let characteristic = try find(name)
        let identifier = try identifier(of: characteristic)
        let bluejay = context.bluejay
        try await time("write", count, of: characteristic) { completion in
            bluejay.write(to: identifier, value: value, type: .withResponse) { result in
                switch result {
                case .success: completion(nil)
                case .failure(let error): completion(error)
                }
            }
        }
    }

    /// Makes a request `count` times and reports how long each took.
    private func time(
        _ verb: String, _ count: Int, of characteristic: CBCharacteristic,
        _ request: @escaping @MainActor (@escaping RepeatedRequest.Completion) -> Void
    ) async throws {
        do {
            let latencies = try await RepeatedRequest.measure(count, request)
            report(verb) { latencies.add(to: &$0) }
        } catch {
            throw Failure(error, attempt: "cannot \(verb) \(characteristic.label)")
        }
    }

    private func flood(_ sink: String, _ value: Data, _ count: Int, counter: String) async throws {
        let sink = try find(sink)
        let counter = try find(counter)
        try await write(Data([0]), to: counter)
        let begin = ContinuousClock.now
        let direct = try context.takeOver(target.device)
        for _ in 0..<count { try await direct.writeCommand(value, to: sink) }
        context.handBack()
        let deadline = ContinuousClock.now + .seconds(Self.timeout)
        var arrived = 0
        repeat {
            arrived = LabService.SinkCount(bytes: try await read(counter)).map { Int($0.writes) } ?? 0
        } while arrived < count && ContinuousClock.now < deadline
        report("flood", since: begin) { $0.add("count", arrived) }
    }

    // MARK: Requests, by way of Bluejay

    private func read(_ characteristic: CBCharacteristic) async throws -> Data {
        do {
            return try await context.bluejay.read(from: identifier(of: characteristic))
        } catch {
            throw Failure(error, attempt: "cannot read \(characteristic.label)")
        }
    }

    private func write(_ value: Data, to characteristic: CBCharacteristic) async throws {
        do {
            try await context.bluejay.write(to: identifier(of: characteristic), value: value)
        } catch {
            throw Failure(error, attempt: "cannot write \(characteristic.label)")
        }
    }

    private func identifier(of characteristic: CBCharacteristic) throws -> CharacteristicIdentifier {
        guard let identifier = CharacteristicIdentifier(characteristic) else {
            throw Failure(.noSuchCharacteristic, "the characteristic \(characteristic.label) was removed")
        }
        return identifier
    }

    // MARK: Words and answers

    private func find(_ name: String) throws -> CBCharacteristic {
        guard let selector = AttributeSelector(name),
            case .characteristic(let characteristic) = try table.find(selector, of: target.device)
        else { throw Failure(.noSuchCharacteristic, name) }
        return characteristic
    }

    private func number(_ word: String) throws -> Int {
        guard let number = Int(word), number > 0 else { throw Failure(.failed, "\(word) is not a count") }
        return number
    }

    private func value(_ word: String) throws -> Data {
        Data(try ValueText.parse("hex:" + word))
    }

    private func report(
        _ event: String, since begin: ContinuousClock.Instant, _ more: (inout JSONObject) -> Void = { _ in }
    ) {
        let passed = seconds(ContinuousClock.now - begin)
        report(event) { object in
            object.add("seconds", passed, places: 6)
            more(&object)
        }
    }

    private func report(_ event: String, _ more: (inout JSONObject) -> Void = { _ in }) {
        context.output.event(event, event, json: more)
        context.output.flush()
    }
}

/// Counts values that begin with their number, as they come.
@MainActor
private final class Arrivals {
    private(set) var received = 0
    /// How often a value was not the one after the last.
    private(set) var breaks = 0
    private let count: Int
    private var first = ContinuousClock.now
    private var last = ContinuousClock.now
    private var previous: UInt32?
    private let end = FirstOutcome<Void>()

    init(count: Int) {
        self.count = count
    }

    /// From the first value to the last.
    var span: Duration { last - first }

    func add(_ value: Data) {
        last = .now
        if received == 0 { first = last }
        received += 1
        var number: UInt32 = 0
        for byte in value.prefix(4).reversed() { number = number << 8 | UInt32(byte) }
        if let previous, number != previous &+ 1 { breaks += 1 }
        previous = number
        if received == count { end.report() }
    }

    /// Waits until all have arrived, or none has for this many seconds.
    func wait(timeout: Double) async {
        if received >= count { return }
        let watch = Task {
            while true {
                let before = received
                try await Task.sleep(for: .seconds(timeout))
                if received == before { return end.report() }
            }
        }
        await end.value()
        watch.cancel()
    }
}

private func seconds(_ duration: Duration) -> Double {
    duration.inSeconds
}
