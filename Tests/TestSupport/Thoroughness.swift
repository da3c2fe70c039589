import Foundation
package import Testing

/// Whether tests take the time for all that they can do (`LAB_THOROUGH=1`), as `.ci/nightly` has them do.
package let isThorough = ProcessInfo.processInfo.environment["LAB_THOROUGH"] == "1"

/// Whether this is a run of the search (`lab test --explore`), which holds each process up for up to half of the time.
package let isExplored = ProcessInfo.processInfo.environment["LAB_EXPLORED"] == "1"

/// How long something may take: five times as long in the search.
package func timeLimit(_ seconds: Double) -> Duration { .seconds(isExplored ? 5 * seconds : seconds) }

/// How often a test repeats what goes wrong by chance, if at all.
///
/// - Parameters:
///   - few: in every run of the tests.
///   - many: when they are thorough.
package func rounds(_ few: Int, thoroughly many: Int) -> Int { isThorough ? many : few }

/// The cases of a test.
///
/// - Parameters:
///   - all: when tests are thorough.
///   - few: how many of them, from the first, in every run of the tests.
package func cases<Case>(_ all: [Case], few: Int) -> [Case] { isThorough ? all : Array(all.prefix(few)) }

extension Trait where Self == ConditionTrait {
    /// For a test that takes long, and whose parts others have too.
    package static var thorough: ConditionTrait {
        .enabled(if: isThorough, "skipped: it takes long (./lab test --nightly)")
    }
}
