import MainLoop

/// A part of the program that answers for the user when a device pairs.
package struct PairingResponder: Swift.Sendable {
    /// What its user can do.
    package let capability: PairingCapability
    /// Whether it also answers for pairings that this program has not begun: those of a peripheral, and those that a
    /// request sets off.
    package let answersAll: Bool
    /// Given a question about a device; returns whether it will answer.
    package let answer: @LoopActor (Device, PairingQuestion) -> Bool
    /// Given digits to show; returns whether they are shown.
    package let display: @LoopActor (Device, UInt32) -> Bool

    package init(
        _ capability: PairingCapability, answersAll: Bool,
        answer: @escaping @LoopActor (Device, PairingQuestion) -> Bool,
        display: @escaping @LoopActor (Device, UInt32) -> Bool
    ) {
        self.capability = capability
        self.answersAll = answersAll
        self.answer = answer
        self.display = display
    }
}
