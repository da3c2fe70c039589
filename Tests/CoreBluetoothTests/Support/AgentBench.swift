import Foundation
import RestorationAgent
import TestSupport

@testable import CoreBluetooth

/// An agent in this process, behind a real socket, whose Bluetooth says yes to everything.
// @unchecked: the state is touched on `queue` only.
final class AgentBench: @unchecked Swift.Sendable {
    private final class Backend: AgentBackend, @unchecked Swift.Sendable {
        weak var observer: (any AgentBackendObserver)?
        var calls: [String] = []
        let queue: DispatchQueue
        /// Whether peripherals that are to be kept are connected.
        var findsLinks = false

        init(queue: DispatchQueue) { self.queue = queue }

        func keep(_ request: PeripheralRequest) {
            calls.append("keep")
            if findsLinks { queue.async { [weak self] in self?.observer?.connected(request.peripheral) } }
        }
        func release(_ peripheral: UUID, disconnecting: Bool) {
            calls.append(disconnecting ? "disconnect" : "release")
        }
        func scan(_ scans: [ScanRecord]) {
            guard scans != self.scans else { return }
            self.scans = scans
            calls.append("scan \(scans.map { $0.services ?? [] })")
        }

        var scans: [ScanRecord] = []

        func subscribe(
            _ peripheral: UUID, _ key: CharacteristicKey, usesSocket: Bool?,
            completion: @escaping (Result<CharacteristicKey, AgentFailure>) -> Void
        ) {
            calls.append("subscribe")
            completion(.success(key))
        }
        func unsubscribe(
            _ peripheral: UUID, _ key: CharacteristicKey, completion: @escaping (Result<Void, AgentFailure>) -> Void
        ) {
            calls.append("unsubscribe")
            completion(.success(()))
        }
    }

    /// A controller on which all is published, unless the test says otherwise.
    private final class BenchPublisher: Publisher {
        weak var observer: (any PublisherObserver)?
        var state = 5
        var epoch = 1
        var subscriptions: [SubscribedCentral] = []
        var calls: [String] = []
        /// Of what is published next.
        var failure: AgentFailure?
        var isHolding = false
        var room = Int.max

        private func complete(_ completion: @escaping (AgentFailure?) -> Void) {
            if !isHolding { completion(failure) }
        }

        func publish(_ service: ServiceRecord, completion: @escaping (AgentFailure?) -> Void) {
            let uuids = [service.uuid] + service.characteristics.map(\.uuid)
            calls.append("publish " + uuids.map { CBUUID(shortening: $0)?.uuidString ?? $0 }.joined(separator: " "))
            complete(completion)
        }
        func withdraw(_ service: UInt32) { calls.append("withdraw \(service)") }
        func advertise(_ advertisement: AdvertisementRecord, completion: @escaping (AgentFailure?) -> Void) {
            calls.append("advertise \(advertisement.localName ?? "")")
            complete(completion)
        }
        func stopAdvertising() { calls.append("stop advertising") }
        func respond(_ answer: CentralAnswer) {
            calls.append("respond \(answer.request) \(answer.code)" + (answer.value.map { " " + hex($0) } ?? ""))
        }
        func update(_ update: ValueUpdate) -> Bool {
            guard room > 0 else { return false }
            room -= 1
            calls.append("update " + String(decoding: update.value, as: UTF8.self))
            return true
        }
        func stop() { calls.append("stop") }
    }

    let queue = DispatchQueue(label: "agent")
    let folder: TemporaryFolder
    let location: AgentLocation
    private let backend: Backend
    private var publisher = BenchPublisher()
    private var core: AgentCore?
    private var server: AgentServer?

    init() throws {
        backend = Backend(queue: queue)
        folder = try TemporaryFolder()
        location = AgentLocation(environment: [
            "BLUEJAY_AGENT_SOCKET": folder.path + "/agent.sock", "BLUEJAY_STATE_DIRECTORY": folder.path,
        ])
        try location.prepare()
    }

    deinit { stop() }

    /// Starts the agent.
    ///
    /// - Parameters:
    ///   - record: what agents before it have kept, if not this one.
    ///   - linksAreUp: whether what is to be kept is connected.
    func start(_ record: RestorationRecord? = nil, linksAreUp: Bool = false) throws {
        try queue.sync {
            backend.calls = []
            backend.findsLinks = linksAreUp
            let file = RecordFile(folder: folder.path)
            if let record { try file.save(record) }
            let host = SystemHost(file: file, queue: queue) { _ in }
            let publisher = BenchPublisher()
            self.publisher = publisher
            let core = AgentCore(
                record: try file.load(), backend: backend, host: host, queue: queue, makePublisher: { _ in publisher })
            server = try AgentServer(location, core: core, queue: queue)
            self.core = core
            core.start()
        }
    }

    func stop() {
        queue.sync {
            server?.stop()
            core?.saveNow()
            server = nil
            core = nil
        }
    }

    func notify(_ text: String, from peripheral: UUID, _ key: CharacteristicKey) {
        queue.sync { backend.observer?.received(Data(text.utf8), from: peripheral, path: key.path) }
    }

    var calls: [String] { queue.sync { backend.calls } }
    /// The scan of the only program.
    var scan: ScanRecord? { queue.sync { core?.record.apps.first?.scan } }
    var isIdle: Bool { queue.sync { core?.isIdle ?? true } }

    // MARK: What programs publish

    /// What was asked of the controller, in order.
    var publications: [String] { queue.sync { publisher.calls } }

    /// Makes publishing fail.
    func fail(_ failure: AgentFailure) { queue.sync { publisher.failure = failure } }
    /// Stops answering.
    func hold() { queue.sync { publisher.isHolding = true } }

    func ask(_ request: CentralRequest) { queue.sync { publisher.observer?.received(request, publisher) } }

    func subscribe(_ central: SubscribedCentral) {
        queue.sync {
            publisher.subscriptions.append(central)
            publisher.observer?.subscribed(central, publisher)
        }
    }

    func unsubscribe(_ central: SubscribedCentral) {
        queue.sync {
            publisher.subscriptions.removeAll { $0 == central }
            publisher.observer?.unsubscribed(central, publisher)
        }
    }

    /// Sets for how many values there is room.
    func setRoom(_ room: Int) {
        queue.sync {
            publisher.room = room
            publisher.observer?.isReady(publisher)
        }
    }

    /// The controller's state, as the raw value of `CBManagerState`.
    func power(_ state: Int) {
        queue.sync {
            publisher.state = state
            publisher.epoch += 1
            publisher.subscriptions = []
            publisher.observer?.stateChanged(publisher)
        }
    }
}
