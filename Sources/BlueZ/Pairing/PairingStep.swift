/// What happens to this program's agent while a device pairs. bluetoothd reports only success; the rest has to be
/// concluded from these.
package enum PairingStep: Hashable, Swift.Sendable {
    /// The user is asked.
    case asked(PairingQuestion.Kind)
    /// Six digits are shown, which the device's user has to enter.
    case displayed(UInt32)
    /// The agent has done its part. Whether the device pairs is not known.
    case agreed(PairingMethod)
    /// The question was not answered, or with no: pairing has failed.
    case refused(PairingQuestion.Kind)
    /// bluetoothd has taken the question back: pairing has failed.
    case cancelled

    /// Whether the agent has done what was asked of it.
    package var isAgreement: Bool {
        switch self {
        case .displayed, .agreed: true
        case .asked, .refused, .cancelled: false
        }
    }
}

/// How two devices make sure of each other. Specification: Bluetooth Core, Vol 3, Part H, 2.3.5.1.
package enum PairingMethod: String, Swift.Sendable {
    /// They do not: the link is encrypted, and not authenticated.
    case justWorks = "Just Works"
    /// Six digits of one of them are entered on the other, or on both.
    case passkeyEntry = "passkey entry"
    /// Both show six digits, and their users compare them.
    case numericComparison = "numeric comparison"
}
