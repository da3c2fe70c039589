import Foundation
import Testing

extension Trait where Self == ConditionTrait {
    /// Leaves a test out when sensors have a proxy in front of them (`LAB_PROXY=1`).
    ///
    /// - Parameter subject: what the test is about, which a proxy does not pass on.
    static func withoutProxy(_ subject: Comment) -> Self {
        .disabled(if: ProcessInfo.processInfo.environment["LAB_PROXY"] == "1", subject)
    }
}
