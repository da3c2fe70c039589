import CGLib
import Foundation
package import MainLoop
import Posix
import Synchronization

/// An open L2CAP channel on LE: bytes in both directions, each at the pace of its reader.
///
/// May be used on any thread. Nothing of it waits but ``waitUntilReady(for:)``. The main loop watches the socket.
package final class L2CAPSocket: Swift.Sendable {
    /// Why nothing more comes.
    package enum End: Error, Hashable, Swift.Sendable {
        /// The peer has closed the channel.
        case closedByPeer
        /// The program has closed it.
        case closedHere
        /// The link was lost, after nothing was heard of the peer for its supervision timeout.
        case timedOut
        /// The link was ended, for the kernel's reason.
        case linkLost(String)
        /// What the peer sent was lost, because the program did not read in time and the kernel, older than 6.10, did
        /// not hold the peer back.
        case overrun
    }

    package enum Received: Hashable, Swift.Sendable {
        case bytes(Int)
        /// There is nothing now.
        case nothing
        case end(End)
    }

    package enum Sent: Hashable, Swift.Sendable {
        case bytes(Int)
        /// There is no room now.
        case noRoom
        case end(End)
    }

    package enum Readiness: Hashable, Swift.Sendable {
        case ready, notReady
        case end(End)
    }

    package enum Direction: Hashable, Swift.Sendable { case receiving, sending }

    package let peer: L2CAPAddress
    /// The number by which the channel was opened.
    package let psm: UInt16
    /// How many bytes go out as one piece at most: what the peer takes, and not more than 2048.
    package let pieceLimit: Int

    private struct State: ~Copyable {
        let descriptor: L2CAPDescriptor
        var isClosed = false
        var isDescriptorOpen = true
        /// The result of a piece that was read in parts.
        var rest = [UInt8]()
        var restStart = 0
        var buffer = [UInt8](repeating: 0, count: Int(L2CAPDescriptor.receivedPieceLimit))
        /// The socket's error, which it reports once only.
        var failure: Int32?
        var end: End?
        /// Called when the socket is closed.
        var onClosed: [@Sendable () -> Void] = []
        /// What waits for the loop to report that the socket is ready, or has ended.
        var waiting: [Direction: [@Sendable () -> Void]] = [:]
        var onEnd: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>
    @LoopActor private var sources: [Direction: DescriptorSource] = [:]
    @LoopActor private var ending: LoopSource?

    /// Takes over the descriptor of an open channel.
    ///
    /// - Parameter peerLimit: the largest piece that the peer takes; the socket's if nil.
    @LoopActor
    init(_ descriptor: L2CAPDescriptor, peer: L2CAPAddress, psm: UInt16, peerLimit: Int? = nil) {
        self.peer = peer
        self.psm = psm
        pieceLimit = max(1, min(peerLimit ?? descriptor.peerLimit, L2CAPDescriptor.sentPieceLimit))
        state = Mutex(State(descriptor: descriptor))
        ending = .descriptor(descriptor.raw, .hangUp) { [weak self] _ in self?.hungUp() }
    }

    /// Takes over another socket that keeps packets apart, for tests.
    @LoopActor
    package convenience init(owning descriptor: Int32, peer: L2CAPAddress, psm: UInt16, peerLimit: Int) {
        self.init(L2CAPDescriptor(accepted: descriptor), peer: peer, psm: psm, peerLimit: peerLimit)
    }

    deinit {
        state.withLock { state in
            if state.isDescriptorOpen { Glibc.close(state.descriptor.raw) }
        }
    }

    // MARK: Receiving

    /// Takes what has come, as far as there is room for it.
    package func receive(into target: UnsafeMutableRawBufferPointer) -> Received {
        state.withLock { state in
            guard !state.isClosed else { return .end(.closedHere) }
            var taken = Self.takeRest(&state, target)
            while taken < target.count {
                switch Self.receivePiece(&state) {
                case .bytes:
                    taken += Self.takeRest(
                        &state, UnsafeMutableRawBufferPointer(rebasing: target[taken...]))
                case .nothing: return taken > 0 ? .bytes(taken) : .nothing
                case .end(let end): return taken > 0 ? .bytes(taken) : .end(end)
                }
            }
            return .bytes(taken)
        }
    }

    private static func takeRest(_ state: inout State, _ target: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(target.count, state.rest.count - state.restStart)
        guard count > 0 else { return 0 }
        state.rest.withUnsafeBytes {
            target.copyMemory(from: .init(rebasing: $0[state.restStart..<state.restStart + count]))
        }
        state.restStart += count
        if state.restStart == state.rest.count {
            state.rest.removeAll(keepingCapacity: true)
            state.restStart = 0
        }
        return count
    }

    /// Receives the next piece that is not empty, when the one before is used up.
    private static func receivePiece(_ state: inout State) -> Received {
        if let end = state.end { return .end(end) }
        var (isHungUp, hasReportedEnd) = (false, false)
        while true {
            let descriptor = state.descriptor
            let count = recv(descriptor.raw, &state.buffer, state.buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                state.rest.append(contentsOf: state.buffer[..<count])
                return isOverrun(&state) ? .end(.overrun) : .bytes(count)
            }
            switch count == 0 ? 0 : errno {
            case 0:
                // An empty piece; or the end, which the kernel (6.12) also reports once before what came before it.
                if !descriptor.isClosedByPeer { continue }
                if !hasReportedEnd {
                    hasReportedEnd = true
                    continue
                }
            case EINTR: continue
            case EAGAIN:
                guard descriptor.isHungUp else { return .nothing }
                // What came just before the end may still be there.
                if !isHungUp {
                    isHungUp = true
                    continue
                }
            case let error:
                // The error is reported before what came earlier, and once.
                if state.failure == nil {
                    state.failure = error
                    continue
                }
            }
            let end = end(of: state)
            state.end = end
            return .end(end)
        }
    }

    private static func isOverrun(_ state: inout State) -> Bool {
        guard !L2CAPDescriptor.hasFlowControl, state.descriptor.memory.dropped > 0 else { return false }
        state.end = .overrun
        state.rest.removeAll()
        return true
    }

    private static func end(of state: borrowing State) -> End {
        if state.descriptor.isClosedByPeer { return .closedByPeer }
        let error = state.failure ?? state.descriptor.takeError()
        return error == ETIMEDOUT
            ? .timedOut : .linkLost(SystemError.reason(error == 0 ? ENOTCONN : error))
    }

    // MARK: Sending

    /// Hands bytes to the kernel, as one piece of ``pieceLimit`` bytes at most.
    package func send(_ bytes: UnsafeRawBufferPointer) -> Sent {
        state.withLock { state in
            guard !state.isClosed else { return .end(.closedHere) }
            if let end = state.end { return .end(end) }
            let length = min(bytes.count, pieceLimit)
            guard length > 0 else { return .bytes(0) }
            while true {
                // A socket whose peer gives no credit takes a whole buffer, unless it is asked first.
                if state.descriptor.isHungUp { return .end(Self.sendingEnd(&state, 0)) }
                guard state.descriptor.hasRoom else { return .noRoom }
                let sent = Glibc.send(
                    state.descriptor.raw, bytes.baseAddress, length, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
                if sent >= 0 { return .bytes(sent) }
                switch errno {
                case EINTR: continue
                case EAGAIN, ENOBUFS, ENOMEM: return .noRoom
                case let error: return .end(Self.sendingEnd(&state, error))
                }
            }
        }
    }

    /// The end as it is for sending, while there may still be something to receive.
    private static func sendingEnd(_ state: inout State, _ error: Int32) -> End {
        if state.failure == nil { state.failure = error != 0 ? error : state.descriptor.takeError() }
        return end(of: state)
    }

    // MARK: Waiting

    /// Whether ``receive(into:)`` would yield bytes, or ``send(_:)`` take some.
    package func readiness(for direction: Direction) -> Readiness {
        state.withLock { state in
            guard !state.isClosed else { return .end(.closedHere) }
            switch direction {
            case .receiving:
                if state.restStart < state.rest.count { return .ready }
                switch Self.receivePiece(&state) {
                case .bytes: return .ready
                case .nothing: return .notReady
                case .end(let end): return .end(end)
                }
            case .sending:
                if let end = state.end { return .end(end) }
                if state.descriptor.isHungUp { return .end(Self.sendingEnd(&state, 0)) }
                return state.descriptor.hasRoom ? .ready : .notReady
            }
        }
    }

    /// Calls `action` once, on whatever thread, when there is something to receive or room to send, or when the channel
    /// has ended.
    package func whenReady(for direction: Direction, _ action: @escaping @Sendable () -> Void) {
        let isWaiting = state.withLock { state in
            guard !state.isClosed, direction != .receiving || state.rest.isEmpty, state.end == nil else { return false }
            state.waiting[direction, default: []].append(action)
            return true
        }
        guard isWaiting else { return action() }
        MainLoop.shared.async { [self] in watch(direction) }
    }

    /// Waits until there is something to receive or room to send, or the channel has ended. Not for the loop's thread.
    package func waitUntilReady(for direction: Direction) {
        let ready = DispatchSemaphore(value: 0)
        whenReady(for: direction) { ready.signal() }
        ready.wait()
    }

    /// Calls `action` once when the channel has ended other than by ``close()``, perhaps with something still to
    /// receive.
    package func onEnd(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.onEnd = action }
        MainLoop.shared.async { [self] in if ending == nil { hungUp() } }
    }

    @LoopActor
    private func watch(_ direction: Direction) {
        guard let descriptor = state.withLock({ $0.isClosed ? nil : $0.descriptor.raw }) else {
            return isReady(direction)
        }
        if let source = sources[direction] { return source.resume() }
        let events: DescriptorEvents = direction == .receiving ? .readable : .writable
        sources[direction] = .descriptor(descriptor, events.union(.hangUp)) { [weak self] _ in
            self?.sources[direction]?.pause()
            self?.isReady(direction)
        }
    }

    @LoopActor
    private func isReady(_ direction: Direction) {
        let actions = state.withLock { $0.waiting.removeValue(forKey: direction) ?? [] }
        for action in actions { action() }
    }

    @LoopActor
    private func hungUp() {
        ending?.cancel()
        ending = nil
        let action = state.withLock { state in
            defer { state.onEnd = nil }
            return state.isClosed ? nil : state.onEnd
        }
        action?()
    }

    // MARK: Closing

    /// How often to look, after ``close()``, whether what was written is with the controller, from the last that went:
    /// for 5 s. Counted, because this program may itself stand still meanwhile.
    private static let drainChecks = 500
    /// How long the peer may take to answer that the channel is closed, in seconds.
    private static let answerTime: Int32 = 5
    private static let drainInterval: Duration = .milliseconds(10)

    /// Closes the channel, when what was written is with the controller: the kernel would drop it. Whoever waits goes
    /// on.
    ///
    /// - Parameter completion: called, on whatever thread, when the peer has confirmed it, or does not.
    package func close(completion: (@Sendable () -> Void)? = nil) {
        let (wasOpen, isOver) = state.withLock { state in
            defer { state.isClosed = true }
            if let completion, state.isDescriptorOpen { state.onClosed.append(completion) }
            return (!state.isClosed, !state.isDescriptorOpen)
        }
        if isOver { completion?() }
        guard wasOpen else { return }
        MainLoop.shared.async { [self] in
            for source in sources.values { source.cancel() }
            sources = [:]
            isReady(.receiving)
            isReady(.sending)
            drain(checks: Self.drainChecks, unsent: .max)
        }
    }

    /// Nothing reports that the last packet is with the controller: this looks again and again, while something goes.
    @LoopActor
    private func drain(checks: Int, unsent last: UInt32) {
        let (unsent, isUp) = state.withLock { state in
            (state.descriptor.memory.unsent, !state.descriptor.isHungUp)
        }
        guard unsent > 0, isUp, checks > 0 else { return closeDescriptor() }
        let rest = unsent < last ? Self.drainChecks : checks - 1
        ending = .timer(after: Self.drainInterval) { [self] in drain(checks: rest, unsent: unsent) }
    }

    @LoopActor
    private func closeDescriptor() {
        ending?.cancel()
        ending = nil
        let (raw, closed) = state.withLock { state in
            defer {
                state.isDescriptorOpen = false
                state.onClosed = []
            }
            return (state.isDescriptorOpen ? state.descriptor.raw : -1, state.onClosed)
        }
        guard raw >= 0 else { return }
        guard !closed.isEmpty else {
            Glibc.close(raw)
            return
        }
        // It waits for the peer's answer, which comes after all that was sent.
        let thread = Thread {
            var limit = linger(l_onoff: 1, l_linger: Self.answerTime)
            setsockopt(raw, SOL_SOCKET, SO_LINGER, &limit, socklen_t(MemoryLayout<linger>.size))
            Glibc.close(raw)
            for action in closed { action() }
        }
        thread.name = "l2cap-close"
        thread.start()
    }
}
