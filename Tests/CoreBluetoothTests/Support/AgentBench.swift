import Foundation
import RestorationAgent
import TestSupport

/// An agent in this process, behind a real socket, whose Bluetooth says yes to everything.
// @unchecked: the state is touched on `queue` only.
final class AgentBench: @unchecked Swift.Sendable {
    private final class Backend: AgentBackend {
        weak var observer: (any AgentBackendObserver)?
        var calls: [String] = []
        func keep(_ request: PeripheralRequest) { calls.append("keep") }
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
    private let backend = Backend()
    private var core: AgentCore?
    private var server: AgentServer?

    init() throws {
        folder = try TemporaryFolder()
        location = AgentLocation(environment: [
            "BLUEJAY_AGENT_SOCKET": folder.path + "/agent.sock", "BLUEJAY_STATE_DIRECTORY": folder.path,
        ])
        try location.prepare()
    }

    deinit { stop() }

    func start() throws {
        try queue.sync {
            backend.calls = []
            let file = RecordFile(folder: folder.path)
            let surroundings = SystemSurroundings(file: file, queue: queue) { _ in }
            let core = AgentCore(
                record: try file.load(), backend: backend, surroundings: surroundings, queue: queue)
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
