import Foundation
import RestorationAgent
import RestorationProtocol
import TestSupport

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

    let queue = DispatchQueue(label: "agent")
    let folder: TemporaryFolder
    let location: AgentLocation
    private let backend: Backend
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
            let core = AgentCore(
                record: try file.load(), backend: backend, host: host, queue: queue)
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
    var isIdle: Bool { queue.sync { core?.isIdle ?? true } }
}
