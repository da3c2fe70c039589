/// A timer of a virtual clock. Setting it again allocates nothing.
///
/// Its owner keeps it and cancels it before the owner itself is released, because the clock keeps a timer that is set.
final class Timer {
    private unowned let clock: VirtualClock
    let action: () -> Void
    /// When it is due, while it is set.
    fileprivate(set) var time: Instant = 0
    /// Timers that are due at the same time fire in the order in which they were set.
    fileprivate var order = 0
    /// The place in the clock's heap, or -1.
    fileprivate var place = -1

    init(_ clock: VirtualClock, action: @escaping () -> Void) {
        self.clock = clock
        self.action = action
    }

    var isSet: Bool { place >= 0 }

    func set(_ time: Instant) {
        clock.set(self, max(time, clock.now))
    }

    /// Sets it to fire in `span` nanoseconds.
    func set(in span: Int) {
        clock.set(self, clock.now + max(0, span))
    }

    func cancel() {
        clock.cancel(self)
    }
}

/// The time of a radio, which passes only on command: timers in the order in which they are due.
final class VirtualClock {
    private(set) var now: Instant = 0
    /// A binary heap: what is at `i` is due before what is at `2 i + 1` and `2 i + 2`.
    private var heap: [Timer] = []
    private var orders = 0

    /// When the next timer is due.
    var next: Instant? { heap.first?.time }

    /// Lets the time pass. Each timer fires at its own time, however late this call is.
    func advance(to target: Instant) {
        while let first = heap.first, first.time <= target {
            now = first.time
            cancel(first)
            first.action()
        }
        now = max(now, target)
    }

    /// Runs `action` once at that time.
    func once(in span: Int, _ action: @escaping () -> Void) {
        Timer(self, action: action).set(in: span)
    }

    fileprivate func set(_ timer: Timer, _ time: Instant) {
        cancel(timer)
        orders += 1
        timer.time = time
        timer.order = orders
        timer.place = heap.count
        heap.append(timer)
        rise(timer.place)
    }

    fileprivate func cancel(_ timer: Timer) {
        let place = timer.place
        guard place >= 0 else { return }
        timer.place = -1
        let last = heap.removeLast()
        guard last !== timer else { return }
        heap[place] = last
        last.place = place
        rise(place)
        sink(last.place)
    }

    private func rise(_ start: Int) {
        var place = start
        while place > 0 {
            let parent = (place - 1) / 2
            guard isBefore(place, parent) else { return }
            exchange(place, parent)
            place = parent
        }
    }

    private func sink(_ start: Int) {
        var place = start
        while true {
            var first = place
            let left = 2 * place + 1
            if left < heap.count, isBefore(left, first) { first = left }
            if left + 1 < heap.count, isBefore(left + 1, first) { first = left + 1 }
            guard first != place else { return }
            exchange(place, first)
            place = first
        }
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        let left = heap[left]
        let right = heap[right]
        return left.time < right.time || left.time == right.time && left.order < right.order
    }

    private func exchange(_ left: Int, _ right: Int) {
        heap.swapAt(left, right)
        heap[left].place = left
        heap[right].place = right
    }
}
