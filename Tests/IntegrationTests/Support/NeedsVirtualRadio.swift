import Foundation
import Testing

extension Trait where Self == ConditionTrait {
    /// For tests of distance, loss and what follows from them, of which btvirt knows nothing.
    static var needsVirtualRadio: ConditionTrait {
        .enabled(
            if: ProcessInfo.processInfo.environment["LAB_RADIO"] != "btvirt",
            "skipped: btvirt has no distances (--radio btvirt)")
    }
}
