import CommandSupport
import CoreBluetooth
import MainLoop

/// Shows and asks on the desktop what a device that is paired with wants of the user.
@MainActor
final class PairingDesktop {
    /// What comes of a question.
    enum Answer: Swift.Sendable {
        case yes
        case no
        /// The user has closed the notification.
        case dismissed
        /// There is no desktop that asks, or no longer.
        case impossible
    }

    private let notifier = DesktopNotifier(program: "bluejay", address: SessionBus.address())
    private let device: String
    private var shown: ShownNotification?

    /// - Parameter device: the device as the user has named it.
    init(device: String) {
        self.device = device
        notifier.prepare()
    }

    /// Shows digits that are to be entered on the device.
    func show(_ passkey: CBPasskey, pairingWith peer: CBPeer) {
        withdraw()
        shown = notifier.show(
            DesktopNotification(summary: "Enter \(passkey) on the device", body: text(for: peer)))
    }

    /// Asks whether the device shows these digits.
    ///
    /// - Parameter answered: called at most once. An answer that does not come is one that comes too late: pairing ends
    ///   by itself then.
    func compare(
        _ passkey: CBPasskey, pairingWith peer: CBPeer, _ answered: @escaping @MainActor (Answer) -> Void
    ) {
        withdraw()
        let question = DesktopNotification(
            summary: "Does the device show \(passkey)?",
            body: "\(text(for: peer)) Yes only if both numbers are the same.",
            actions: [.yes, .no], needsActions: true)
        shown = notifier.show(question) { outcome in
            let answer: Answer
            switch outcome {
            case .chosen(let key): answer = key == DesktopNotification.Action.yes.key ? .yes : .no
            case .dismissed: answer = .dismissed
            case .failed: answer = .impossible
            case .shown, .expired: return
            }
            Task { @MainActor in answered(answer) }
        }
    }

    /// Takes off what is shown; before this returns, unless the desktop has just been asked to show it.
    func withdraw() {
        guard let shown else { return }
        self.shown = nil
        MainLoop.shared.sync { shown.withdraw() }
    }

    /// Waits until what was withdrawn is off the desktop, for the program ends.
    func settle() async { await notifier.settle() }

    private func text(for peer: CBPeer) -> String {
        let address = peer.bluetoothAddress ?? peer.identifier.uuidString
        let name = DesktopNotification.escaped((peer as? CBPeripheral)?.name ?? device)
        return "Pairing with \(name.hasPrefix(address) ? address : "\(name) (\(address))")."
    }
}
