import Testing

@testable import VirtualRadio

@Suite struct VirtualClockTests {
    private final class Journal {
        var lines: [String] = []
    }

    @Test func `timers fire in their order, each at its own time`() {
        let clock = VirtualClock()
        let journal = Journal()
        let timers = [50, 10, 30, 10, 90].map { time in
            let timer = Timer(clock) { [unowned clock] in journal.lines.append("\(time) at \(clock.now)") }
            timer.set(time)
            return timer
        }
        timers[2].cancel()
        clock.advance(to: 60)
        #expect(journal.lines == ["10 at 10", "10 at 10", "50 at 50"])
        #expect(clock.now == 60 && clock.next == 90)
        timers[4].set(70)
        clock.advance(to: 75)
        #expect(journal.lines.last == "90 at 70")
        #expect(clock.next == nil)
        #expect(timers.allSatisfy { !$0.isSet })
    }

    @Test func `thousands of timers that are set and cancelled at random keep their order`() {
        let clock = VirtualClock()
        var dice = RandomSource(seed: 3)
        var times: [Int] = []
        let timers = (0..<1_000).map { _ in Timer(clock) { [unowned clock] in times.append(clock.now) } }
        for _ in 0..<20_000 {
            let timer = timers[dice.below(timers.count)]
            if dice.below(3) == 0 { timer.cancel() } else { timer.set(dice.below(1_000_000)) }
        }
        let count = timers.count { $0.isSet }
        clock.advance(to: 2_000_000)
        #expect(times.count == count && times == times.sorted())
    }

    @Test func `a timer may set itself again while it fires`() {
        let clock = VirtualClock()
        let journal = Journal()
        let timer = LateBox<Timer>()
        timer.value = Timer(clock) { [unowned clock, unowned timer] in
            journal.lines.append("\(clock.now)")
            if clock.now < 30 { timer.value?.set(in: 10) }
        }
        timer.value?.set(10)
        clock.advance(to: 100)
        #expect(journal.lines == ["10", "20", "30"])
    }

    private final class LateBox<Value> {
        var value: Value?
    }
}
