import Foundation

/// The seed of what is random in a run of the tests: another one each time, and printed, so that a run that failed can
/// be repeated by `TEST_SEED`.
package enum TestSeed {
    package static let value: UInt64 = {
        if let text = ProcessInfo.processInfo.environment["TEST_SEED"], let seed = UInt64(text) { return seed }
        let seed = UInt64.random(in: 0 ... .max)
        print("tests: TEST_SEED=\(seed) repeats what is random in this run")
        return seed
    }()
}

extension Dice {
    /// With the seed of this run of the tests.
    package static var ofThisRun: Dice { Dice(state: TestSeed.value) }
}
