import CoreBluetooth
import Foundation
import RestorationAgent

extension FuzzTarget {
    /// Programs that talk to the restoration agent, die and come back, while Bluetooth does what it likes.
    static let agent = FuzzTarget(name: "agent", weight: 40, generate: AgentStory.generate, run: AgentStory.run)

    /// The agent's record on disk.
    static let record = FuzzTarget(
        name: "record", weight: 50, generate: RecordTexts.generate,
        run: { bytes in
            guard let record = MessageCoder.decode(RestorationRecord.self, from: Data(bytes)) else { return }
            let core = AgentCore(
                record: record, backend: StoryBackend(), host: StoryHost(), queue: AgentStory.queue,
                makePublisher: { _ in StoryPublisher() })
            try AgentStory.check(core)
            core.start()
            try AgentStory.check(core)
        })
}

/// What an input says, line by line: `<0 {"hello":…}` is a message of the program 0, `!0` its death, `+3` three
/// seconds, and other lines are events of Bluetooth, for example `c1`.
private enum AgentStory {
    static let queue = DispatchQueue(label: "agent")

    private static let key = CharacteristicKey(
        service: "0000180d-0000-1000-8000-00805f9b34fb", characteristic: "00002a37-0000-1000-8000-00805f9b34fb",
        path: "service0010/char0011")

    private static let messages: [String] = {
        let registration = AppRegistration(
            program: "/bin/app", identifier: "heart", command: ["/bin/app", "run"], folder: "/",
            environment: ["PATH": "/bin"])
        let request = PeripheralRequest(peripheral: peripheral(1), adapter: "00:AA:01:00:00:00", reconnects: true)
        let messages: [AppMessage] = [
            .hello(registration), .hello(registration), .connecting(request), .connected(request), .connected(request),
            .subscribe(SubscriptionRequest(subscription: 1, peripheral: peripheral(1), key: key, usesSocket: true)),
            .subscribe(SubscriptionRequest(subscription: 2, peripheral: peripheral(1), key: key)),
            .scanning(ScanRecord(adapter: "00:AA", services: ["180d"], allowsDuplicates: true)),
            .unsubscribe(subscription: 1), .released(peripheral: peripheral(1)), .goodbye, .hello(publishing),
            .publish(service(1), epoch: 1), .publish(service(2), epoch: 1), .withdraw(service: 1),
            .advertise(AdvertisementRecord(localName: "Counter", manufacturerData: [Data([1, 2, 3])]), epoch: 1),
            .stopAdvertising, .respond(CentralAnswer(request: 1, code: 0, value: Data([1]))),
            .update([ValueUpdate(place: CharacteristicPlace(service: 1, index: 0), value: Data([1, 2]))]),
        ]
        return messages.compactMap { MessageCoder.encode($0).map { String(decoding: $0, as: UTF8.self) } }
    }()

    private static let publishing = AppRegistration(
        program: "/bin/app", identifier: "counter", command: ["/bin/app", "run"], folder: "/", environment: [:],
        role: .peripheral, adapter: "hci0")

    private static func service(_ number: UInt32) -> ServiceRecord {
        let descriptors = [DescriptorRecord(uuid: "2901", text: "count")]
        return ServiceRecord(
            number: number, uuid: "180D", isPrimary: true,
            characteristics: [
                CharacteristicRecord(uuid: "2A37", properties: 0x10, permissions: 1, descriptors: descriptors),
                CharacteristicRecord(uuid: "2A38", properties: 2, permissions: 1, value: Data([1])),
            ])
    }

    private static let mutator = Mutator(
        corpus: messages,
        words: Oddities.numbers + Oddities.texts + [
            "{", "}", "[", "]", ":", ",", "\"", "[[[[", "\"usesSocket\":", "\"version\":", "null,",
            peripheral(2).uuidString,
            "service0020/char0021", "/bin/other",
        ])

