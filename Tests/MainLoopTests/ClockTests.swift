import Foundation
import MainLoop
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ClockTests {
    private let queue = DispatchQueue(label: "clock")

    @Test func `calls come on the queue, in the order in which they are due, unless cancelled`() async throws {
        let fired = AwaitedValues<(Int, TimeInterval)>()
        let start = queue.sync { [queue] in
            let clock = DispatchClock(queue: queue)
            let start = clock.now
            let note = { (number: Int) in
                dispatchPrecondition(condition: .onQueue(queue))
                fired.put((number, clock.now))
            }
            clock.after(1) { note(3) }
            clock.after(0.02) { note(2) }
            clock.after(0.01) { note(1) }.cancel()
            return start
        }
        #expect(try await fired.next().0 == 2)
        let (number, time) = try await fired.next()
        #expect(number == 3 && time - start >= 1)
    }

    @Test(arguments: [0, -1] as [TimeInterval])
    func `what is due at once comes soon, but not inside the call`(seconds: TimeInterval) async throws {
        let fired = AwaitedValues<Bool>()
        queue.sync { [queue] in
            var isInside = true
            DispatchClock(queue: queue).after(seconds) { fired.put(isInside) }
            isInside = false
        }
        #expect(try await fired.next() == false)
    }

    @Test func `times without end do not end the program`() {
        queue.sync {
            for seconds in [TimeInterval.infinity, .nan, .greatestFiniteMagnitude] {
                DispatchClock(queue: queue).after(seconds) { Issue.record("came") }.cancel()
            }
        }
    }
}
