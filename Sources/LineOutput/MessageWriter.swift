import Dispatch
import PlainText
import Synchronization

/// Writes messages to a descriptor before the call returns. If nobody reads, they wait; if too many wait, they are
/// dropped and counted.
///
/// May be used on any thread.
package final class MessageWriter: Swift.Sendable {
    private struct State {
        var dropped = 0
        /// Whether a message was not taken at once.
        var isStuck = false
    }

    private let writer: BackgroundWriter
    private let state = Mutex(State())

    /// How long a message may hold up the program; once, until everything that waits is written.
    private static let timeout = DispatchTimeInterval.milliseconds(50)
    /// How long the end of the program waits for a reader that was late.
    private static let lastTimeout = DispatchTimeInterval.milliseconds(200)

    /// - Parameters:
    ///   - descriptor: stays open.
    ///   - capacity: how many bytes may wait for the reader.
    package convenience init(descriptor: Int32, capacity: Int) {
        self.init(BackgroundWriter(descriptor: descriptor, capacity: capacity))
    }

    init(_ writer: BackgroundWriter) {
        self.writer = writer
        writer.onEvent { [weak self] event in
            if case .room = event { self?.sayWhatWasDropped() }
        }
    }

    /// Writes a message as it is.
    package func write(_ message: [UInt8]) {
        switch writer.write(message) {
        case .noRoom: state.withLock { $0.dropped += 1 }
        case .failed: break
        case .taken:
            guard !state.withLock(\.isStuck), !writer.drain(timeout: Self.timeout) else { return }
            state.withLock { $0.isStuck = true }
            writer.whenIdle { [self] in state.withLock { $0.isStuck = false } }
        }
    }

    /// Gives the reader a last moment.
    ///
    /// - Returns: why something is missing; nil if nothing is.
    @discardableResult
    package func finish() -> OutputError? {
        let isDone = writer.drain(timeout: Self.lastTimeout)
        if let code = writer.failure { return OutputError(.failed(code)) }
        return isDone ? nil : OutputError(.notTaken(bytes: writer.backlog))
    }

    private func sayWhatWasDropped() {
        let count = state.withLock { state in
            defer { state.dropped = 0 }
            return state.dropped
        }
        if count > 0 { _ = writer.write(Array("(\(counted(count, "message")) not shown)\n".utf8)) }
    }
}
