/// Why a device could not be paired.
///
/// bluetoothd reports most failures as "Authentication Failed": the kernel (6.12, `smp_failure` in net/bluetooth/smp.c)
/// passes no other reason on. Which one it is follows from what the agent was asked before.
package enum PairingFailure: Error, Hashable, Swift.Sendable {
    /// The digits that were entered are not those that were shown, or pairing was refused after they were shown.
    case wrongPasskey(isEnteredHere: Bool)
    /// The device's user says that it shows other digits.
    case comparisonFailed
    /// The device does not pair, or not in a way that is possible here. One that has keys of an earlier pairing with
    /// this machine may do so, too.
    case refusedByDevice
    /// The question was answered with no here, or could not be answered.
    case refusedHere(PairingQuestion.Kind)
    /// A user has taken more than 30 s, or the device has not answered for as long.
    case timedOut
    /// Anything else, such as a link that could not be made.
    case other(BlueZError)
}

/// What has been seen of a pairing.
struct PairingAttempt {
    /// When the Security Manager Protocol gives up. Specification: Bluetooth Core, Vol 3, Part H, 3.4.
    private static let timeout: Duration = .seconds(29)

    private var lastStep: PairingStep?
    private var lastTime: ContinuousClock.Instant

    init(at time: ContinuousClock.Instant) { lastTime = time }

    mutating func note(_ step: PairingStep, at time: ContinuousClock.Instant) {
        // Why the question was taken back depends on how long it was open.
        guard step != .cancelled else { return }
        (lastStep, lastTime) = (step, time)
    }

    func failure(_ error: BlueZError, at time: ContinuousClock.Instant) -> PairingFailure {
        if case .refused(let kind) = lastStep { return .refusedHere(kind) }
        switch error {
        case .authenticationFailed("Authentication Timeout"): return .timedOut
        case .authenticationFailed: break
        case .connectionFailed, .notConnected: if lastStep == nil { return .other(error) }
        case .timedOut: return .timedOut
        default: return .other(error)
        }
        if time - lastTime >= Self.timeout { return .timedOut }
        switch lastStep {
        case .agreed(.passkeyEntry): return .wrongPasskey(isEnteredHere: true)
        case .displayed: return .wrongPasskey(isEnteredHere: false)
        // The device's user may say that they differ while this one is still asked.
        case .asked(.comparison), .agreed(.numericComparison): return .comparisonFailed
        default: return .refusedByDevice
        }
    }
}