    static func peripheral(_ number: Int) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(truncatingIfNeeded: number)))
    }

    static func generate(_ dice: inout Dice) -> [UInt8] {
        var lines: [String] = []
        for _ in 0...dice.length(upTo: 120) {
            let number = dice.below(3)
            switch dice.below(10) {
            case 0...3: lines.append("<\(number) " + dice.pick(messages))
            case 4:
                let message = mutator.input(&dice).map { $0 == 0x0A ? 0x20 : $0 }
                lines.append("<\(number) " + String(decoding: message, as: UTF8.self))
            case 5: lines.append("!\(number)")
            case 6: lines.append("+\(dice.length(upTo: 400))")
            // A program as it should be, up to its subscription.
            case 7: lines += [0, 3, 5].map { "<\(number) " + messages[$0] }
            // A peripheral as it should be, up to its advertisement.
            case 8:
                lines.append("<\(number) " + messages[10])
                lines += ["p5"] + [11, 14, 17].map { "<\(number) " + messages[$0] }
            default:
                let events = ["c", "d", "l", "b", "v", "v", "s", "f", "h", "a", "p", "q", "q", "u", "n", "r"]
                lines.append("\(dice.pick(events))\(dice.below(6))")
            }
        }
        return Array(lines.joined(separator: "\n").utf8)
    }

    static func run(_ bytes: [UInt8]) throws {
        let (backend, host) = (StoryBackend(), StoryHost())
        let air = StoryAir()
        let core = AgentCore(
            record: RestorationRecord(), backend: backend, host: host, queue: queue,
            makePublisher: { _ in air.publisher() })
        var peers: [Int: StoryPeer] = [:]
        core.start()
        for (place, line) in bytes.split(separator: 0x0A).enumerated() {
            let number = Int(line.dropFirst().first ?? 0) - 0x30
            let rest = Data(line.dropFirst(3))
            switch line.first.map({ Character(UnicodeScalar($0)) }) {
            case "<":
                guard let message = MessageCoder.decode(AppMessage.self, from: rest) else { break }
                let peer = peers[number] ?? StoryPeer(process: Int32(truncatingIfNeeded: host.lives(number)))
                peers[number] = peer
                let isGood = core.receive(message, from: peer)
                try expect(!peer.hasUnsendable, "an answer that is too long to be sent")
                if !isGood || peer.isClosed { end(number, &peers, core) }
            case "!":
                host.dies(number)
                end(number, &peers, core)
            case "+": host.advance(by: Double(String(decoding: line.dropFirst(), as: UTF8.self)) ?? 1)
            case let event?:
                backend.happens(event, peripheral(number), rest: rest)
                air.happens(event, number)
            case nil: break
            }
            // As often as time allows.
            if place % 4 == 0 { try check(core) }
        }
        host.advance(by: 1000)
        try check(core)
        guard let saved = MessageCoder.encode(RecordInOnePiece(core.record)) else { return }
        let again = MessageCoder.decode(RecordInOnePiece.self, from: saved)?.record
        try expect(again == core.record, "a record is not read as it was written")
    }

    private static func end(_ number: Int, _ peers: inout [Int: StoryPeer], _ core: AgentCore) {
        if let peer = peers.removeValue(forKey: number) { core.connectionIsGone(peer) }
    }

    /// What the agent keeps has its limits, always.
    static func check(_ core: AgentCore) throws {
        let record = core.record
        try expect(record.withinLimits == record, "more is kept than the limits allow")
        for app in record.apps {
            let publication = app.publication.map {
                Publication(state: 5, epoch: 1, record: $0, subscriptions: [])
            }
            let welcome = Welcome(
                nextSubscription: app.nextSubscription, peripherals: app.peripherals, publication: publication)
            try expect(MessageCoder.encode(AgentMessage.welcome(welcome)) != nil, "a welcome that is too long")
            for peripheral in app.peripherals {
                let keys = peripheral.subscriptions.map(\.key)
                try expect(Set(peripheral.subscriptions.map(\.subscription)).count == keys.count, "a number twice")
            }
        }
    }
}

private struct RecordInOnePiece: Codable {
    let record: RestorationRecord
    init(_ record: RestorationRecord) { self.record = record }
}

