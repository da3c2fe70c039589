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
    /// A little more than bluetoothd gathers notifications for (`NFY_MULT_TIMEOUT` in src/shared/gatt-server.c).
    private static let gatheringTime: Duration = .milliseconds(12)
    /// How late bluetoothd may read what it was sent.
    private static let readingTime: Duration = .milliseconds(50)

    /// Hands values to bluetoothd until none are left or there is no room; it goes on as soon as there is room.
    func sendUpdates() {
        var done = 0
        for _ in 0..<Self.valuesPerTurn {
            if batch.isEmpty {
                notifyIfReady(after: done)
                done = 0
                updates.take(into: &batch)
                if batch.isEmpty { return }
            }
            let update = batch[0]
            if let link = links[update.target], link.generation == update.generation, link.hasReceivers {
                // bluetoothd has a socket for each characteristic, and reads them in an order of its own.
                if let lastSender, lastSender !== link, lastSender.local.hasUnreadNotifications {
                    draining = .timer(after: Self.drainingTime) { [weak self] in self?.sendUpdates() }
                    return notifyIfReady(after: done)
                }
                guard link.uncertainEnds == nil, !isGathering(before: link) else { return notifyIfReady(after: done) }
                guard link.local.notify(update.value) else { return notifyIfReady(after: done) }
                lastSender = link
                if !link.plan.flags.contains(.indicate) { lastNotification = .now }
            }
            batch.removeFirst()
            done += 1
        }
        notifyIfReady(after: done)
        MainLoop.shared.async { [weak self] in self?.sendUpdates() }
    }

    /// Whether bluetoothd still gathers the notifications before an indication, which would overtake them. When it is
    /// through, ``sendUpdates()`` goes on.
    private func isGathering(before link: CharacteristicLink) -> Bool {
        guard link.plan.flags.contains(.indicate), let notified = lastNotification else { return false }
        guard gathering == nil else { return true }
        // It has been read, perhaps just now.
        let mayBeGathered = .now - notified < Self.readingTime + Self.gatheringTime
        gathering = .timer(after: mayBeGathered ? Self.gatheringTime : .zero) { [weak self] in self?.awaitGathered() }
        return true
    }

    /// On a busy machine bluetoothd comes late to its own timer: whatever it does next is done after that.
    private func awaitGathered() {
        let proceed: @LoopActor () -> Void = { [weak self] in
            self?.gathering = nil
            self?.lastNotification = nil
            self?.sendUpdates()
        }
        guard let connection = session.connection else { return proceed() }
        connection.confirmReceipt(proceed)
    }

    private func notifyIfReady(after count: Int) {
        guard count > 0, updates.finished(count) else { return }
        deliver { $0.delegate?.peripheralManagerIsReady(toUpdateSubscribers: $0) }
    }
}
