import DequeModule
import Synchronization

/// What has arrived for an asynchronous sequence and has not been taken yet.
///
/// Filled on one side and emptied on the other, from any thread. Every wait ends exactly once: with an element, with the
/// end, or with the cancellation of the task that waits.
final class Mailbox<Element: Swift.Sendable>: Swift.Sendable {
    private typealias Taker = CheckedContinuation<Element?, any Error>

    private enum End {
        case finished
        case failed(any Error)
    }

    private struct State {
        var elements = Deque<Element>()
        /// Those who wait, only while there are no elements. In the order of their arrival.
        var takers: [(ticket: Int, taker: Taker)] = []
        var lastTicket = 0
        /// Nil while elements may still arrive.
        var end: End?
        var droppedCount = 0

        /// Keeps an element as far as there is room.
        mutating func keep(_ element: Element, _ policy: Bluejay.BufferingPolicy) {
            switch policy {
            case .unbounded:
                elements.append(element)
            case .newest(let limit):
                elements.append(element)
                if elements.count > max(0, limit) {
                    elements.removeFirst()
                    droppedCount += 1
                }
            case .oldest(let limit):
                if elements.count < max(0, limit) {
                    elements.append(element)
                } else {
                    droppedCount += 1
                }
            }
        }

        /// What there is for the next taker; nil if it has to wait.
        mutating func take() -> Result<Element?, any Error>? {
            if let element = elements.popFirst() { return .success(element) }
            switch end {
            case nil: return nil
            case .finished: return .success(nil)
            case .failed(let error):
                end = .finished
                return .failure(error)
            }
        }
    }

    private let policy: Bluejay.BufferingPolicy
    private let state = Mutex(State())

    init(_ policy: Bluejay.BufferingPolicy) {
        self.policy = policy
    }

    /// How many elements there was no room for.
    var droppedCount: Int { state.withLock { $0.droppedCount } }

    /// Hands an element to the one who has been waiting longest, or keeps it. Does nothing after the end.
    func put(_ element: Element) {
        let taker = state.withLock { state -> Taker? in
            guard state.end == nil else { return nil }
            if !state.takers.isEmpty { return state.takers.removeFirst().taker }
            state.keep(element, policy)
            return nil
        }
        taker?.resume(returning: element)
    }

    /// Ends the sequence, after what has arrived before. Only the first call counts.
    ///
    /// - Parameter error: thrown once in place of the end; nil for the ordinary end.
    func close(_ error: (any Error)? = nil) {
        var takers = state.withLock { state -> [Taker] in
            guard state.end == nil else { return [] }
            // Whoever waits now is told now.
            let isTold = error == nil || !state.takers.isEmpty
            state.end = isTold ? .finished : error.map { .failed($0) }
            defer { state.takers = [] }
            return state.takers.map(\.taker)
        }
        if let error, !takers.isEmpty { takers.removeFirst().resume(throwing: error) }
        for taker in takers { taker.resume(returning: nil) }
    }

    /// The next element; nil at the end.
    ///
    /// - Throws: what the mailbox was closed with, once; `CancellationError` if the task is cancelled, even if there are
    ///   elements.
    func next(isolation: isolated (any Actor)? = #isolation) async throws -> Element? {
        if Task.isCancelled { throw CancellationError() }
        let (present, ticket) = state.withLock { state in
            state.lastTicket += 1
            return (state.take(), state.lastTicket)
        }
        if let present { return try present.get() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let present = state.withLock { state -> Result<Element?, any Error>? in
                    // Asked under the lock: a cancellation that comes later finds the ticket.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if let present = state.take() { return present }
                    state.takers.append((ticket, continuation))
                    return nil
                }
                if let present { continuation.resume(with: present) }
            }
        } onCancel: {
            let taker = state.withLock { state -> Taker? in
                guard let position = state.takers.firstIndex(where: { $0.ticket == ticket }) else { return nil }
                return state.takers.remove(at: position).taker
            }
            taker?.resume(throwing: CancellationError())
        }
    }
}