private enum RecordTexts {
    private static let mutator: Mutator = {
        let key = CharacteristicKey(service: "s", characteristic: "c", path: "service0010/char0011")
        let request = PeripheralRequest(peripheral: AgentStory.peripheral(1), adapter: "00:AA", reconnects: true)
        var app = AppRecord(
            registration: AppRegistration(
                program: "/bin/app", identifier: "heart", command: ["/bin/app"], folder: "/", environment: ["A": "b"]),
            process: ProcessMark(identifier: 7, start: 1, boot: "boot"))
        app.nextSubscription = 3
        var peripheral = PeripheralRecord(request, state: .connected)
        peripheral.serviceChange = ServiceChangeRecord(invalidated: ["180d"])
        for number in 1...2 as ClosedRange<UInt32> {
            peripheral.subscriptions.append(
                SubscriptionRequest(subscription: number, peripheral: AgentStory.peripheral(1), key: key))
        }
        app.peripherals = [peripheral]
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let text = (try? encoder.encode(RestorationRecord(apps: [app]))).map { String(decoding: $0, as: UTF8.self) }
        return Mutator(
            corpus: [text ?? "{}"],
            words: Oddities.numbers + Oddities.texts + ["{", "}", "[", "]", ",", ":", "\"", "[[[[", "\"apps\":"])
    }()

    static func generate(_ dice: inout Dice) -> [UInt8] { mutator.input(&dice) }
}

private final class StoryBackend: AgentBackend {
    weak var observer: (any AgentBackendObserver)?
    private var held: [() -> Void] = []
    private var isHolding = false
    private var failure: AgentFailure?

    func keep(_ request: PeripheralRequest) {}
    func release(_ peripheral: UUID, disconnecting: Bool) {}
    func scan(_ scans: [ScanRecord]) {}

    func subscribe(
        _ peripheral: UUID, _ key: CharacteristicKey, usesSocket: Bool?,
        completion: @escaping (Result<CharacteristicKey, AgentFailure>) -> Void
    ) {
        let result: Result<CharacteristicKey, AgentFailure> = failure.map { .failure($0) } ?? .success(key)
        if isHolding { held.append { completion(result) } } else { completion(result) }
    }

    func unsubscribe(
        _ peripheral: UUID, _ key: CharacteristicKey, completion: @escaping (Result<Void, AgentFailure>) -> Void
    ) {
        if isHolding { held.append { completion(.success(())) } } else { completion(.success(())) }
    }

    func happens(_ event: Character, _ peripheral: UUID, rest: Data) {
        switch event {
        case "c": observer?.connected(peripheral)
        case "d": observer?.disconnected(peripheral, isComing: false)
        case "l": observer?.disconnected(peripheral, isComing: true)
        case "b": observer?.bluetoothIsGone()
        case "n": observer?.discovered([String(decoding: rest.prefix(60), as: UTF8.self)], on: "00:AA")
        case "v": observer?.received(Data(rest.prefix(512)), from: peripheral, path: "service0010/char0011")
        case "s":
            let uuids = (0..<50).map { "\($0)\(String(decoding: rest.prefix(60), as: UTF8.self))" }
            observer?.servicesChanged(peripheral, invalidated: uuids, paths: ["service0010"])
        case "f": failure = failure == nil ? AgentFailure(domain: .core, code: 7, text: "no") : nil
        case "h": isHolding = true
        case "a":
            isHolding = false
            let answers = held
            held = []
            for answer in answers { answer() }
        default: break
        }
    }
}

/// The controllers on which programs publish.
private final class StoryAir {
    private struct WeakPublisher { weak var publisher: StoryPublisher? }
    private var publishers: [WeakPublisher] = []

    func publisher() -> StoryPublisher {
        let publisher = StoryPublisher()
        publishers.removeAll { $0.publisher == nil }
        publishers.append(WeakPublisher(publisher: publisher))
        return publisher
    }

    func happens(_ event: Character, _ number: Int) {
        for publisher in publishers.compactMap(\.publisher) { publisher.happens(event, number) }
    }
}

private final class StoryPublisher: Publisher {
    weak var observer: (any PublisherObserver)?
    private(set) var state = 0
    private(set) var epoch = 0
    private(set) var subscriptions: [SubscribedCentral] = []
    private var held: [(AgentFailure?) -> Void] = []
    private var isHolding = false
    private var failure: AgentFailure?
    private var hasRoom = true
    private var requests: UInt32 = 0

    private func answer(_ completion: @escaping (AgentFailure?) -> Void) {
        if isHolding { held.append(completion) } else { completion(failure) }
    }

