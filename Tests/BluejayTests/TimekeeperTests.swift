import Testing

@testable import Bluejay

@MainActor @Suite(.timeLimit(.minutes(5))) struct TimekeeperTests {
    @Test func `calls come on the main queue, in the order in which they are due, unless cancelled`() async {
        let time = DispatchTimekeeper()
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
            _ = DispatchTimekeeper().after(seconds) {
                #expect(!isInside)
                continuation.resume()
            }
            isInside = false
        }
    }

    @Test func `times without end do not end the program`() {
        for seconds in [TimeInterval.infinity, .nan, .greatestFiniteMagnitude] {
            DispatchTimekeeper().after(seconds) { Issue.record("came") }.cancel()
        }
    }
}

@MainActor @Suite struct OnceTests {
    @Test func `a completion is called once, whoever calls`() {
        var values: [Int] = []
        do {
            let completion = Once(fallback: 0) { values.append($0) }
            completion(1)
            completion(2)
        }
        #expect(values == [1])
    }

    @Test func `a completion that everybody dropped is called with the fallback`() {
        var values: [Int] = []
        _ = Once(fallback: 7) { values.append($0) }
        #expect(values == [7])
    }

    @Test func `a completion may drop or call itself`() {
        var values: [Int] = []
        var completion: Once<Int>?
        completion = Once(fallback: 0) {
            values.append($0)
            completion?(3)
            completion = nil
        }
        completion?(1)
        #expect(values == [1])
    }
}
