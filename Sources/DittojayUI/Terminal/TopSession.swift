import Dittojay
package import Foundation
import MainLoop

/// The terminal view of running dittojays, until a key or a signal ends it.
// @unchecked: everything happens on `queue`.
package final class TopSession: @unchecked Sendable {
    private let queue: DispatchQueue
    private let screen: TerminalScreen
    private let sources: [DittojaySource]
    private let onEnd: () -> Void
    private var model = TopModel()
    private var samplers: [String: PeripheralSampler] = [:]
    private var signals: [any DispatchSourceSignal] = []
    private var timer: (any DispatchSourceTimer)?
    private var keys: DescriptorWatch?

    /// Seconds between pictures.
    private static let interval = 0.5

    /// - Parameters:
    ///   - sockets: the control sockets of dittojays.
    ///   - onEnd: called on `queue` when the terminal is as it was.
    package init(sockets: [String], screen: TerminalScreen, queue: DispatchQueue, onEnd: @escaping () -> Void) {
        self.queue = queue
        self.screen = screen
        self.onEnd = onEnd
        sources = sockets.map { DittojaySource(path: $0, queue: queue) }
    }

    /// To be called on the queue.
    package func start() {
        for (number, action) in [(SIGINT, end), (SIGTERM, end), (SIGHUP, end), (SIGWINCH, draw)] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler(handler: action)
            source.activate()
            signals.append(source)
        }
        keys = DescriptorWatch(STDIN_FILENO, queue: queue) { [weak self] in self?.readKeys() }
        keys?.start()
        for source in sources {
            source.onChange = { [weak self] in self?.sourcesChanged() }
            source.onEvent = { [weak self] line in
                self?.model.note(PeripheralEvent.text(ofLine: line) ?? String(decoding: line, as: UTF8.self))
            }
            source.start()
        }
        sourcesChanged()
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: Self.interval)
        // Until it is cancelled, it keeps the session.
        timer.setEventHandler { self.draw() }
        timer.activate()
        self.timer = timer
    }

    private func sourcesChanged() {
        let present = sources.enumerated().flatMap { index, source in
            source.peripherals.map { (key: SourceHub.key(index, $0.id), name: $0.name, source: source, id: $0.id) }
        }
        model.keep(present.map { ($0.key, $0.name) })
        model.absent = sources.filter(\.peripherals.isEmpty).map(\.path)
        for (key, sampler) in samplers where !present.contains(where: { $0.key == key }) {
            sampler.stop()
            samplers[key] = nil
        }
        for one in present where samplers[one.key] == nil {
            samplers[one.key] = PeripheralSampler(one.source, peripheral: one.id, queue: queue) { [weak self] sample in
                self?.model.take(sample, of: one.key)
            }
        }
    }

    private func draw() {
        let size = screen.size
        screen.draw(TopView(width: size.width, height: size.height).lines(model))
    }

    private func readKeys() {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        // q, Q, Ctrl-C, Ctrl-D, or a terminal that was closed.
        let ending: Set<UInt8> = [UInt8(ascii: "q"), UInt8(ascii: "Q"), 3, 4]
        if count <= 0 || bytes[..<count].contains(where: ending.contains) { end() }
    }

    private func end() {
        timer?.cancel()
        for source in sources { source.stop() }
        screen.restore()
        onEnd()
    }
}
