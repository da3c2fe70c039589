import Testing

@testable import Bluejay

@Suite(.timeLimit(.minutes(5))) struct AsyncMailboxTests {
    @Test func `many takers get each element once, and each taker an end`() async throws {
        let mailbox = Mailbox<Int>(.unbounded)
        let sums = await withTaskGroup(of: [Int].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var taken: [Int] = []
                    while let element = try? await mailbox.next() { taken.append(element) }
                    return taken
                }
            }
            group.addTask {
                for element in 0..<10_000 { mailbox.put(element) }
                mailbox.close()
                return []
            }
            return await group.reduce(into: []) { $0.append(contentsOf: $1) }
        }
        #expect(sums.sorted() == Array(0..<10_000))
        #expect(try await mailbox.next() == nil)
    }

    @Test func `an error is thrown once, after what came before it, and only the first counts`() async throws {
        let mailbox = Mailbox<Int>(.unbounded)
        mailbox.put(1)
        mailbox.close(BluejayError.stopped)
        mailbox.put(2)
        mailbox.close(BluejayError.cancelled)
        #expect(try await mailbox.next() == 1)
        let failing = Task { try await mailbox.next() }
        #expect(await failing.outcome == "stopped")
        #expect(try await mailbox.next() == nil)
    }

    @Test func `a cancelled taker does not take what is there`() async throws {
        let mailbox = Mailbox<Int>(.unbounded)
        mailbox.put(1)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await mailbox.next()
        }
        #expect(await cancelled.outcome == "CancellationError")
        #expect(try await mailbox.next() == 1)
    }

    @Test func `no element is lost to takers that are cancelled while they wait`() async throws {
        let mailbox = Mailbox<Int>(.unbounded)
        let count = 2_000
        let taken = LockedArray<Int>()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for element in 0..<count {
                    mailbox.put(element)
                    if element % 7 == 0 { await Task.yield() }
                }
                mailbox.close()
            }
            group.addTask {
                var isOver = false
                while !isOver {
                    let taker = Task {
                        guard let element = try await mailbox.next() else { return true }
                        taken.append(element)
                        return false
                    }
                    taker.cancel()
                    isOver = (try? await taker.value) ?? false
                    if let element = try? await mailbox.next() { taken.append(element) } else { isOver = true }
                }
            }
        }
        #expect(taken.all.sorted() == Array(0..<count))
    }
}
