import BlueZ
import MainLoop

/// Notices that a request cannot be answered because pairing has failed.
///
/// bluetoothd pairs by itself when a device wants that before it answers a request, and when that fails, 5.66 does not
/// say so. A device that is a Linux machine then ends the link, with Authentication Failure (seen). Others keep it, and
/// bluetoothd waits for its encryption without a limit: neither this request nor a later one is ever answered
/// (`bt_att_chan_set_security` in src/shared/att.c; the socket stays in BT_CONFIG). What can be seen is that the agent
/// was asked, or that the device is paired with, and that there is no answer all the same.
@LoopActor
final class PairingWatch {
    private let timing: BlueZSession.Timing

    private var fail: (@LoopActor (CBATTError) -> Void)?
    private var timer: LoopSource?
    private var isPaired = false
    private var hasBegun: Bool { timer != nil }
    /// Whether the agent has agreed to pair, and nothing has come of it yet.
    private(set) var hasAgreed = false
    /// Whether the program's user is asked at the moment.
    private(set) var isAsking = false

    init(_ timing: BlueZSession.Timing) {
        self.timing = timing
    }

    /// Another link is tried.
    func linkBegins() {
        hasAgreed = false
        isAsking = false
    }

    /// - Parameter fail: called once, before ``requestEnds()``, if the request can no longer be answered.
    func requestBegins(_ fail: @escaping @LoopActor (CBATTError) -> Void) {
        requestEnds()
        self.fail = fail
    }

    func requestEnds() {
        fail = nil
        timer = nil
        isPaired = false
    }

    /// The device is paired with now.
    func paired() {
        isPaired = true
        hasAgreed = false
        wait(atMost: timing.answerAfterPairing, Self.silence)
    }

    func handle(_ step: PairingStep) {
        isAsking = false
        switch step {
        case .asked:
            isAsking = true
            wait(atMost: timing.pairing, Self.refusal)
        case .displayed, .agreed:
            hasAgreed = true
            wait(atMost: timing.pairing, Self.refusal)
        case .refused(let question):
            give(Reason("The device wants \(question.text) to pair, and this program refused."))
        case .cancelled: give(Self.refusal)
        }
    }

    /// The link has ended.
    ///
    /// - Parameter mayBeLost: whether bluetoothd may be why (``BlueZVersion/mayLoseLinksThatPair``).
    func linkEnds(mayBeLost: Bool) {
        hasAgreed = false
        isAsking = false
        guard hasBegun else { return }
        give(!isPaired ? Self.loss : mayBeLost ? Self.lossAfterPairing : Self.passkey)
    }

    private func wait(atMost limit: Duration, _ reason: Reason) {
        guard fail != nil else { return }
        timer = .timer(after: limit) { [weak self] in self?.give(reason) }
    }

    private struct Reason {
        let text: String
        /// Whether pairing has succeeded, and the request may be answered over another link, which is encrypted from
        /// the start.
        let isWorthAnotherLink: Bool

        init(_ text: String, isWorthAnotherLink: Bool = false) {
            self.text = text
            self.isWorthAnotherLink = isWorthAnotherLink
        }
    }

    private static let refusal = Reason("The device refused to pair, or pairing with it failed.")
    /// bluetoothd (5.66) may also have asked for encryption twice, because of what the device has sent meanwhile, and
    /// then the kernel ends the link.
    private static let loss = Reason(
        "The device refused to pair, or the link was lost during pairing. Connect and try again.")
    private static let passkey = Reason(
        "The device requires pairing with a passkey, which this program cannot enter.")
    /// The end of the link that ``loss`` is about may come when the devices have exchanged their keys already.
    private static let lossAfterPairing = Reason(
        "The link was lost just after pairing. \(another)", isWorthAnotherLink: true)
    /// bluetoothd (5.66) may also have taken the request that made it pair for sent, although the socket refused it
    /// (`can_write_data` in src/shared/att.c); the two cannot be distinguished here.
    private static let silence = Reason(
        "The device has not answered since pairing. \(another)", isWorthAnotherLink: true)
    private static let another =
        "Connect and try again; if that fails, the device requires pairing with a passkey, which this program cannot enter."

    private func give(_ reason: Reason) {
        guard let fail else { return }
        requestEnds()
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: reason.text]
        if reason.isWorthAnotherLink { userInfo[CBATTError.isUnansweredSincePairingKey] = true }
        fail(CBATTError(.insufficientAuthentication, userInfo: userInfo))
    }
}

extension CBATTError {
    fileprivate static let isUnansweredSincePairingKey = "isUnansweredSincePairing"

    /// Whether there was no answer because of pairing, which has succeeded: over another link there may be one.
    package var isUnansweredSincePairing: Bool { userInfo[Self.isUnansweredSincePairingKey] as? Bool ?? false }
}

extension PeripheralLink {
    func dropAfterFailedPairing() {
        guard phase == .connected, let device, device.isConnected else { return }
        let reason = "The connection was ended because pairing failed: no further request was possible."
        endReason = CBError(.encryptionTimedOut, userInfo: [NSLocalizedDescriptionKey: reason])
        Task { try? await device.disconnect() }
    }
}
