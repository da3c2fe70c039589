import Testing

@testable import Bluejay

@Suite(.timeLimit(.minutes(5))) struct AsyncBufferTests {
    @Test func `many consumers get each element once, and each consumer an end`() async throws {
        let buffer = AsyncBuffer<Int>(.unbounded)
        let sums = await withTaskGroup(of: [Int].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var taken: [Int] = []
                    while let element = try? await buffer.next() { taken.append(element) }
                    return taken
                }
            }
            group.addTask {
                for element in 0..<10_000 { buffer.append(element) }
                buffer.close()
                return []
            }
            return await group.reduce(into: []) { $0.append(contentsOf: $1) }
        }
        #expect(sums.sorted() == Array(0..<10_000))
        #expect(try await buffer.next() == nil)
    }

    @Test func `an error is thrown once, after what came before it, and only the first counts`() async throws {
        let buffer = AsyncBuffer<Int>(.unbounded)
        buffer.append(1)
        buffer.close(BluejayError.stopped)
        buffer.append(2)
        buffer.close(BluejayError.cancelled)
        #expect(try await buffer.next() == 1)
        let failing = Task { try await buffer.next() }
        #expect(await failing.outcome == "stopped")
        #expect(try await buffer.next() == nil)
    }

    @Test func `a cancelled consumer does not take what is there`() async throws {
        let buffer = AsyncBuffer<Int>(.unbounded)
        buffer.append(1)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await buffer.next()
        }
        #expect(await cancelled.outcome == "CancellationError")
        #expect(try await buffer.next() == 1)
    }

    @Test func `no element is lost to consumers that are cancelled while they wait`() async throws {
        let buffer = AsyncBuffer<Int>(.unbounded)
        let count = 2_000
        let taken = LockedArray<Int>()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for element in 0..<count {
                    buffer.append(element)
                    if element % 7 == 0 { await Task.yield() }
                }
                buffer.close()
            }
            group.addTask {
                var isOver = false
                while !isOver {
                    let consumer = Task {
                        guard let element = try await buffer.next() else { return true }
                        taken.append(element)
                        return false
                    }
                    consumer.cancel()
                    isOver = (try? await consumer.value) ?? false
                    if let element = try? await buffer.next() { taken.append(element) } else { isOver = true }
                }
            }
        }
        #expect(taken.all.sorted() == Array(0..<count))
    }
}
