import Foundation
import Testing

extension Trait where Self == ConditionTrait {
    /// For tests of distance, loss and what follows from them, of which btvirt knows nothing; and of controllers
    /// that have several links: btvirt hands on data with the handle that the link has at its sender (`send_acl` in
    /// emulator/btdev.c, 5.82 and 5.87).
    static var needsVirtualRadio: ConditionTrait {
        .enabled(
            if: ProcessInfo.processInfo.environment["LAB_RADIO"] != "btvirt",
            "skipped: btvirt has no distances, and mixes up links (--radio btvirt)")
    }
}
