import DequeModule
import Synchronization

/// The elements that have arrived for an asynchronous sequence and have not been consumed yet.
///
/// Elements are added and consumed on any thread. Every wait ends exactly once: with an element, with the end, or with
/// the cancellation of the task that waits.
final class AsyncBuffer<Element: Swift.Sendable>: Swift.Sendable {
    private typealias Consumer = CheckedContinuation<Element?, any Error>

    private enum End {
        case finished
        case failed(any Error)
    }

    private struct State {
        var elements = Deque<Element>()
        /// The consumers that wait, in the order of their arrival. Empty while there are elements.
        var consumers: [(ticket: Int, consumer: Consumer)] = []
        var lastTicket = 0
        /// Nil while elements may still arrive.
        var end: End?
        var droppedCount = 0

        /// Keeps an element if there is room for it.
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

        /// The element or end for the next consumer; nil if it has to wait.
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

    /// How many elements were dropped because there was no room.
    var droppedCount: Int { state.withLock { $0.droppedCount } }

    /// Passes an element to the consumer that has waited longest, or keeps it. Does nothing after the end.
    func append(_ element: Element) {
        let consumer = state.withLock { state -> Consumer? in
            guard state.end == nil else { return nil }
            if !state.consumers.isEmpty { return state.consumers.removeFirst().consumer }
            state.keep(element, policy)
            return nil
        }
        consumer?.resume(returning: element)
    }

    /// Ends the sequence, after what has arrived before. Only the first call counts.
    ///
    /// - Parameter error: thrown once in place of the end; nil for the ordinary end.
    func close(_ error: (any Error)? = nil) {
        var consumers = state.withLock { state -> [Consumer] in
            guard state.end == nil else { return [] }
            // A consumer that is waiting receives the error now.
            let isDelivered = error == nil || !state.consumers.isEmpty
            state.end = isDelivered ? .finished : error.map { .failed($0) }
            defer { state.consumers = [] }
            return state.consumers.map(\.consumer)
        }
        if let error, !consumers.isEmpty { consumers.removeFirst().resume(throwing: error) }
        for consumer in consumers { consumer.resume(returning: nil) }
    }

    /// The next element; nil at the end.
    ///
    /// - Throws: what the buffer was closed with, once; `CancellationError` if the task is cancelled, even if there are
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
                    // Checked under the lock: a later cancellation finds the ticket.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if let present = state.take() { return present }
                    state.consumers.append((ticket, continuation))
                    return nil
                }
                if let present { continuation.resume(with: present) }
            }
        } onCancel: {
            let consumer = state.withLock { state -> Consumer? in
                guard let position = state.consumers.firstIndex(where: { $0.ticket == ticket }) else { return nil }
                return state.consumers.remove(at: position).consumer
            }
            consumer?.resume(throwing: CancellationError())
        }
    }
}
