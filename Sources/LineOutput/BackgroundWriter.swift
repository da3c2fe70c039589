import Dispatch
import Glibc
import Synchronization

/// Writes to a descriptor in the background, so that a reader that stops reading holds up no thread of the program.
///
/// The descriptor is not made non-blocking: other processes that share it (a terminal, a pipe) would notice. A thread
/// blocks in its place, and may still do so when the process ends. What waits for the reader is bounded.
///
/// May be used on any thread.
final class BackgroundWriter: Swift.Sendable {
    /// What happens to bytes that were passed on for writing.
    enum Outcome: Swift.Sendable {
        /// They will be written in their turn.
        case taken
        /// Too much waits already; they are dropped.
        case noRoom
        /// Nothing more can be written.
        case failed
    }

    /// What happens to the output. Delivered on a queue of the writer's own.
    enum Event: Swift.Sendable {
        /// There is room again after a ``Outcome/noRoom``.
        case room
        /// A write has failed, with this error number; what waits is lost. Delivered once.
        case failed(Int32)
    }

    private struct State {
        var waiting: [UInt8] = []
        /// How many bytes the thread has taken and not written yet.
        var underWay = 0
        var isScheduled = false
        /// Since a refusal: more is taken when half of what may wait is written, not after each piece.
        var lacksRoom = false
        var failure: Int32?
        var handler: (@Sendable (Event) -> Void)?
        var idleActions: [@Sendable () -> Void] = []

        var count: Int { waiting.count + underWay }
    }

    /// How many bytes may wait for the reader. A single write that is longer is taken when nothing else waits.
    let capacity: Int

    private let descriptor: Int32
    private let queue: DispatchQueue
    private let state = Mutex(State())

    /// How much is written at a time, and so how exactly it is known what a reader has taken.
    private static let pieceSize = 1 << 12

    /// How many times the timeout for a reader may restart because it is not the reader that is late.
    static let maximumTurns = 5

    /// - Parameters:
    ///   - descriptor: stays open.
    ///   - capacity: how many bytes may wait for the reader.
    ///   - queue: a queue of its own, on which it writes.
    init(descriptor: Int32, capacity: Int, queue: DispatchQueue = DispatchQueue(label: "output")) {
        self.descriptor = descriptor
        self.capacity = capacity
        self.queue = queue
    }

    /// Sets the handler of events.
    func onEvent(_ handler: @escaping @Sendable (Event) -> Void) {
        state.withLock { $0.handler = handler }
    }

    /// How many bytes wait.
    var backlog: Int { state.withLock(\.count) }

    /// The error number of the write that has failed.
    var failure: Int32? { state.withLock(\.failure) }

    /// Writes all of the bytes after what was taken before, or none.
    func write(_ bytes: [UInt8]) -> Outcome {
        let (outcome, isFirst) = state.withLock { state -> (Outcome, Bool) in
            if state.failure != nil { return (.failed, false) }
            let isFull = state.lacksRoom || (state.count > 0 && state.count + bytes.count > capacity)
            if isFull {
                state.lacksRoom = true
                return (.noRoom, false)
            }
            state.waiting += bytes
            defer { state.isScheduled = true }
            return (.taken, !state.isScheduled)
        }
        if isFirst { queue.async { [self] in writeOut() } }
        return outcome
    }

    /// Calls `action` as soon as nothing waits any longer, whether it was written or lost.
    func whenIdle(_ action: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            if !state.isScheduled { return true }
            state.idleActions.append(action)
            return false
        }
        if isIdle { action() }
    }

    /// Waits until nothing waits any longer, as long as the reader takes it.
    ///
    /// - Parameter timeout: how long to wait for the reader. On a busy machine the writing thread may be late instead:
    ///   it gets this time ``maximumTurns`` times.
    /// - Returns: whether nothing waits.
    @discardableResult
    func drain(timeout: DispatchTimeInterval) -> Bool {
        let idle = DispatchSemaphore(value: 0)
        whenIdle { idle.signal() }
        for _ in 0..<Self.maximumTurns {
            if idle.wait(timeout: .now() + timeout) == .success { return true }
            if !hasRoom { return false }
        }
        return false
    }

    /// Whether the descriptor would take bytes at this moment: if not, the reader is late.
    var hasRoom: Bool {
        var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&poller, 1, 0) > 0
    }

    // MARK: On the queue

    private func writeOut() {
        while let bytes = takeWaiting() {
            var start = 0
            while start < bytes.count {
                let end = min(start + Self.pieceSize, bytes.count)
                let piece = writeWhole(descriptor, bytes[start..<end])
                if piece.failure != nil { return fail(piece.failure ?? EIO) }
                start = end
                written(piece.count)
            }
        }
    }

    /// The bytes that wait; nil if there are none.
    private func takeWaiting() -> [UInt8]? {
        let (bytes, actions) = state.withLock { state -> ([UInt8]?, [@Sendable () -> Void]) in
            guard !state.waiting.isEmpty else {
                state.isScheduled = false
                defer { state.idleActions = [] }
                return (nil, state.idleActions)
            }
            let bytes = state.waiting
            state.waiting = []
            state.underWay = bytes.count
            return (bytes, [])
        }
        for action in actions { action() }
        return bytes
    }

    private func written(_ count: Int) {
        let handler = state.withLock { state -> (@Sendable (Event) -> Void)? in
            state.underWay -= count
            guard state.lacksRoom, state.count <= capacity / 2 else { return nil }
            state.lacksRoom = false
            return state.handler
        }
        handler?(.room)
    }

    private func fail(_ code: Int32) {
        let (handler, actions) = state.withLock { state in
            state.failure = code
            state.waiting = []
            state.underWay = 0
            state.isScheduled = false
            defer { state.idleActions = [] }
            return (state.handler, state.idleActions)
        }
        handler?(.failed(code))
        for action in actions { action() }
    }
}

/// Writes all of the bytes, however long the reader takes.
///
/// - Returns: how many were written, and the error number if that is not all.
func writeWhole(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) -> (count: Int, failure: Int32?) {
    bytes.withUnsafeBytes { bytes in
        var count = 0
        while count < bytes.count, let base = bytes.baseAddress {
            let written = Glibc.write(descriptor, base + count, bytes.count - count)
            if written >= 0 {
                count += written
            } else if errno == EAGAIN {
                // Another process made the descriptor non-blocking: wait here all the same.
                var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&poller, 1, -1)
            } else if errno != EINTR {
                return (count, errno)
            }
        }
        return (count, nil)
    }
}
