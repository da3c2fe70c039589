import Foundation
import LineOutput
import UserFolders

/// The virtual radio, if there is one: device positions. It connects again and again. Used on one queue only.
final class RadioSource {
    let path: String
    /// The last answer to `status`, an object in JSON; nil while there is no radio.
    private(set) var status: [UInt8]?
    /// Called when ``status`` has changed.
    var onChange: (() -> Void)?

    private let queue: DispatchQueue
    private var link: ControlLink?
    private var timer: (any DispatchSourceTimer)?
    private var isAsking = false

    /// Seconds between questions.
    private static let interval = 0.5

    init(path: String, queue: DispatchQueue) {
        self.path = path
        self.queue = queue
    }

    /// Where a radio's socket is unless something else is said: as the radio chooses it.
    static func usualPath(environment: [String: String]) -> String {
        if let path = environment["VIRTUAL_RADIO_SOCKET"], !path.isEmpty { return path }
        return RuntimeFolder(program: "virtual-radio", environment: environment).path + "/virtual-radio.sock"
    }

    func start() {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: Self.interval)
        timer.setEventHandler { [weak self] in self?.ask() }
        timer.activate()
        self.timer = timer
    }

    func stop() {
        timer?.cancel()
        timer = nil
        link?.end()
    }

    /// Has the radio carry out a command.
    func command(_ line: [UInt8], _ reply: @escaping (ControlAnswer) -> Void) {
        guard let link else { return reply(.refused("no virtual radio at \(path)")) }
        link.send(line) { [weak self] answer in
            reply(answer)
            self?.ask()
        }
    }

    private func ask() {
        if link == nil, let new = try? ControlLink(path: path, queue: queue) {
            link = new
            new.onEnd = { [weak self] in
                self?.link = nil
                self?.take(nil)
            }
        }
        guard let link, !isAsking else { return }
        isAsking = true
        link.send(ControlRequests.line(["command": "status"])) { [weak self] answer in
            self?.isAsking = false
            if case .done(let line) = answer { self?.take(line) }
        }
    }

    private func take(_ line: [UInt8]?) {
        guard line != status else { return }
        status = line
        onChange?()
    }
}
