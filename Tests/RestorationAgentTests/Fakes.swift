import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import RestorationAgent

/// Bluetooth as a test wants it.
final class FakeBackend: AgentBackend {
    weak var observer: (any AgentBackendObserver)?
    private(set) var calls: [String] = []
    var failure: AgentFailure?
    /// Where the characteristics are really, by where they were.
    var moved: [String: String] = [:]
    /// Whether the answers to `subscribe` wait for ``answer()``.
    var isHoldingAnswers = false
    private var held: [() -> Void] = []

    func answer() {
        for answer in held { answer() }
        held = []
    }

    func keep(_ request: PeripheralRequest) { calls.append("keep \(request.peripheral.short)") }

    func release(_ peripheral: UUID, disconnecting: Bool) {
        calls.append("release \(peripheral.short)\(disconnecting ? ", disconnecting" : "")")
    }

    func scan(_ scans: [ScanRecord]) {
        guard scans != self.scans else { return }
        self.scans = scans
        calls.append("scan \(scans.map { $0.services?.joined(separator: " ") ?? "for all" })")
    }

    private var scans: [ScanRecord] = []

    func subscribe(
        _ peripheral: UUID, _ key: CharacteristicKey, usesSocket: Bool?,
        completion: @escaping (Result<CharacteristicKey, AgentFailure>) -> Void
    ) {
        calls.append("subscribe \(peripheral.short) \(key.path)")
        var key = key
        key.path = moved[key.path] ?? key.path
        let (result, isHeld): (Result<CharacteristicKey, AgentFailure>, Bool) =
            (failure.map { .failure($0) } ?? .success(key), isHoldingAnswers)
        if isHeld { held.append { completion(result) } } else { completion(result) }
    }

    func unsubscribe(
        _ peripheral: UUID, _ key: CharacteristicKey, completion: @escaping (Result<Void, AgentFailure>) -> Void
    ) {
        calls.append("unsubscribe \(peripheral.short) \(key.path)")
        completion(.success(()))
    }

    /// The calls since the last time.
    func takeCalls() -> [String] {
        defer { calls = [] }
        return calls
    }
}

/// A system with a clock of its own.
final class FakeHost: AgentHost {
    private final class Timer {
        let due: Double
        let action: () -> Void
        init(_ due: Double, _ action: @escaping () -> Void) { (self.due, self.action) = (due, action) }
    }
    private struct WeakTimer { weak var timer: Timer? }

    private(set) var now = 0.0
    private var timers: [WeakTimer] = []
    private(set) var launched: [AppRecord] = []
    private(set) var saved: [RestorationRecord] = []
    private(set) var lines: [String] = []
    var alive: Set<Int32> = []
    var launchFailure: (any Error)?
    /// The process of the next program that is started.
    var nextProcess: Int32 = 1000
    /// Whether it can be found out which process was started.
    var knowsProcesses = true

    func launch(_ app: AppRecord) throws -> ProcessMark? {
        if let launchFailure { throw launchFailure }
        launched.append(app)
        alive.insert(nextProcess)
        return knowsProcesses ? ProcessMark(identifier: nextProcess, start: 1, boot: "boot") : nil
    }

    func isAlive(_ process: ProcessMark) -> Bool { alive.contains(process.identifier) }
    func save(_ record: RestorationRecord) { saved.append(record) }
    func log(_ text: String) { lines.append(text) }

    func after(_ seconds: Double, _ action: @escaping () -> Void) -> AnyObject {
        let timer = Timer(now + seconds, action)
        timers.append(WeakTimer(timer: timer))
        return timer
    }

    /// Lets time pass, and what is due happen.
    func advance(by seconds: Double) {
        let end = now + seconds
        while let next = timers.compactMap(\.timer).filter({ $0.due <= end }).min(by: { $0.due < $1.due }) {
            timers.removeAll { $0.timer == nil || $0.timer === next }
            now = max(now, next.due)
            next.action()
        }
        now = end
    }
}

