import Dittojay
import Foundation
import PlainText

/// What one open page gets, an object in JSON on each line. A page that does not read misses samples, of which only the
/// newest is of interest, and events, which are counted. Used on one queue only.
final class PageStream {
    private let connection: HTTPConnection
    private let hub: SourceHub
    /// The key of the peripheral that the page shows.
    private let peripheral: String
    private var sampler: PeripheralSampler?
    private var heartbeat: (any DispatchSourceTimer)?
    private var missed = 0

    /// Seconds between lines that say nothing, by which the page notices a connection that is dead.
    private static let pause = 5.0

    init(_ connection: HTTPConnection, hub: SourceHub, peripheral: String) {
        self.connection = connection
        self.hub = hub
        self.peripheral = peripheral
    }

    func start() {
        send(hub.sourcesLine)
        for event in hub.events { send(event: event) }
        sendRadio()
        sample()
        let timer = DispatchSource.makeTimerSource(queue: hub.queue)
        timer.schedule(deadline: .now() + Self.pause, repeating: Self.pause)
        timer.setEventHandler { [weak self] in self?.send(Array(#"{"type":"alive"}"#.utf8)) }
        timer.activate()
        heartbeat = timer
    }

    func stop() {
        sampler?.stop()
        sampler = nil
        heartbeat?.cancel()
        heartbeat = nil
    }

    func sourcesChanged() {
        send(hub.sourcesLine)
        sample()
    }

    /// Begins to look at the peripheral when it runs, and stops when it does not.
    private func sample() {
        guard let found = hub.find(peripheral) else {
            sampler?.stop()
            sampler = nil
            return
        }
        guard sampler == nil else { return }
        sampler = PeripheralSampler(found.source, peripheral: found.id, queue: hub.queue) { [weak self] sample in
            guard let self, connection.waiting == 0 else { return }
            send(sample.json(key: peripheral).utf8)
        }
    }

    func sendRadio() {
        guard connection.waiting == 0 else { return }
        send(Array(#"{"type":"radio","status":"#.utf8) + (hub.radio.status ?? Array("null".utf8)) + Array("}".utf8))
    }

    func send(event line: [UInt8]) {
        if missed > 0, connection.waiting == 0 {
            let count = missed
            missed = 0
            send(Array(#"{"type":"missed","count":\#(count)}"#.utf8))
        }
        guard missed == 0, send(line) else {
            missed += 1
            return
        }
    }

    @discardableResult
    private func send(_ line: [UInt8]) -> Bool { connection.send(line + [UInt8(ascii: "\n")]) }
}
