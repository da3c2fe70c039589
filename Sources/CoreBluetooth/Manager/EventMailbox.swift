import DBus
import Synchronization

/// Carries events from the loop to a manager's queue, in order.
///
/// Under a flood many events share one hop: the queue is woken only when it has nothing to do yet.
final class EventMailbox: Swift.Sendable {
    typealias Event = @Sendable () -> Void

    private let queue: DispatchQueue
    private let pending = Mutex<[Event]>([])

    init(queue: DispatchQueue) {
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
        let events = pending.withLock { events in
            let taken = events
            events = []
            return taken
        }
        for event in events { event() }
    }
}