/// A controller to publish on, as a test wants it.
final class FakePublisher: Publisher {
    weak var observer: (any PublisherObserver)?
    private(set) var state = 0
    private(set) var epoch = 0
    var subscriptions: [SubscribedCentral] = []
    private(set) var calls: [String] = []
    var failure: AgentFailure?
    /// Whether the answers wait, which they do until the state changes.
    var isHoldingAnswers = false
    private var held: [(AgentFailure?) -> Void] = []
    /// For how many values there is room.
    var room = Int.max

    /// The controller gets another state: nothing is published any longer.
    func change(to state: Int) {
        self.state = state
        epoch += 1
        let answers = held
        held = []
        for answer in answers { answer(AgentFailure(domain: .core, code: 5, text: "cancelled")) }
        observer?.stateChanged(self)
    }

    private func complete(_ completion: @escaping (AgentFailure?) -> Void) {
        if isHoldingAnswers { held.append(completion) } else { completion(failure) }
    }

    func publish(_ service: ServiceRecord, completion: @escaping (AgentFailure?) -> Void) {
        calls.append("publish \(service.number) \(service.uuid)")
        complete(completion)
    }

    func withdraw(_ service: UInt32) { calls.append("withdraw \(service)") }

    func advertise(_ advertisement: AdvertisementRecord, completion: @escaping (AgentFailure?) -> Void) {
        calls.append("advertise \(advertisement.localName ?? "")")
        complete(completion)
    }

    func stopAdvertising() { calls.append("stop advertising") }
    func respond(_ answer: CentralAnswer) { calls.append("respond \(answer.request) \(answer.code)") }

    func update(_ update: ValueUpdate) -> Bool {
        guard room > 0 else { return false }
        room -= 1
        calls.append("update " + String(decoding: update.value, as: UTF8.self))
        return true
    }

    func stop() { calls.append("stop") }

    /// The calls since the last time.
    func takeCalls() -> [String] {
        defer { calls = [] }
        return calls
    }
}

/// A program at the other end of a connection that is none.
final class FakePeer: AgentPeer {
    let process: ProcessMark?
    private(set) var messages: [AgentMessage] = []
    private(set) var inbox: Int32?
    private(set) var isClosed = false

    init(process: Int32) { self.process = ProcessMark(identifier: process, start: 1, boot: "boot") }

    deinit { if let inbox { Glibc.close(inbox) } }

    func send(_ message: AgentMessage, passing descriptor: Int32?) {
        messages.append(message)
        if let descriptor { inbox = dup(descriptor) }
    }

    func close() { isClosed = true }

    var welcome: Welcome? {
        messages.lazy.compactMap { if case .welcome(let welcome) = $0 { welcome } else { nil } }.first
    }

    var refusal: String? {
        messages.lazy.compactMap { if case .refused(let reason) = $0 { reason } else { nil } }.first
    }

    /// Takes one value out of the socket.
    func take() -> ValueFrame? {
        guard let inbox, case .packet(let bytes, _) = PacketIO.receive(from: inbox, limit: ValueFrame.maximumLength)
        else { return nil }
        return ValueFrame(bytes: bytes)
    }

    /// Takes all values.
    func takeAll() -> [String] {
        var all: [String] = []
        while let frame = take() {
            all.append("\(frame.subscription): " + String(decoding: frame.value, as: UTF8.self))
        }
        return all
    }
}

extension AgentCore {
    /// A program that has registered.
    func register(process: Int32, _ registration: AppRegistration = .app(), on host: FakeHost) -> FakePeer {
        host.alive.insert(process)
        let peer = FakePeer(process: process)
        #expect(receive(.hello(registration), from: peer))
        return peer
    }

    /// The program dies as by SIGKILL: first its connection ends, then its process.
    func kill(_ peer: FakePeer, on host: FakeHost) {
        connectionIsGone(peer)
        if let process = peer.process { host.alive.remove(process.identifier) }
        host.advance(by: 0.1)
    }
}
