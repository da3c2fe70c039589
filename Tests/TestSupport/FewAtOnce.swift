package import Testing

/// Lets only a few test cases run at the same time: each has processes of its own, and too many of them would wait for
/// each other until a limit is over. The daemons of a case live until it has ended.
package struct FewAtOnce: SuiteTrait, TestTrait, TestScoping {
    private static let turns = Turns(6)

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        await Self.turns.take()
        let keeper = DaemonKeeper()
        var failure: (any Error)?
        do {
            try await DaemonKeeper.$current.withValue(keeper) { try await function() }
        } catch {
            failure = error
        }
        await keeper.letGo()
        await Self.turns.giveBack()
        if let failure { throw failure }
    }
}

extension Trait where Self == FewAtOnce {
    package static var fewAtOnce: Self { FewAtOnce() }
}

private actor Turns {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { free = count }

    func take() async {
        guard free == 0 else { return free -= 1 }
        await withCheckedContinuation { waiting.append($0) }
    }

    func giveBack() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
