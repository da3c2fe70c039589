package import Dispatch
package import PlainText

/// Writes lines to a file descriptor, never waiting for its reader. Lines in quick succession are written together; a
/// single one is written as soon as the queue has nothing else to do.
///
/// When too much waits, lines are dropped and counted until there is room again; a line then says how many.
///
/// Used on one serial queue only, the one that it was made with.
// @unchecked: the state is only touched on `queue`, which `write` checks, and on which the writer's events are handled.
package final class LineWriter: @unchecked Swift.Sendable {
    /// Called once when nothing more can be written. Lines after that are dropped.
    package var onFailure: ((OutputError) -> Void)?
    /// Called when lines are dropped because too much waits; once until there is room again.
    package var onOverflow: ((OutputError) -> Void)?
    /// Makes the line that says how many lines are missing in its place.
    package var dropNotice: ((Int) -> String)?
    /// How many lines were dropped since the start.
    package private(set) var droppedLines = 0

    private let writer: BackgroundWriter
    private let queue: DispatchQueue
    private var buffer: [UInt8] = []
    private var linesInBuffer = 0
    private var isHandOverScheduled = false
    /// How many lines were dropped since the last notice.
    private var unreportedDrops = 0
    private var failure: OutputError?

    /// How many bytes may wait for a reader by default.
    package static let defaultCapacity = 8 << 20

    private static let handOverThreshold = 1 << 16

    /// - Parameters:
    ///   - descriptor: stays open.
    ///   - capacity: how many bytes may wait for the reader.
    ///   - queue: a serial queue.
    package convenience init(descriptor: Int32, capacity: Int = LineWriter.defaultCapacity, queue: DispatchQueue) {
        self.init(BackgroundWriter(descriptor: descriptor, capacity: capacity), queue: queue)
    }

    init(_ writer: BackgroundWriter, queue: DispatchQueue) {
        self.queue = queue
        self.writer = writer
        writer.onEvent { [weak self, queue] event in
            queue.async { [weak self] in self?.handle(event) }
        }
    }

    /// Writes one line, as ``TerminalText`` has it; the line end is added.
    package func write(_ line: String) {
        add(1) { $0.appendEscaped(line) }
    }

    /// Writes several lines.
    package func write(lines: [String]) {
        for line in lines { write(line) }
    }

    /// Writes an object as one line.
    package func write(_ object: JSONObject) {
        add(1) { $0.append(contentsOf: object.utf8) }
    }

    /// Writes bytes as they are, for example to move the cursor of a terminal.
    package func write(verbatim bytes: [UInt8]) {
        dispatchPrecondition(condition: .onQueue(queue))
        buffer += bytes
        scheduleHandOver()
    }

    /// Hands over lines that are held back to be written with others.
    package func flush() {
        dispatchPrecondition(condition: .onQueue(queue))
        // A reader that has missed lines must know it before others follow.
        if unreportedDrops > 0, let dropNotice {
            guard writer.write(Array((dropNotice(unreportedDrops) + "\n").utf8)) == .taken else { return drop() }
            unreportedDrops = 0
        }
        guard !buffer.isEmpty else { return }
        switch writer.write(buffer) {
        case .taken: clear()
        case .noRoom, .failed: drop()
        }
    }

    /// Waits until everything is written, without holding up the queue.
    ///
    /// - Parameters:
    ///   - timeout: how long to wait for the reader, as ``BackgroundWriter/drain(timeout:)`` does; nil is forever.
    ///   - action: called once, on the queue: with nil if nothing is missing, or with the reason.
    package func finish(within timeout: DispatchTimeInterval?, _ action: @escaping (OutputError?) -> Void) {
        dispatchPrecondition(condition: .onQueue(queue))
        let end = End(action)
        if let timeout { limit(end, to: timeout, turns: BackgroundWriter.maximumTurns) }
        waitForReader(end)
    }

    private func limit(_ end: End, to timeout: DispatchTimeInterval, turns: Int) {
        queue.asyncAfter(deadline: .now() + timeout) { [self] in
            if end.hasCome { return }
            if turns > 1, writer.hasRoom { return limit(end, to: timeout, turns: turns - 1) }
            end(failure ?? OutputError(.notTaken(bytes: writer.backlog)))
        }
    }

    // @unchecked: only touched on the writer's queue.
    private final class End: @unchecked Swift.Sendable {
        private var action: ((OutputError?) -> Void)?
        var hasCome: Bool { action == nil }

        init(_ action: @escaping (OutputError?) -> Void) {
            self.action = action
        }

        func callAsFunction(_ error: OutputError?) {
            let action = action
            self.action = nil
            action?(error)
        }
    }

    private func waitForReader(_ end: End) {
        if end.hasCome { return }
        flush()
        if failure == nil, writer.backlog > 0 || writer.failure != nil {
            writer.whenIdle { [self] in queue.async { [self] in waitForReader(end) } }
        } else {
            end(failure ?? (unreportedDrops > 0 ? OutputError(.tooMuchWaits(limit: writer.capacity)) : nil))
        }
    }

    private func add(_ lines: Int, _ append: (inout [UInt8]) -> Void) {
        dispatchPrecondition(condition: .onQueue(queue))
        append(&buffer)
        buffer.append(UInt8(ascii: "\n"))
        linesInBuffer += lines
        scheduleHandOver()
    }

    private func scheduleHandOver() {
        if buffer.count >= Self.handOverThreshold { return flush() }
        guard !isHandOverScheduled else { return }
        isHandOverScheduled = true
        // Behind everything that waits in the queue already, so that a flood of lines is written in large pieces.
        queue.async { [self] in
            isHandOverScheduled = false
            flush()
        }
    }

    private func clear() {
        buffer.removeAll(keepingCapacity: buffer.capacity <= 2 * Self.handOverThreshold)
        linesInBuffer = 0
    }

    private func drop() {
        let isFirst = unreportedDrops == 0
        droppedLines += linesInBuffer
        unreportedDrops += linesInBuffer
        clear()
        if isFirst, unreportedDrops > 0, writer.failure == nil {
            onOverflow?(OutputError(.tooMuchWaits(limit: writer.capacity)))
        }
    }

    private func handle(_ event: BackgroundWriter.Event) {
        switch event {
        case .room: flush()
        case .failed(let code):
            let error = OutputError(.failed(code))
            failure = error
            let action = onFailure
            onFailure = nil
            action?(error)
        }
    }
}
