import CGLib
import Foundation
import MainLoop
import Synchronization

/// What the reader's thread has taken from one socket and the loop has not taken yet.
///
/// One lock is held while the socket is read and while the inbox is closed. So after ``close()`` nothing is read any
/// more from the descriptor, whose number may then be another file's.
final class PacketInbox: Swift.Sendable {
    /// The result of reading.
    struct Outcome {
        /// How many packets were taken.
        var taken = 0
        /// Whether there is something that the loop has not heard of.
        var isNews = false
        /// Whether there is nothing more to come.
        var isAtEnd = false
    }

    private struct State {
        /// -1 when closed.
        var descriptor: Int32
        var batch = PacketBatch()
        var loss = PacketLoss()
        var isAtEnd = false
        /// Whether the loop knows that there is something.
        var isAnnounced = false
        var run = Run()
    }

    /// What was taken since the socket was last seen empty. All that can have waited in it at one time is among this.
    private struct Run {
        var count = 0
        var longest = 0
        var isFull = false
    }

    /// Called on the loop when there is something to take.
    let onNews: @Sendable @LoopActor () -> Void
    private let limits: PacketBatch.Limits
    private let state: Mutex<State>

    /// - Parameter descriptor: stays the caller's, to be closed after ``close()``.
    init(
        _ descriptor: Int32, limits: PacketBatch.Limits, onNews: @escaping @Sendable @LoopActor () -> Void
    ) {
        self.limits = limits
        self.onNews = onNews
        state = Mutex(State(descriptor: descriptor))
    }

    /// Stops reading and announcing. May be called on any thread.
    func close() {
        state.withLock { $0.descriptor = -1 }
    }

    // MARK: The loop

    /// Swaps what has come for an empty batch.
    func take(_ batch: inout PacketBatch) -> (loss: PacketLoss, isAtEnd: Bool) {
        state.withLock { state in
            swap(&batch, &state.batch)
            defer { state.loss = PacketLoss() }
            state.isAnnounced = false
            return (state.loss, state.isAtEnd)
        }
    }

    // MARK: Reading, on the reader's thread as a rule

    /// How many system calls one socket gets before the next one has its turn.
    private static let callsPerTurn = 8

    /// Takes what waits in the socket, without waiting for more.
    func read(_ buffer: borrowing PacketBuffer, _ capacity: inout PacketCapacity) -> Outcome {
        state.withLock { state in
            var outcome = Outcome()
            guard state.descriptor >= 0, !state.isAtEnd else { return outcome }
            for _ in 0..<Self.callsPerTurn {
                let count = buffer.receive(state.descriptor, &state.isAtEnd)
                guard count >= 0 else {
                    // The other end has closed and left unread what was sent to it. What it has sent itself is still
                    // there.
                    if errno == ECONNRESET { continue }
                    if errno != EAGAIN, errno != EINTR { state.isAtEnd = true }
                    if errno != EINTR { state.run = Run() }
                    break
                }
                outcome.taken += count
                take(buffer, count, &state, &capacity)
                if state.isAtEnd { break }
                if count < PacketBuffer.limit {
                    state.run = Run()
                    break
                }
            }
            outcome.isAtEnd = state.isAtEnd
            outcome.isNews = !state.isAnnounced && (outcome.taken > 0 || state.isAtEnd)
            if outcome.isNews { state.isAnnounced = true }
            return outcome
        }
    }

    /// The descriptor is at its end and would be reported as ready again and again.
    func unwatch(_ epoll: Int32) {
        state.withLock { state in
            if state.descriptor >= 0 { _ = cglib_epoll_unwatch(epoll, state.descriptor) }
        }
    }

    private func take(
        _ buffer: borrowing PacketBuffer, _ count: Int, _ state: inout State, _ capacity: inout PacketCapacity
    ) {
        for index in 0..<count {
            let packet = buffer[index]
            if !state.batch.append(packet, limits) { state.loss.dropped += 1 }
            state.run.longest = max(state.run.longest, packet.count)
        }
        state.run.count += count
        // None is longer than those that need the most room, of which the fewest fit.
        guard !state.run.isFull, state.run.count >= capacity.packets(of: PacketBuffer.packetSize),
            state.run.count >= capacity.packets(of: state.run.longest)
        else { return }
        state.run.isFull = true
        state.loss.fullQueues += 1
    }
}

/// Where packets are received, by one thread at a time.
struct PacketBuffer: ~Copyable {
    /// The longest value of a characteristic (Core Specification, Vol 3, Part F, 3.2.9).
    static let packetSize = 512
    /// How many packets one system call takes.
    static let limit = Int(cglib_packet_limit)

    private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: limit * packetSize, alignment: 1)
    private let lengths = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: limit)

    deinit {
        bytes.deallocate()
        lengths.deallocate()
    }

    /// - Returns: how many packets there were; below 0 for an error, which is in `errno`.
    func receive(_ descriptor: Int32, _ isAtEnd: inout Bool) -> Int {
        var end: Int32 = 0
        let count = cglib_receive_packets(descriptor, bytes.baseAddress, Self.packetSize, lengths.baseAddress, &end)
        isAtEnd = end != 0
        return Int(count)
    }

    /// A packet that was received; what is too long for a value is cut off.
    subscript(index: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            rebasing: bytes[index * Self.packetSize..<index * Self.packetSize + Int(lengths[index])])
    }
}
