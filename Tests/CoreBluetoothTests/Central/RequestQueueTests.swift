import MainLoop
import Testing

@testable import CoreBluetooth

@LoopActor
@Suite struct RequestQueueTests {
    @Test func `requests run one after another in order`() {
        let queue = RequestQueue()
        var started: [Int] = []
        var finish: [@LoopActor () -> Void] = []
        for number in 0..<3 {
            queue.add { done in
                started.append(number)
                finish.append(done)
            }
        }
        #expect(started == [0])
        finish[0]()
        #expect(started == [0, 1])
        finish[1]()
        finish[2]()
        #expect(started == [0, 1, 2])
    }

    @Test func `a request that ends at once does not stop the others`() {
        let queue = RequestQueue()
        var count = 0
        for _ in 0..<10_000 {
            queue.add { done in
                count += 1
                done()
            }
        }
        #expect(count == 10_000)
    }

    @Test func `what ends after the queue was cleared does not end what came later`() {
        let queue = RequestQueue()
        var late: (@LoopActor () -> Void)?
        queue.add { late = $0 }
        queue.add { _ in Issue.record("a dropped request has started") }
        queue.clear()
        var started: [Int] = []
        queue.add { _ in started.append(1) }
        queue.add { _ in started.append(2) }
        late?()
        #expect(started == [1])
    }
}
