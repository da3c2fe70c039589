import MainLoop
import TestSupport
import Testing

@testable import BlueZ

@Suite @LoopActor struct CallGateTests {
    private struct Refused: Error {}

    @Test func `so many are let through at a time, the others in their order, whatever comes of them`() async throws {
        let gate = CallGate(limit: 2)
        var begun: [Int] = []
        var ends: [Int: CheckedContinuation<Void, any Error>] = [:]
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<5 {
            tasks.append(
                Task {
                    try await gate.pass {
                        begun.append(number)
                        try await withCheckedThrowingContinuation { ends[number] = $0 }
                    }
                })
            try await eventually("its turn, or its place") { ends.count == min(number + 1, 2) }
        }
        #expect(begun == [0, 1])
        ends[1]?.resume(throwing: Refused())
        try await eventually("the next one") { ends[2] != nil }
        ends[0]?.resume()
        try await eventually("the next one") { ends[3] != nil }
        #expect(begun == [0, 1, 2, 3])
        ends[2]?.resume()
        ends[3]?.resume()
        try await eventually("the last one") { ends[4] != nil }
        ends[4]?.resume()
        for (number, task) in tasks.enumerated() where number != 1 { try await task.value }
        await #expect(throws: Refused.self) { try await tasks[1].value }
        await gate.pass { begun.append(5) }
        #expect(begun == [0, 1, 2, 3, 4, 5])
    }
}
