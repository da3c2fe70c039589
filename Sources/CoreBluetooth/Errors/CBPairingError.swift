import BlueZ

/// Why a peripheral could not be paired. A Linux addition.
///
/// The peripheral's reason does not reach programs on Linux: the kernel drops it. Which failure it is follows from what
/// was asked before.
public enum CBPairingError: Error, Hashable, Swift.Sendable {
    /// The passkey that was entered is not the one that was shown.
    case wrongPasskey
    /// The peripheral's user says that it shows other digits.
    case comparisonFailed
    /// The peripheral does not pair, or not in a way that is possible here. It may also remember a pairing that this
    /// machine has forgotten.
    case rejectedByPeripheral
    /// This program has answered no, or nothing.
    case rejected
    /// A user has taken more than 30 seconds, or the peripheral has not answered.
    case timedOut
    /// The system does not know the peripheral: it has to be discovered first.
    case unknownPeripheral
    /// Anything else, such as a connection that could not be made.
    case failed(String)
}

extension CBPairingError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .wrongPasskey: "The passkey is wrong, or the device refused to pair."
        case .comparisonFailed: "The numbers do not match, or the device refused to pair."
        case .rejectedByPeripheral:
            "The device refused to pair. It may remember a pairing that this machine has forgotten; remove that on the "
                + "device."
        case .rejected: "Pairing was refused here."
        case .timedOut: "Pairing was not completed in 30 seconds."
        case .unknownPeripheral: "The device is unknown; discover it first."
        case .failed(let reason): "Pairing failed: \(reason)."
        }
    }
}

extension CBPairingError {
    init(_ failure: PairingFailure) {
        switch failure {
        case .wrongPasskey: self = .wrongPasskey
        case .comparisonFailed: self = .comparisonFailed
        case .refusedByDevice: self = .rejectedByPeripheral
        case .refusedHere: self = .rejected
        case .timedOut: self = .timedOut
        case .other(let error): self = .failed(error.description)
        }
    }
}
