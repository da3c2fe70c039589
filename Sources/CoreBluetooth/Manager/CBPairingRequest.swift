import BlueZ
import MainLoop

/// What a peer that pairs wants of the program's user. A Linux addition.
public final class CBPairingRequest: Swift.Sendable {
    /// What the user is to do.
    public enum Kind: Hashable, Swift.Sendable {
        /// Show these six digits, to be entered on the peer. There is nothing to answer.
        case displayPasskey(CBPasskey)
        /// Enter the six digits that the peer shows.
        case enterPasskey
        /// Show these six digits, and say whether the peer shows the same.
        case comparePasskeys(CBPasskey)
    }

    public let kind: Kind
    /// The device that pairs: a ``CBPeripheral`` for a central manager, a ``CBCentral`` for a peripheral manager.
    public let peer: CBPeer

    /// Nil if there is nothing to answer.
    private let question: PairingQuestion?

    init(_ kind: Kind, of peer: CBPeer, _ question: PairingQuestion?) {
        self.kind = kind
        self.peer = peer
        self.question = question
    }

    /// Answers ``Kind/enterPasskey``. Only the first answer counts.
    public func enter(_ passkey: CBPasskey) {
        MainLoop.shared.async { [question] in question?.enter(passkey.number) }
    }

    /// Answers ``Kind/comparePasskeys(_:)``: the peer shows the same digits. Only the first answer counts.
    public func confirm() {
        MainLoop.shared.async { [question] in question?.confirm() }
    }

    /// Answers any question with no: the devices do not pair.
    public func reject() {
        MainLoop.shared.async { [question] in question?.refuse() }
    }
}

/// Who answers for the user, and how.
struct PairingSettings: Swift.Sendable {
    let capability: CBPairingCapability
    let answersAll: Bool
}

extension PairingResponder {
    /// One that asks a manager's delegate.
    ///
    /// - Parameters:
    ///   - peer: the device as the manager knows it; nil if it is on another controller.
    ///   - deliver: runs something on the manager's queue.
    init(
        _ settings: PairingSettings, peer: @escaping @LoopActor (Device) -> CBPeer?,
        deliver: @escaping @LoopActor (@escaping @Sendable (CBManager) -> Void) -> Void
    ) {
        self.init(settings.capability.bluez, answersAll: settings.answersAll) { device, question in
            guard let peer = peer(device), let kind = CBPairingRequest.Kind(question.kind) else { return false }
            let request = CBPairingRequest(kind, of: peer, question)
            question.onCancel = {
                deliver { manager in manager.pairingDelegate?.manager(manager, didCancel: request) }
            }
            deliver { manager in
                guard let delegate = manager.pairingDelegate else { return request.reject() }
                delegate.manager(manager, didReceive: request)
            }
            return true
        } display: { device, passkey in
            guard let peer = peer(device), let passkey = CBPasskey(number: passkey) else { return false }
            let request = CBPairingRequest(.displayPasskey(passkey), of: peer, nil)
            deliver { manager in manager.pairingDelegate?.manager(manager, didReceive: request) }
            return true
        }
    }
}

extension CBPairingRequest.Kind {
    init?(_ question: PairingQuestion.Kind) {
        switch question {
        case .passkey: self = .enterPasskey
        case .comparison(let number):
            guard let passkey = CBPasskey(number: number) else { return nil }
            self = .comparePasskeys(passkey)
        case .pinCode: return nil
        }
    }
}

extension CBPairingCapability {
    var bluez: PairingCapability {
        switch self {
        case .none: .noInputNoOutput
        case .display: .displayOnly
        case .yesNo: .displayYesNo
        case .keyboard: .keyboardOnly
        case .keyboardDisplay: .keyboardDisplay
        }
    }
}
