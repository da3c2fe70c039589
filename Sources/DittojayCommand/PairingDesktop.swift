import CommandSupport
import CoreBluetooth
import Dittojay
import Foundation
import MainLoop

/// Shows on the desktop what centrals that pair want of the peripheral's user.
struct PairingDesktop {
    private let queue: DispatchQueue
    /// The option that names the control socket, for commands that are shown.
    private let socketOption: String
    private let notifier = DesktopNotifier(program: "dittojay", address: SessionBus.address())

    /// - Parameters:
    ///   - queue: the peripherals'.
    ///   - socket: the path of the control socket, unless it is the usual one.
    init(queue: DispatchQueue, socket: String?) {
        self.queue = queue
        socketOption = socket.map { " --socket \($0)" } ?? ""
    }

    /// Shows a prompt; what is returned takes it away.
    func show(_ prompt: PairingPrompt) -> () -> Void {
        // It is used on the queue only, where the outcome goes.
        nonisolated(unsafe) let confirm = prompt.confirm
        let shown = notifier.show(notification(prompt)) { [queue] outcome in
            guard case .chosen(let key) = outcome else { return }
            queue.async { confirm(key == DesktopNotification.Action.yes.key) }
        }
        return { MainLoop.shared.async { shown.withdraw() } }
    }

    /// Waits until what was taken away is off the desktop, for the program ends.
    func settle() async { await notifier.settle() }

    private func notification(_ prompt: PairingPrompt) -> DesktopNotification {
        let peripheral = prompt.peripheral.map { " with \(DesktopNotification.escaped($0))" } ?? ""
        let central = "\(DesktopNotification.escaped(prompt.central)) pairs\(peripheral)."
        let options = (prompt.peripheral.map { " --peripheral \($0)" } ?? "") + socketOption
        switch prompt.kind {
        case .displayPasskey(let passkey):
            return DesktopNotification(summary: "Enter \(passkey) on the central", body: central)
        case .enterPasskey:
            return DesktopNotification(
                summary: "Enter the passkey that the central shows",
                body: "\(central) For 123456: dittojay passkey 123456\(options)")
        case .comparePasskeys(let passkey):
            return DesktopNotification(
                summary: "Does the central show \(passkey)?",
                body: "\(central) Or: dittojay confirm yes\(options)",
                actions: [.yes, .no])
        }
    }
}
