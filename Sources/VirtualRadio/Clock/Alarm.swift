/// Something that is due at a point in time, again and again or never. It costs no memory to set it anew.
///
/// Its owner keeps it and cancels it before the owner itself goes, because the clock keeps an alarm that is set.
final class Alarm {
    private unowned let clock: AlarmClock
    let action: () -> Void
    /// When it is due, while it is set.
    fileprivate(set) var time: Instant = 0
    /// Alarms that are due at the same time go off in the order in which they were set.
    fileprivate var order = 0
    /// The place in the clock's heap, or -1.
    fileprivate var place = -1

    init(_ clock: AlarmClock, action: @escaping () -> Void) {
        self.clock = clock
        self.action = action
    }

    var isSet: Bool { place >= 0 }

    func set(_ time: Instant) {
        clock.set(self, max(time, clock.now))
    }

    /// Sets it so many nanoseconds from now.
    func set(in span: Int) {
        clock.set(self, clock.now + max(0, span))
    }

    func cancel() {
        clock.cancel(self)
    }
}

/// The time of a radio, which passes when it is told to: alarms in the order in which they are due.
final class AlarmClock {
    private(set) var now: Instant = 0
    /// A binary heap: what is at `i` is due before what is at `2 i + 1` and `2 i + 2`.
    private var heap: [Alarm] = []
    private var orders = 0

    /// When the next alarm is due.
    var next: Instant? { heap.first?.time }

    /// Lets the time pass. Each alarm goes off at its own time, however late this call is.
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
        Alarm(self, action: action).set(in: span)
    }

    fileprivate func set(_ alarm: Alarm, _ time: Instant) {
        cancel(alarm)
        orders += 1
        alarm.time = time
        alarm.order = orders
        alarm.place = heap.count
        heap.append(alarm)
        rise(alarm.place)
    }

    fileprivate func cancel(_ alarm: Alarm) {
        let place = alarm.place
        guard place >= 0 else { return }
        alarm.place = -1
        let last = heap.removeLast()
        guard last !== alarm else { return }
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
