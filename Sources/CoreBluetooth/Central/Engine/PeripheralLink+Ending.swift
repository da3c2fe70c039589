import BlueZ
import MainLoop

/// What has to come before an app learns that a link has ended.
extension PeripheralLink {
    /// Waits until it is known whether the link has ended because Bluetooth was switched off, or bluetoothd has ended.
    ///
    /// The app learns that from the manager's state, and nothing of the links (``abandon()``). But bluetoothd reports
    /// them first: the kernel ends a controller's links before it switches the controller off.
    ///
    /// - Parameter reason: why it has ended. The peer's doing is no sign of that.
    func waitForPowerOff(after reason: DisconnectionReason?) async {
        switch reason {
        case .timeout, .remote, .authentication: return
        case .local, .suspend, .unknown, nil: break
        }
        let change = FirstOutcome<Void>()
        onCancel = { change.report() }
        await change.wait(within: session.timing.powerOff)
        onCancel = nil
    }
}
