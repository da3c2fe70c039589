import Foundation

/// Whether tests take the time for all that they can do (`LAB_THOROUGH=1`), as `.ci/nightly` has them do.
package let isThorough = ProcessInfo.processInfo.environment["LAB_THOROUGH"] == "1"

/// How often a test repeats what goes wrong by chance, if at all.
///
/// - Parameters:
///   - few: in every run of the tests.
///   - many: when they are thorough.
package func rounds(_ few: Int, thoroughly many: Int) -> Int { isThorough ? many : few }
