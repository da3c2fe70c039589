import BlueZ
import DequeModule
import MainLoop

/// Notifications and indications on their way to bluetoothd.
extension PeripheralCore {
    /// How many values go out before the loop turns to everything else: a program that always has one more must not
    /// keep it from noticing that the central has disconnected.
    private static let valuesPerTurn = 64
    /// How long to wait before looking again whether bluetoothd has read everything.
    private static let drainingTime: Duration = .milliseconds(1)

    /// Hands values to bluetoothd until none are left or there is no room; it goes on as soon as there is room.
    func sendUpdates() {
        var done = 0
        for _ in 0..<Self.valuesPerTurn {
            if batch.isEmpty {
                tellIfReady(after: done)
                done = 0
                updates.take(into: &batch)
                if batch.isEmpty { return }
            }
            let update = batch[0]
            if let link = links[update.target], link.generation == update.generation, link.hasReceivers {
                // bluetoothd has a socket for each characteristic, and reads them in an order of its own.
                if let lastSender, lastSender !== link, lastSender.local.hasUnreadNotifications {
                    draining = .timer(after: Self.drainingTime) { [weak self] in self?.sendUpdates() }
                    return tellIfReady(after: done)
                }
                guard link.local.notify(update.value) else { return tellIfReady(after: done) }
                lastSender = link
            }
            batch.removeFirst()
            done += 1
        }
        tellIfReady(after: done)
        MainLoop.shared.async { [weak self] in self?.sendUpdates() }
    }

    private func tellIfReady(after count: Int) {
        guard count > 0, updates.finished(count) else { return }
        deliver { $0.delegate?.peripheralManagerIsReady(toUpdateSubscribers: $0) }
    }
}
