import Foundation
import PlainText
import TestSupport
import Testing

@testable import Dittojay

@Suite struct FaultTests {
    private func hits(_ faults: [Fault], _ count: Int, on trigger: Fault.Trigger = .read) -> [Fault.Action?] {
        var injector = FaultInjector(faults, seed: 1)
        return (0..<count).map { _ in injector.hit(trigger) }
    }

    @Test func `a fault happens always, or so often, or after so many`() {
        #expect(hits([Fault(on: .read, .noAnswer)], 3) == [.noAnswer, .noAnswer, .noAnswer])
        #expect(hits([Fault(on: .read, .error(0x80), times: 2)], 3) == [.error(0x80), .error(0x80), nil])
        #expect(hits([Fault(on: .read, .disconnect, skip: 1, times: 1)], 3) == [nil, .disconnect, nil])
        #expect(hits([Fault(on: .write, .noAnswer)], 2) == [nil, nil])
        let each = hits([Fault(on: .read, .error(0x80), skip: 1, nth: 3, times: 2)], 12)
        #expect(each.indices.filter { each[$0] != nil } == [3, 6])
        #expect(hits([], 1) == [nil])
    }

    @Test func `several faults take turns`() {
        let faults = [Fault(on: .read, .error(1), times: 2), Fault(on: .read, .disconnect, skip: 2, times: 1)]
        #expect(hits(faults, 4) == [.error(1), .error(1), .disconnect, nil])
    }

    @Test func `a peripheral has so many faults and no more, unless some are used up or cleared`() throws {
        let services = SimulatedServices(.default, seed: 1, clock: ManualClock())
        let (first, last) = try (
            #require(services.characteristics.first), #require(services.characteristics.last)
        )
        for _ in 1..<Fault.maximumCount { #expect(services.add(Fault(on: .read, .noAnswer), to: first)) }
        #expect(services.add(Fault(on: .read, .noAnswer, times: 1), to: last))
        #expect(!services.add(Fault(on: .read, .noAnswer), to: last))
        #expect(last.hit(.read) == .noAnswer)
        #expect(services.add(Fault(on: .read, .noAnswer), to: last))
        first.clearFaults()
        #expect(services.add(Fault(on: .read, .noAnswer), to: first))
    }

    @Test func `after a new subscription the notifications are counted anew, the hits are not`() {
        var injector = FaultInjector([Fault(on: .notify, .drop, skip: 1, times: 2)], seed: 1)
        #expect(injector.hit(.notify) == nil)
        #expect(injector.upcoming(.notify) == .drop)
        #expect(injector.hit(.notify) == .drop)
        injector.restart(.notify)
        #expect(injector.upcoming(.notify) == nil)
        #expect(injector.hit(.notify) == nil)
        #expect(injector.hit(.notify) == .drop)
        #expect(injector.hit(.notify) == nil)
        #expect(injector.faults.isEmpty)
    }

    @Test func `chance has its share, and the same each time for the same seed`() {
        let faults = [
            Fault(on: .notify, .drop, chance: 20), Fault(on: .notify, .duplicate, skip: 500),
            Fault(on: .notify, .resize(1), times: 3, chance: 50),
        ]
        func actions(seed: UInt64) -> [Fault.Action?] {
            var injector = FaultInjector(faults, seed: seed)
            return (0..<1000).map { _ in
                let upcoming = injector.upcoming(.notify)
                let action = injector.hit(.notify)
                #expect(upcoming == action, "what is foreseen is what happens")
                return action
            }
        }
        let first = actions(seed: 1)
        #expect(actions(seed: 1) == first)
        #expect(actions(seed: 2) != first)
        #expect((150...250).contains(first.count { $0 == .drop }))
        #expect(first.count { $0 == .resize(1) } == 3)
        #expect(first.prefix(500).contains { $0 == nil } && !first.suffix(500).contains { $0 == nil })
        #expect(faults.map(\.description).first == "on notify: the value is lost, with a chance of 20 %")
    }

    @Test func `faults are added and cleared while it runs`() {
        var injector = FaultInjector([Fault(on: .read, .noAnswer, times: 1)], seed: 1)
        _ = injector.hit(.read)
        injector.add(Fault(on: .read, .delay(1)))
        #expect(injector.faults == [Fault(on: .read, .delay(1))])
        #expect(injector.hit(.read) == .delay(1))
        injector.clear()
        #expect(injector.hit(.read) == nil)
    }

    @Test func `errors are known by name and by number`() {
        #expect(Fault.attError("value-not-allowed") == 0x13)
        #expect(Fault.attError("0x80") == 0x80)
        #expect(Fault.attError("14") == 14)
        for text in ["", "0", "0x", "256", "0x100", "-1", "+1", "nonsense"] { #expect(Fault.attError(text) == nil) }
        #expect(Set(ATTErrorNames.all.map(\.name)).count == ATTErrorNames.all.count)
    }
}

@Suite struct StepRunnerTests {
    private let queue = DispatchQueue(label: "test")
    private let clock: ManualClock

    init() { clock = ManualClock(queue: queue) }

    /// Plays steps, each answered at once or a little later, and returns those that were performed.
    private func play(_ steps: [ScenarioStep], later: Bool = false) throws -> [ScenarioStep] {
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var performed: [ScenarioStep] = []
        nonisolated(unsafe) var runner: StepRunner?
        queue.sync {
            runner = StepRunner(
                steps, clock: clock, isCase: { _ in false },
                perform: { [clock] step, completion in
                    performed.append(step)
                    let answer = {
                        completion()
                        // A second answer to the same step is ignored.
                        completion()
                    }
                    if later { clock.after(0, answer) } else { answer() }
                }, onEnd: { done.signal() })
            runner?.start()
            clock.advance(by: 1)
        }
        try #require(done.wait(timeout: .now() + 30) == .success)
        return queue.sync { performed }
    }

    @Test(arguments: [false, true])
    func `steps are played in order, and repeated`(later: Bool) throws {
        let steps: [ScenarioStep] = [
            .chirp([1]), .wait(0.001),
            .repeat(times: 2, [.chirp([2]), .repeat(times: 3, [.chirp([3])]), .wait(0)]),
            .repeat(times: 5, []), .quit,
        ]
        let round: [ScenarioStep] = [.chirp([2]), .chirp([3]), .chirp([3]), .chirp([3])]
        #expect(try play(steps, later: later) == [.chirp([1])] + round + round + [.quit])
        #expect(try play([]) == [])
    }

    @Test func `very many steps need no deep call stack, and let others have their turn`() throws {
        nonisolated(unsafe) var turns = 0
        for _ in 0..<10 { queue.async { turns += 1 } }
        #expect(try play([.repeat(times: 200_000, [.disconnect])]).count == 200_000)
        #expect(queue.sync { turns } == 10)
    }

    @Test func `a cancelled scenario performs no more steps`() {
        nonisolated(unsafe) var performed = 0
        nonisolated(unsafe) var pending: (() -> Void)?
        queue.sync {
            let runner = StepRunner(
                [.quit, .quit], clock: clock, isCase: { _ in false },
                perform: { _, completion in
                    performed += 1
                    pending = completion
                }, onEnd: { performed = -1 })
            runner.start()
            runner.cancel()
            pending?()
            #expect(performed == 1)
        }
    }
}
