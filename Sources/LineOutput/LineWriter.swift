import Dispatch
import Glibc

/// Writes lines to a file descriptor. Lines that come in quick succession go out together; a single one goes out as soon
/// as the queue has nothing else to do.
///
/// Used on one serial queue only, the one that it was made with.
// @unchecked: the state is only touched on `queue`, which `write` checks.
public final class LineWriter: @unchecked Swift.Sendable {
    private let descriptor: Int32
    private let queue: DispatchQueue
    private var buffer: [UInt8] = []
    private var isFlushScheduled = false

    /// Called once when the reader of the descriptor is gone (a closed pipe). What is written afterwards is dropped.
    public var onBroken: (() -> Void)?
    private var isBroken = false

    private static let flushThreshold = 1 << 16

    /// - Parameters:
    ///   - descriptor: stays open.
    ///   - queue: a serial queue.
    public init(descriptor: Int32, queue: DispatchQueue) {
        self.descriptor = descriptor
        self.queue = queue
    }

    /// Writes one line; the line end is added.
    public func write(_ line: String) {
        dispatchPrecondition(condition: .onQueue(queue))
        buffer.append(contentsOf: line.utf8)
        buffer.append(UInt8(ascii: "\n"))
        scheduleFlush()
    }

    /// Writes an object as one line.
    public func write(_ object: JSONObject) {
        dispatchPrecondition(condition: .onQueue(queue))
        buffer.append(contentsOf: object.utf8)
        buffer.append(UInt8(ascii: "\n"))
        scheduleFlush()
    }

    /// Writes out what is held back; before the program ends, for instance.
    public func flush() {
        dispatchPrecondition(condition: .onQueue(queue))
        var start = 0
        buffer.withUnsafeBytes { bytes in
            while start < bytes.count, !isBroken {
                let count = Glibc.write(descriptor, bytes.baseAddress! + start, bytes.count - start)
                if count >= 0 {
                    start += count
                } else if errno == EAGAIN {
                    // Somebody else made the descriptor non-blocking: wait here all the same.
                    var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&poller, 1, -1)
                } else if errno != EINTR {
                    isBroken = true
                }
            }
        }
        buffer.removeAll(keepingCapacity: buffer.capacity <= 2 * Self.flushThreshold)
        if isBroken, let onBroken {
            self.onBroken = nil
            onBroken()
        }
    }

    private func scheduleFlush() {
        if buffer.count >= Self.flushThreshold { return flush() }
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        // Behind everything that waits in the queue already, so that a flood of lines is written in large pieces.
        queue.async { [self] in
            isFlushScheduled = false
            flush()
        }
    }
}
