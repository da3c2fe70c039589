import MainLoop
import Testing

@Suite(.timeLimit(.minutes(5))) struct FirstOutcomeTests {
    @Test func `an outcome that is known is there at once`() async {
        let outcome = FirstOutcome<Int>()
        #expect(!outcome.isKnown)
        outcome.report(1)
        outcome.report(2)
        #expect(outcome.isKnown)
        #expect(await outcome.value() == 1)
        #expect(await outcome.value(within: .seconds(30), otherwise: 3) == 1)
    }

    @Test @LoopActor func `the first report resumes the task that waits`() async {
        let outcome = FirstOutcome<Int>()
        MainLoop.shared.async {
            outcome.report(1)
            outcome.report(2)
        }
        #expect(await outcome.value(within: .seconds(30), otherwise: 3) == 1)
    }

    @Test(arguments: 0..<100) func `reports from several threads have one winner`(round: Int) async {
        let outcome = FirstOutcome<Int>()
        let value = await withTaskGroup(of: Void.self) { group in
            for number in 0..<4 { group.addTask { outcome.report(number) } }
            return await outcome.value()
        }
        #expect(await outcome.value() == value)
    }

    @Test func `when the time is over, that is the outcome`() async {
        let outcome = FirstOutcome<Int>()
        #expect(await outcome.value(within: .milliseconds(20), otherwise: 3) == 3)
        outcome.report(1)
        #expect(await outcome.value() == 3)
    }

    @Test func `without a limit the wait lasts until there is an outcome`() async {
        let outcome = FirstOutcome<Int>()
        async let report: Void = Task.sleep(for: .milliseconds(50))
        let waiting = Task { await outcome.value(within: nil, otherwise: 3) }
        try? await report
        outcome.report(1)
        #expect(await waiting.value == 1)
    }
}
