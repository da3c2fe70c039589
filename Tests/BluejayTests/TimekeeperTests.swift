import Testing

@testable import Bluejay

@MainActor @Suite(.timeLimit(.minutes(5))) struct TimekeeperTests {
    @Test func `calls come on the main queue, in the order in which they are due, unless cancelled`() async {
        let time = DispatchClock()
        let start = time.now
        let order = LockedArray<Int>()
        await withCheckedContinuation { continuation in
            _ = time.after(1) {
                dispatchPrecondition(condition: .onQueue(.main))
                order.append(3)
                continuation.resume()
            }
            _ = time.after(0.02) { order.append(2) }
            let cancelled = time.after(0.01) { order.append(1) }
            cancelled.cancel()
        }
        #expect(order.all == [2, 3])
        #expect(time.now - start >= 1)
    }

    @Test(arguments: [0, -1] as [TimeInterval])
    func `what is due at once comes soon, but not inside the call`(seconds: TimeInterval) async {
        await withCheckedContinuation { continuation in
            var isInside = true
            _ = DispatchClock().after(seconds) {
                #expect(!isInside)
                continuation.resume()
            }
            isInside = false
        }
    }

    @Test func `times without end do not end the program`() {
        for seconds in [TimeInterval.infinity, .nan, .greatestFiniteMagnitude] {
            DispatchClock().after(seconds) { Issue.record("came") }.cancel()
        }
    }
}
