import Foundation
import Synchronization
import Testing

@testable import CoreBluetooth

@Suite struct EventMailboxTests {
    @Test func eventsRunOnTheQueueInTheOrderOfTheirPosting() async {
        let queue = DispatchQueue(label: "test")
        let mailbox = EventMailbox(queue: queue)
        let seen = Mutex<[Int]>([])
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            for number in 0..<10_000 {
                mailbox.post {
                    dispatchPrecondition(condition: .onQueue(queue))
                    seen.withLock { $0.append(number) }
                }
            }
            mailbox.post { continuation.resume() }
        }
        #expect(seen.withLock { $0 } == Array(0..<10_000))
    }

    @Test func anEventThatPostsAnotherIsNotInterruptedByIt() async {
        let mailbox = EventMailbox(queue: DispatchQueue(label: "test"))
        let seen = Mutex<[String]>([])
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            mailbox.post {
                mailbox.post {
                    seen.withLock { $0.append("second") }
                    continuation.resume()
                }
                seen.withLock { $0.append("first") }
            }
        }
        #expect(seen.withLock { $0 } == ["first", "second"])
    }

    @Test func otherWorkOfTheQueueGetsItsTurnInAFlood() async {
        let queue = DispatchQueue(label: "test")
        let mailbox = EventMailbox(queue: queue)
        let count = Mutex(0)
        queue.suspend()
        for _ in 0..<10_000 { mailbox.post { count.withLock { $0 += 1 } } }
        let before = await withCheckedContinuation { (continuation: CheckedContinuation<Int, Never>) in
            queue.async { continuation.resume(returning: count.withLock { $0 }) }
            queue.resume()
        }
        #expect(before <= EventMailbox.eventsPerTurn)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            mailbox.post { continuation.resume() }
        }
        #expect(count.withLock { $0 } == 10_000)
    }
}
