package import DBus
import MainLoop

extension BusConnection {
    /// Calls `action` when bluetoothd has handled everything that it was sent before, and all that it had sent until
    /// then was handled here.
    package func confirmReceipt(_ action: @escaping @LoopActor () -> Void) {
        let ping = MethodCall(PeerInterface.ping, of: Bluetoothd.busName, at: .root)
        // An error is an answer, too: bluetoothd has ended, or has nothing at this path.
        call(ping) { _ in action() }
    }

    /// Waits for the same.
    func confirmReceipt() async {
        await withCheckedContinuation { continuation in
            confirmReceipt { continuation.resume() }
        }
    }
}
