/// Answers for the program's user while a peer pairs. A Linux addition: on Apple's platforms the system asks the user.
///
/// Set it with ``CBManager/setPairingDelegate(_:capability:answersAll:)``. Without one, pairing is "Just Works".
public protocol CBPairingDelegate: AnyObject {
    /// A peer pairs, and a passkey is to be shown, entered or compared. Called on the manager's queue.
    ///
    /// Answer within 30 seconds, which is what the Security Manager Protocol gives the user.
    func manager(_ manager: CBManager, didReceive request: CBPairingRequest)

    /// Nobody waits for the answer any longer: the peer has refused or has disconnected, or the time is over. Default:
    /// does nothing.
    func manager(_ manager: CBManager, didCancel request: CBPairingRequest)
}

extension CBPairingDelegate {
    public func manager(_ manager: CBManager, didCancel request: CBPairingRequest) {}
}

/// How the program's user can take part in pairing. A Linux addition.
///
/// What two devices can do decides how they pair. Specification: Bluetooth Core, Vol 3, Part H, 2.3.2 and 2.3.5.1.
public enum CBPairingCapability: String, CaseIterable, Swift.Sendable {
    /// Nothing: "Just Works".
    case none
    /// Six digits can be shown.
    case display
    /// Six digits can be shown, and answered with yes or no.
    case yesNo = "yes-no"
    /// Six digits can be entered.
    case keyboard
    /// Six digits can be shown and entered.
    case keyboardDisplay = "keyboard-display"
}
