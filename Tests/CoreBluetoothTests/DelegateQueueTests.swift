import Foundation
import Synchronization
import Testing

@testable import CoreBluetooth

@Suite struct DelegateQueueTests {
    @Test func `events run on the queue in the order of their posting`() async {
        let queue = DispatchQueue(label: "test")
        let delegateQueue = DelegateQueue(queue)
        let seen = Mutex<[Int]>([])
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            for number in 0..<10_000 {
                delegateQueue.post {
                    dispatchPrecondition(condition: .onQueue(queue))
                    seen.withLock { $0.append(number) }
                }
            }
            delegateQueue.post { continuation.resume() }
        }
        #expect(seen.withLock { $0 } == Array(0..<10_000))
    }

    @Test func `an event that posts another is not interrupted by it`() async {
        let delegateQueue = DelegateQueue(DispatchQueue(label: "test"))
        let seen = Mutex<[String]>([])
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            delegateQueue.post {
                delegateQueue.post {
                    seen.withLock { $0.append("second") }
                    continuation.resume()
                }
                seen.withLock { $0.append("first") }
            }
        }
        #expect(seen.withLock { $0 } == ["first", "second"])
    }

    @Test func `other work of the queue gets its turn in a flood`() async {
        let queue = DispatchQueue(label: "test")
        let delegateQueue = DelegateQueue(queue)
        let count = Mutex(0)
        queue.suspend()
        for _ in 0..<10_000 { delegateQueue.post { count.withLock { $0 += 1 } } }
        let before = await withCheckedContinuation { (continuation: CheckedContinuation<Int, Never>) in
            queue.async { continuation.resume(returning: count.withLock { $0 }) }
            queue.resume()
        }
        #expect(before <= DelegateQueue.eventsPerTurn)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            delegateQueue.post { continuation.resume() }
        }
        #expect(count.withLock { $0 } == 10_000)
    }
}
