import Testing

@testable import VirtualRadio

@Suite struct AlarmTests {
    private final class Journal {
        var lines: [String] = []
    }

    @Test func `alarms go off in their order, each at its own time`() {
        let clock = AlarmClock()
        let journal = Journal()
        let alarms = [50, 10, 30, 10, 90].map { time in
            let alarm = Alarm(clock) { [unowned clock] in journal.lines.append("\(time) at \(clock.now)") }
            alarm.set(time)
            return alarm
        }
        alarms[2].cancel()
        clock.advance(to: 60)
        #expect(journal.lines == ["10 at 10", "10 at 10", "50 at 50"])
        #expect(clock.now == 60 && clock.next == 90)
        alarms[4].set(70)
        clock.advance(to: 75)
        #expect(journal.lines.last == "90 at 70")
        #expect(clock.next == nil)
        #expect(alarms.allSatisfy { !$0.isSet })
    }

    @Test func `thousands of alarms that are set and cancelled at random keep their order`() {
        let clock = AlarmClock()
        var dice = RandomSource(seed: 3)
        var times: [Int] = []
        let alarms = (0..<1_000).map { _ in Alarm(clock) { [unowned clock] in times.append(clock.now) } }
        for _ in 0..<20_000 {
            let alarm = alarms[dice.below(alarms.count)]
            if dice.below(3) == 0 { alarm.cancel() } else { alarm.set(dice.below(1_000_000)) }
        }
        let count = alarms.count { $0.isSet }
        clock.advance(to: 2_000_000)
        #expect(times.count == count && times == times.sorted())
    }

    @Test func `an alarm may set itself again while it goes off`() {
        let clock = AlarmClock()
        let journal = Journal()
        let alarm = LateBox<Alarm>()
        alarm.value = Alarm(clock) { [unowned clock, unowned alarm] in
            journal.lines.append("\(clock.now)")
            if clock.now < 30 { alarm.value?.set(in: 10) }
        }
        alarm.value?.set(10)
        clock.advance(to: 100)
        #expect(journal.lines == ["10", "20", "30"])
    }

    private final class LateBox<Value> {
        var value: Value?
    }
}
