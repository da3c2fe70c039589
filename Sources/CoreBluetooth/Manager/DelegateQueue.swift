import DequeModule
import MainLoop
import Synchronization

/// Takes what managers report from the loop to the queue of their delegates, in order.
///
/// When many events come at once they share one switch of threads: the queue is woken only when it has nothing to do
/// yet. But what else is to be done on the queue gets its turn among them, however far behind it is.
final class DelegateQueue: Swift.Sendable {
    typealias Event = @Sendable () -> Void

    /// How many events are run before the queue's other work gets its turn.
    static let eventsPerTurn = 64

    private let queue: DispatchQueue
    private let pending = Mutex<Deque<Event>>([])

    init(_ queue: DispatchQueue) {
        self.queue = queue
    }

    /// Runs `event` on the queue, after everything that was posted before, never from within this call.
    func post(_ event: @escaping Event) {
        let wasEmpty = pending.withLock { events in
            events.append(event)
            return events.count == 1
        }
        guard wasEmpty else { return }
        if MainLoop.shared.isCurrent {
            // At the end of this turn of the loop: what else arrives in it comes along.
            MainLoop.shared.async { [self] in queue.async { [self] in deliver() } }
        } else {
            queue.async { [self] in deliver() }
        }
    }

    private func deliver() {
        let (events, isMore) = pending.withLock { events in
            guard events.count > Self.eventsPerTurn else {
                defer { events = [] }
                return (events, false)
            }
            let first = Deque(events.prefix(Self.eventsPerTurn))
            events.removeFirst(Self.eventsPerTurn)
            return (first, true)
        }
        if isMore { queue.async { [self] in deliver() } }
        for event in events { event() }
    }
}