    private func answerAll(_ failure: AgentFailure?) {
        let answers = held
        held = []
        for answer in answers { answer(failure) }
    }

    func publish(_ service: ServiceRecord, completion: @escaping (AgentFailure?) -> Void) { answer(completion) }
    func advertise(_ advertisement: AdvertisementRecord, completion: @escaping (AgentFailure?) -> Void) {
        answer(completion)
    }
    func withdraw(_ service: UInt32) {}
    func stopAdvertising() {}
    func respond(_ answer: CentralAnswer) {}
    func update(_ update: ValueUpdate) -> Bool { hasRoom }
    func stop() {
        observer = nil
        answerAll(AgentFailure(domain: .core, code: 5, text: "cancelled"))
    }

    func happens(_ event: Character, _ number: Int) {
        let central = CentralRecord(identifier: AgentStory.peripheral(number), mtu: 247)
        let place = CharacteristicPlace(service: UInt32(number), index: 0)
        switch event {
        case "p" where number != state:
            state = number
            epoch += 1
            subscriptions = []
            answerAll(AgentFailure(domain: .core, code: 5, text: "cancelled"))
            observer?.stateChanged(self)
        case "q":
            requests += 1
            let request = CentralRequest(
                number: requests, place: place, central: central, offset: 0, value: Data(count: 512),
                wantsResponse: nil)
            observer?.received(request, self)
        case "u":
            let subscription = SubscribedCentral(place: place, central: central)
            if subscriptions.contains(subscription) {
                subscriptions.removeAll { $0 == subscription }
                observer?.unsubscribed(subscription, self)
            } else {
                subscriptions.append(subscription)
                observer?.subscribed(subscription, self)
            }
        case "n":
            hasRoom.toggle()
            if hasRoom { observer?.isReady(self) }
        case "r", "f": failure = failure == nil ? AgentFailure(domain: .core, code: 0, text: "no") : nil
        case "h": isHolding = true
        case "a":
            isHolding = false
            answerAll(failure)
        default: break
        }
    }
}

private final class StoryHost: AgentHost {
    private final class Timer {
        let due: Double
        let action: () -> Void
        init(_ due: Double, _ action: @escaping () -> Void) { (self.due, self.action) = (due, action) }
    }
    private struct WeakTimer { weak var timer: Timer? }

    private(set) var now = 0.0
    private var timers: [WeakTimer] = []
    private var alive: [Int: Int] = [:]
    private var nextProcess = 100

    /// The process of a program, which is started if it does not run.
    func lives(_ program: Int) -> Int {
        if let process = alive[program] { return process }
        nextProcess += 1
        alive[program] = nextProcess
        return nextProcess
    }

    func dies(_ program: Int) { alive[program] = nil }

    func launch(_ app: AppRecord) throws -> ProcessMark? {
        nextProcess += 1
        return ProcessMark(identifier: Int32(truncatingIfNeeded: nextProcess), start: 1, boot: "boot")
    }

    func isAlive(_ process: ProcessMark) -> Bool { alive.values.contains(Int(process.identifier)) }
    func save(_ record: RestorationRecord) {}
    func log(_ text: String) {}

    func after(_ seconds: Double, _ action: @escaping () -> Void) -> AnyObject {
        let timer = Timer(now + seconds, action)
        timers.append(WeakTimer(timer: timer))
        return timer
    }

    func advance(by seconds: Double) {
        guard seconds >= 0, seconds < 1e6 else { return }
        let end = now + seconds
        for _ in 0..<2000 {
            let due = timers.compactMap(\.timer).filter { $0.due <= end }
            guard let next = due.min(by: { $0.due < $1.due }) else { break }
            timers.removeAll { $0.timer == nil || $0.timer === next }
            now = max(now, next.due)
            next.action()
        }
        now = end
    }
}

private final class StoryPeer: AgentPeer {
    let process: ProcessMark?
    private(set) var isClosed = false
    private(set) var hasUnsendable = false

    init(process: Int32) { self.process = ProcessMark(identifier: process, start: 1, boot: "boot") }

    func send(_ message: AgentMessage, passing descriptor: Int32?) {
        if MessageCoder.encode(message) == nil { hasUnsendable = true }
    }

    func close() { isClosed = true }
}
