import DequeModule
import MainLoop

/// Runs the requests to one peripheral one after another.
@LoopActor
final class RequestQueue {
    /// Starts a request; it calls the closure that it is given when it is through.
    typealias Request = @LoopActor (_ done: @escaping @LoopActor () -> Void) -> Void

    private var waiting: Deque<Request> = []
    private var isBusy = false
    private var isStarting = false
    // What was under way before the queue was cleared must not end what is under way now.
    private var generation = 0

    func add(_ request: @escaping Request) {
        waiting.append(request)
        next()
    }

    /// Drops everything that has not started; what is under way ends unheard.
    func clear() {
        waiting = []
        isBusy = false
        generation += 1
    }

    private func next() {
        // A request that is through at once is followed by this loop: thousands of them must not be within each other.
        guard !isStarting else { return }
        isStarting = true
        defer { isStarting = false }
        while !isBusy, let request = waiting.popFirst() {
            isBusy = true
            let current = generation
            request { [self] in
                guard current == generation else { return }
                isBusy = false
                next()
            }
        }
    }
}
