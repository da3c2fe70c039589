import Foundation
import PlainText

/// The dittojays and the radio behind a page, and the events that a page that is opened later is shown. Used on one
/// queue only.
final class SourceHub {
    let queue: DispatchQueue
    let sources: [DittojaySource]
    let radio: RadioSource
    /// The last events, oldest first, as they are sent.
    private(set) var events: [[UInt8]] = []
    private var streams: [ObjectIdentifier: PageStream] = [:]

    private static let maximumEvents = 200
    /// In bytes, of an event that is kept.
    private static let longestEvent = 4096

    init(_ subject: PageServer.Subject, queue: DispatchQueue) {
        self.queue = queue
        sources = subject.sockets.map { DittojaySource(path: $0, queue: queue) }
        radio = RadioSource(path: subject.radio, queue: queue)
        for (index, source) in sources.enumerated() {
            source.onChange = { [weak self] in self?.sourcesChanged() }
            source.onEvent = { [weak self] line in self?.take(line, from: index) }
        }
        radio.onChange = { [weak self] in
            guard let self else { return }
            for stream in Array(streams.values) { stream.sendRadio() }
        }
    }

    func start() {
        for source in sources { source.start() }
        radio.start()
    }

    func stop() {
        for source in sources { source.stop() }
        radio.stop()
    }

    func add(_ stream: PageStream) {
        streams[ObjectIdentifier(stream)] = stream
        stream.start()
    }

    func remove(_ stream: PageStream) {
        streams[ObjectIdentifier(stream)] = nil
    }

    // MARK: Peripherals

    /// The name of a peripheral in what the page sends: the number of its socket, and its identifier there.
    static func key(_ index: Int, _ id: String) -> String { "\(index)/\(id)" }

    func find(_ key: String) -> (source: DittojaySource, id: String)? {
        for (index, source) in sources.enumerated() {
            if let found = source.peripherals.first(where: { Self.key(index, $0.id) == key }) {
                return (source, found.id)
            }
        }
        return nil
    }

    var sourcesLine: [UInt8] {
        var object = JSONObject()
        object.add("type", "sources")
        object.add(
            "sources",
            sources.enumerated().map { index, source in
                var entry = JSONObject()
                entry.add("socket", source.path)
                entry.add(
                    "peripherals",
                    source.peripherals.map { peripheral in
                        var member = JSONObject()
                        member.add("key", Self.key(index, peripheral.id))
                        member.add("name", peripheral.name)
                        member.add("profile", peripheral.profile)
                        member.add("adapter", peripheral.adapter)
                        return member
                    })
                return entry
            })
        return object.utf8
    }

    private func sourcesChanged() {
        for stream in Array(streams.values) { stream.sourcesChanged() }
    }

    // MARK: Events

    private func take(_ line: [UInt8], from index: Int) {
        guard line.count <= Self.longestEvent else { return }
        let line = Array("{\"type\":\"event\",\"source\":\(index),\"content\":".utf8) + line + Array("}".utf8)
        if events.count >= Self.maximumEvents { events.removeFirst() }
        events.append(line)
        for stream in Array(streams.values) { stream.send(event: line) }
    }
}
