import DequeModule
import GATTProfiles
import MainLoop

/// A scenario that expects something: follows what happens, judges each expectation, and reports. Used on the
/// peripheral's queue only.
final class ScenarioTest {
    /// The scenario's steps, whose expectations are numbered.
    let steps: [ScenarioStep]

    private let clock: any Clock
    private let start: Double
    private var timeline = ScenarioTimeline()
    private var results: [ScenarioReport.Result]
    /// What has happened since something was expected, and was met. What must not happen is looked for from its step
    /// on, and uses nothing up.
    private var unjudged: Deque<Occurrence> = []
    private var current: Current?
    private var isInterrupted = false

    private struct Current {
        let expectation: ScenarioExpectation
        var progress: ExpectationProgress
        let start: Double
        let timer: OneShotTimer
        let completion: (_ isMet: Bool) -> Void
    }

    /// How much of what happens between two expectations is kept for the second.
    static let unjudgedLimit = 10_000

    /// - Returns: nil if the steps expect nothing.
    init?(_ steps: [ScenarioStep], clock: any Clock) {
        self.clock = clock
        start = clock.now
        var expectations: [ScenarioExpectation] = []
        self.steps = Self.numbered(steps, &expectations)
        guard !expectations.isEmpty else { return nil }
        results = expectations.map { ScenarioReport.Result(expectation: $0) }
    }

    private static func numbered(_ steps: [ScenarioStep], _ expectations: inout [ScenarioExpectation]) -> [ScenarioStep]
    {
        var numbered: [ScenarioStep] = []
        for step in steps {
            switch step {
            case .expect(var expectation):
                expectation.number = expectations.count
                expectations.append(expectation)
                numbered.append(.expect(expectation))
            case .repeat(let times, let steps):
                numbered.append(.repeat(times: times, Self.numbered(steps, &expectations)))
            default: numbered.append(step)
            }
        }
        return numbered
    }

    // MARK: What happens

    /// Notes for the report what has happened.
    func note(_ text: some StringProtocol) {
        timeline.add(text, at: elapsed(since: start))
    }

    /// A central has done something.
    func occurred(_ occurrence: Occurrence) {
        if current == nil || current?.expectation.isForbidden == true {
            if unjudged.count == Self.unjudgedLimit { unjudged.removeFirst() }
            unjudged.append(occurrence)
        }
        guard current != nil else { return }
        current?.progress.take(occurrence)
        judge()
    }

    // MARK: Expectations

    /// Waits until an expectation is met or has failed, and says which.
    ///
    /// - Parameter isCase: whether a central is connected or subscribed as an event has it.
    func expect(
        _ expectation: ScenarioExpectation, isCase: (ScenarioExpectation.Event) -> Bool,
        _ completion: @escaping (_ isMet: Bool) -> Void
    ) {
        var progress = ExpectationProgress(expectation)
        timeline.add("expects \(expectation.title ?? expectation.description)", at: elapsed(since: start), isStep: true)
        // What the state is now includes what has led to it.
        progress.takeState(isCase)
        while !expectation.isForbidden, !progress.isMet, let occurrence = unjudged.popFirst() {
            progress.take(occurrence)
            progress.takeState(isCase)
        }
        let timer = clock.after(expectation.limit) { [weak self] in self?.timeIsUp() }
        current = Current(
            expectation: expectation, progress: progress, start: clock.now, timer: timer, completion: completion)
        judge()
    }

    private func judge() {
        guard let current else { return }
        if let violation = current.progress.violation {
            end(current, failure: "there was \(violation)")
        } else if current.progress.isMet {
            end(current, failure: nil)
        }
    }

    private func timeIsUp() {
        guard let current else { return }
        // What happens after this is for the next one to judge.
        end(current, failure: current.expectation.isForbidden ? nil : "still missing: \(current.progress.missing)")
    }

    private func end(_ ended: Current, failure: String?) {
        current = nil
        ended.timer.cancel()
        let seconds = elapsed(since: ended.start)
        results[ended.expectation.number].judged(failure: failure, seconds: seconds)
        timeline.add(failure.map { "FAILED: \($0)" } ?? "as expected", at: elapsed(since: start), isStep: true)
        ended.completion(failure == nil)
    }

    /// The peripheral ends: what was to be expected yet has not been.
    func interrupt() {
        guard let current else { return isInterrupted = true }
        isInterrupted = true
        self.current = nil
        current.timer.cancel()
        let failure = "dittojay was stopped; still missing: \(current.progress.missing)"
        results[current.expectation.number].judged(failure: failure, seconds: elapsed(since: current.start))
    }

    /// Its result so far.
    func report(name: String) -> ScenarioReport {
        ScenarioReport(name: name, results: results, timeline: timeline, seconds: elapsed(since: start))
    }

    private func elapsed(since start: Double) -> Double { clock.now - start }
}
