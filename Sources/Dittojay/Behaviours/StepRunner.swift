import Foundation
import MainLoop

/// Plays the steps of a scenario, one after another. Used on the peripheral's queue only.
final class StepRunner {
    /// Does one step, and calls `completion` once it is done, on the queue. The runner does both kinds of waits and
    /// repetitions itself.
    typealias Performer = (_ step: ScenarioStep, _ completion: @escaping () -> Void) -> Void

    private struct Frame {
        let steps: [ScenarioStep]
        var index = 0
        var repetitionsLeft: Int
    }

    private let clock: any Clock
    private let perform: Performer
    private let isCase: (ScenarioExpectation.Event) -> Bool
    private let onEnd: () -> Void
    private var stack: [Frame]
    private var recent = RecentOccurrences()
    /// The step that waits until something happens.
    private var wait: (event: ScenarioExpectation.Event, completion: () -> Void)?
    private var isCancelled = false
    /// Whether ``resume()`` is on the call stack, and whether the step that it waits for is done.
    private var isResuming = false
    private var isStepDone = false
    /// How many steps were done without a pause.
    private var portion = 0

    /// After this many steps the queue's other work gets its turn.
    private static let portionLimit = 64

    /// - Parameters:
    ///   - isCase: whether a central is connected or subscribed as an event has it.
    ///   - onEnd: called once, unless the runner is cancelled.
    init(
        _ steps: [ScenarioStep], clock: any Clock, isCase: @escaping (ScenarioExpectation.Event) -> Bool,
        perform: @escaping Performer, onEnd: @escaping () -> Void
    ) {
        stack = [Frame(steps: steps, repetitionsLeft: 0)]
        self.clock = clock
        self.isCase = isCase
        self.perform = perform
        self.onEnd = onEnd
    }

    func start() {
        resume()
    }

    /// Ends the scenario early.
    func cancel() {
        isCancelled = true
        wait = nil
    }

    /// Something has happened that a step may wait for.
    func occurred(_ occurrence: Occurrence) {
        guard let wait, wait.event.matches(occurrence) else { return recent.take(occurrence) }
        self.wait = nil
        recent = RecentOccurrences()
        wait.completion()
    }

    private func resume() {
        isResuming = true
        defer { isResuming = false }
        repeat {
            guard !isCancelled else { return }
            guard let step = nextStep() else {
                isCancelled = true
                return onEnd()
            }
            isStepDone = false
            execute(step)
        } while isStepDone
    }

    private func stepDone() {
        isStepDone = true
        // Within `resume` its loop goes on, without recursion.
        if !isResuming { resume() }
    }

    private func execute(_ step: ScenarioStep) {
        var hasEnded = false
        let completion = { [self] in
            // A performer that answers twice would play two steps at once.
            guard !hasEnded else { return }
            hasEnded = true
            stepDone()
        }
        if case .repeat(let times, let steps) = step {
            if times > 0, !steps.isEmpty { stack.append(Frame(steps: steps, repetitionsLeft: times - 1)) }
            return yieldNowAndThen(completion)
        }
        recent.stepBegins()
        switch step {
        case .wait(let seconds): clock.after(seconds, completion)
        case .waitFor(let occasion, let path):
            waitFor(.init(occasion, on: path)) { [self] in yieldNowAndThen(completion) }
        default: perform(step) { [self] in yieldNowAndThen(completion) }
        }
    }

    private func waitFor(_ event: ScenarioExpectation.Event, _ completion: @escaping () -> Void) {
        guard !isCase(event), !recent.hasHappened(event) else { return completion() }
        wait = (event, completion)
    }

    /// Many steps in a row must not keep the queue from everything else.
    private func yieldNowAndThen(_ completion: @escaping () -> Void) {
        portion += 1
        guard portion >= Self.portionLimit else { return completion() }
        portion = 0
        clock.queue.async(execute: DispatchWorkItem(block: completion))
    }

    private func nextStep() -> ScenarioStep? {
        while let frame = stack.last {
            if frame.index < frame.steps.count {
                stack[stack.count - 1].index += 1
                return frame.steps[frame.index]
            }
            if frame.repetitionsLeft > 0 {
                stack[stack.count - 1].index = 0
                stack[stack.count - 1].repetitionsLeft -= 1
            } else {
                stack.removeLast()
            }
        }
        return nil
    }
}
