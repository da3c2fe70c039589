import BlueZ
import MainLoop

/// Notices that no link to a peripheral can be encrypted, because one side has lost the keys of the pairing.
///
/// If it is the peripheral: bluetoothd encrypts the link to a paired device before it answers `Connect`. Without the
/// keys the link comes up, ends, and the call fails with "le-connection-abort-by-local" within a second (5.66). So
/// does, seldom, an attempt that had bad luck; not three times running. A device that is not there makes the call fail
/// after some 20 s.
///
/// If it is this machine: a peripheral with BlueZ asks for encryption, this machine pairs, which the agent is asked
/// about, and the peripheral, which takes it for an attack, refuses and ends the link (`JustWorksRepairing`).
@LoopActor
struct EncryptionFailures {
    /// The peripheral has lost the keys. Apple's systems report the same.
    static let keysLost = CBError(.peerRemovedPairingInformation)
    /// The peripheral does not pair.
    static let refused = CBError(
        .encryptionTimedOut,
        userInfo: [
            NSLocalizedDescriptionKey: "The device refused to pair. It may remember a pairing that this machine has "
                + "forgotten; remove that on the device."
        ])

    private static let failuresToBeSureOfKeyLoss = 3
    private static let failuresToBeSureOfRefusal = 2
    /// On a busy machine.
    private static let longestFailure: Duration = .seconds(10)

    private var failures = 0
    var isSuspected: Bool { failures > 0 }
    private var start = ContinuousClock.now
    private var hasComeUp = false

    nonisolated init() {}

    mutating func attemptBegins() {
        start = .now
        hasComeUp = false
    }

    /// The link is up, not encrypted yet; or it was, if it has ended by the time of the report.
    mutating func linkIsReported() { hasComeUp = true }

    /// - Parameters:
    ///   - error: what bluetoothd has answered; nil if the link ended at once.
    ///   - hasAgreed: whether the agent has agreed to pair.
    /// - Returns: what is certain by now.
    mutating func attemptHasFailed(_ error: BlueZError?, _ device: Device, hasAgreed: Bool) -> CBError? {
        guard device.isPaired ? isSuspicious(error) : hasAgreed else {
            failures = 0
            return nil
        }
        failures += 1
        guard device.isPaired else { return failures >= Self.failuresToBeSureOfRefusal ? Self.refused : nil }
        return failures >= Self.failuresToBeSureOfKeyLoss ? Self.keysLost : nil
    }

    private func isSuspicious(_ error: BlueZError?) -> Bool {
        switch error {
        case .connectionFailed: ContinuousClock.now - start < Self.longestFailure
        case .failed, nil: hasComeUp
        default: false
        }
    }

    /// Why a link that was up has ended, if for want of keys.
    static func fault(_ device: Device, hasAgreed: Bool) -> CBError? {
        let reason = device.disconnectionReason
        if device.isPaired { return reason == .authentication ? keysLost : nil }
        return hasAgreed && reason != .timeout && reason != .suspend ? refused : nil
    }
}

extension PeripheralLink {
    /// How long the end of a link that could not be encrypted may take.
    private static let endTimeout: Duration = .seconds(2)

    /// Why an attempt has failed, if pairing is the cause and that is certain by now.
    ///
    /// - Parameter error: what bluetoothd has answered; nil if the link ended at once.
    func pairingFault(after error: BlueZError?, _ device: Device) async -> CBError? {
        let fault = encryptionFailures.attemptHasFailed(error, device, hasAgreed: pairingWatch.hasAgreed)
        if let fault { return fault }
        guard encryptionFailures.isSuspected else { return nil }
        return await endsForLackOfKeys(device) ? EncryptionFailures.keysLost : nil
    }

    /// Waits until the link of an attempt that has failed is down.
    ///
    /// bluetoothd answers `Connect` before it knows that the link is down, and calls another `Connect` a success until
    /// then (`dev_connect` in src/device.c). What it reports may leave the short connection out, so it is asked.
    ///
    /// - Returns: whether it says that keys are why the link has ended.
    private func endsForLackOfKeys(_ device: Device) async -> Bool {
        let deadline = ContinuousClock.now + Self.endTimeout
        while phase == .connecting, await device.fetchIsConnected(), deadline > .now {
            try? await Task.sleep(for: .milliseconds(20))
        }
        return phase == .connecting && device.isPaired && device.hasFailedAuthentication
    }
}
