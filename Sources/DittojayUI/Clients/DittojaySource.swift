import Dittojay
import Foundation
import Posix

/// One running dittojay, or the place where one may run: its peripherals, and their events. It connects again and
/// again. Used on one queue only.
final class DittojaySource {
    struct Peripheral: Hashable {
        /// What requests name it by; empty if the process has one peripheral and no names.
        var id: String
        var name: String
        var profile: String
        var adapter: String
    }

    let path: String
    /// The peripherals of the process; empty while none runs.
    private(set) var peripherals: [Peripheral] = []
    /// Called when ``peripherals`` has changed.
    var onChange: (() -> Void)?
    /// Called with each event, as dittojay has written it.
    var onEvent: (([UInt8]) -> Void)?

    private let queue: DispatchQueue
    private var link: ControlLink?
    private var timer: (any DispatchSourceTimer)?
    /// For commands, which may take a while. dittojay closes it when it is idle for long.
    private var commandLink: ControlLink?

    /// Seconds between attempts to connect, and between questions for the peripherals.
    private static let interval = 1.0

    init(path: String, queue: DispatchQueue) {
        self.path = path
        self.queue = queue
    }

    func start() {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval)
        timer.setEventHandler { [weak self] in self?.refresh() }
        timer.activate()
        self.timer = timer
        refresh()
    }

    func stop() {
        timer?.cancel()
        timer = nil
        link?.end()
        commandLink?.end()
    }

    // MARK: Requests

    /// Asks for something that is answered at once, over the connection that stays.
    func ask(_ line: [UInt8], _ reply: @escaping (ControlAnswer) -> Void) {
        guard let link else { return reply(.ended) }
        link.send(line, reply)
    }

    /// Carries out a command that may take a while, after those before it.
    func command(_ line: [UInt8], _ reply: @escaping (ControlAnswer) -> Void) {
        do throws(SystemError) {
            try openCommandLink().send(line, reply)
        } catch {
            reply(.refused(error.description))
        }
    }

    private func openCommandLink() throws(SystemError) -> ControlLink {
        if let commandLink { return commandLink }
        let link = try ControlLink(path: path, queue: queue)
        commandLink = link
        link.onEnd = { [weak self] in self?.commandLink = nil }
        return link
    }

    // MARK: The process

    private func refresh() {
        if link == nil { connect() }
        ask(Self.request("peripherals")) { [weak self] answer in
            switch answer {
            case .done(let line): self?.take(Self.peripherals(line))
            case .refused: self?.askForTheOnlyOne()
            case .ended: break
            }
        }
    }

    private func connect() {
        guard let link = try? ControlLink(path: path, queue: queue) else { return }
        self.link = link
        link.onEvent = { [weak self] line in self?.onEvent?(line) }
        link.onEnd = { [weak self] in
            self?.link = nil
            self?.take([])
        }
        link.send(Self.request("events")) { _ in }
        // So that the first command need not wait for it.
        _ = try? openCommandLink()
    }

    /// A dittojay that knows no `peripherals` has one.
    private func askForTheOnlyOne() {
        ask(Self.request("status")) { [weak self] answer in
            guard case .done(let line) = answer, let status = Self.reply(line)?.status else { return }
            self?.take([.init(id: "", name: status.name, profile: status.profile, adapter: status.adapter)])
        }
    }

    private func take(_ found: [Peripheral]) {
        guard found != peripherals else { return }
        peripherals = found
        onChange?()
    }

    // MARK: Lines

    static func request(_ command: String, about peripheral: String = "") -> [UInt8] {
        ControlRequests.line(["command": command], about: peripheral)
    }

    static func reply(_ line: [UInt8]) -> ControlReply? {
        try? JSONDecoder().decode(ControlReply.self, from: Data(line))
    }

    private static func peripherals(_ line: [UInt8]) -> [Peripheral] {
        struct Reply: Decodable {
            struct Entry: Decodable {
                var id: String
                var adapter: String?
                var name: String?
                var profile: String?
            }
            var peripherals: [Entry]
        }
        guard let reply = try? JSONDecoder().decode(Reply.self, from: Data(line)) else { return [] }
        return reply.peripherals.map { entry in
            .init(
                id: entry.id, name: entry.name ?? entry.id, profile: entry.profile ?? "", adapter: entry.adapter ?? "")
        }
    }
}
