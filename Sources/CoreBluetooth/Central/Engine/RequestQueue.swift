import DequeModule
import MainLoop

/// Runs the requests to one peripheral one after another, and knows which of them are yet to be answered.
@LoopActor
final class RequestQueue {
    /// Starts a request; it calls the closure that it is given when it is through.
    typealias Request = @LoopActor (_ done: @escaping @LoopActor () -> Void) -> Void

    private var waiting: Deque<Request> = []
    private var isBusy = false
    private var isStarting = false
    // What was under way before the queue was cleared must not end what is under way now.
    private var generation = 0
    private var unanswered: [ObjectIdentifier: any DroppableRequest] = [:]

    func add(_ request: @escaping Request) {
        waiting.append(request)
        next()
    }

    /// Drops everything that has not started; what is under way ends unheard.
    ///
    /// - Returns: what is yet to be answered, and never will be.
    @discardableResult
    func clear() -> [any DroppableRequest] {
        waiting = []
        isBusy = false
        generation += 1
        defer { unanswered = [:] }
        return Array(unanswered.values)
    }

    /// A request is to be answered.
    func opens(_ request: any DroppableRequest) { unanswered[ObjectIdentifier(request)] = request }

    /// A request is answered.
    ///
    /// - Returns: false if it was dropped before.
    func answers(_ request: any DroppableRequest) -> Bool {
        unanswered.removeValue(forKey: ObjectIdentifier(request)) != nil
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
